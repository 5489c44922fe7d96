//! Opening a store, and what can go wrong with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::faults::Injected;
use super::lock::{beside, private};
use super::schema::{self, Secrets};
use super::{Faults, Operation};

/// How long a write waits for another process that changes keys.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What can go wrong with a store, each as one sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another server has it.
    #[error("{0} is in use by another rankduel-server; stop that one first, or choose another --store")]
    InUse(String),
    /// There is no such file.
    #[error("there is no store {0}; `rankduel-server serve --create --store FILE` makes one")]
    Missing(String),
    /// There is none, or it is empty, where one is expected.
    #[error(
        "{0} is missing or empty; if the store should be there, its disk may not be mounted or its path is another; to make a new one, \
        pass --create"
    )]
    NotMade(String),
    /// It has less than was acknowledged.
    #[error(
        "{path} lacks {missing} that were acknowledged: {path}-wal is missing, or the file is an older copy; put them back, or pass \
        --accept-loss if the loss is known, as after restoring a backup"
    )]
    Lost {
        /// The file.
        path: String,
        /// How many events.
        missing: String,
    },
    /// It is a folder, a device or a pipe.
    #[error("{0} is not a file; name the file of the store with --store")]
    NoFile(String),
    /// It is a file of something else.
    #[error("{0} is not a store of rankduel-server; choose another --store")]
    Foreign(String),
    /// It is of another version.
    #[error(
        "{path} has the format {found}, and this build reads {}; {}",
        schema::FORMAT,
        if schema::BEFORE.contains(.found) { "move it there with `rankduel-server migrate`, or serve it, which does the same" } else { "use the rankduel-server that wrote it" }
    )]
    Format {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
    },
    /// Some changes are in another file, which only programs that may write can read.
    #[error(
        "{0}-wal has changes that {0} has not, and nothing can be written there to read them; copy both files to a folder that can be \
        written, or copy the store with `rankduel-server backup` where it is served"
    )]
    Unmerged(String),
    /// Its content contradicts itself.
    #[error("{0}")]
    Damaged(String),
    /// Something of one experiment is not as it was written.
    #[error("{place} cannot be used: {what}; restore the store from a backup")]
    Row {
        /// The experiment's number in the store.
        experiment: u32,
        /// What of it, such as `event 7`.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A snapshot of one experiment, or a unit of it, is not as it was written. Folding the whole log makes it good, if it is there.
    #[error("{place} cannot be used: {what}; restore the store from a backup")]
    Snapshot {
        /// The experiment's number in the store.
        experiment: u32,
        /// What of it, such as `the state of unit 7`.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A file could not be opened or locked.
    #[error("{0}")]
    Io(String),
    /// SQLite could not do something.
    #[error("the store: {0}")]
    Sqlite(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Damaged("the store is not a SQLite file".to_owned()),
            Some(ErrorCode::DiskFull) => Self::Sqlite("the disk is full".to_owned()),
            // The database was opened: it is a file beside it that cannot be made.
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                Self::Sqlite("the file or its folder cannot be written".to_owned())
            }
            _ => Self::Sqlite(error.to_string()),
        }
    }
}

impl StoreError {
    /// The experiment that it is about alone: no other one is concerned.
    #[must_use]
    pub fn experiment(&self) -> Option<u32> {
        match self {
            Self::Row { experiment, .. } | Self::Snapshot { experiment, .. } => Some(*experiment),
            _ => None,
        }
    }

    /// The same of a snapshot.
    pub(super) fn in_snapshot(self) -> Self {
        match self {
            Self::Row { experiment, place, what } => Self::Snapshot { experiment, place, what },
            other => other,
        }
    }

    /// Something of an experiment is damaged.
    pub(super) fn row(experiment: u32, place: String, what: String) -> Self {
        Self::Row { experiment, place, what }
    }

    /// The same, if that is what SQLite says of a table of an experiment.
    pub(super) fn of_row(experiment: u32, place: String, error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};

        let is_of_value = matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        );
        if is_of_value || error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) {
            return Self::row(experiment, place, error.to_string());
        }
        error.into()
    }
}

/// A secret that can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotated {
    /// That of ids.
    Ids,
    /// That of hashes.
    Hashes,
}

impl Rotated {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::Hashes => "hashes",
        }
    }
}

/// Who opens a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The server: creates what is missing. It must hold the [lock](super::StoreLock).
    Serve,
    /// A command that changes keys while a server may run.
    Change,
    /// A command, or an export of the server: reads alone.
    Read,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) faults: Injected,
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        Self::open_with(path, access, None)
    }

    /// Opens a store of which some operations fail, for tests.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open_with(path: &Path, access: Access, faults: Option<Arc<dyn Faults>>) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        inject(&faults, Operation::Open)?;
        match path.metadata() {
            Ok(found) if !found.is_file() => return Err(StoreError::NoFile(name)),
            Err(_) if access != Access::Serve => return Err(StoreError::Missing(name)),
            _ => {}
        }
        if access == Access::Serve && !path.exists() {
            // Others on the machine cannot read it, from its first byte on.
            let made = private().create(true).truncate(false).open(path);
            made.map_err(|error| StoreError::Io(format!("cannot open {name}: {error}")))?;
        }
        let mut connection = connect(path, access, false)?;
        if access != Access::Serve && needs_to_write(&connection) {
            if std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0) {
                return Err(StoreError::Unmerged(name));
            }
            connection = connect(path, access, true)?;
        }
        let is_new = schema::is_empty(&connection).map_err(|error| match error {
            StoreError::Damaged(_) => StoreError::Foreign(name.clone()),
            error => error,
        })?;
        if is_new && access != Access::Serve {
            return Err(StoreError::Foreign(name));
        }
        if access == Access::Serve {
            // A restored backup has another one.
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        }
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -32768;",
        )?;
        connection.set_prepared_statement_cache_capacity(512);
        if is_new {
            schema::create(&connection)?;
        }
        schema::check(&connection, &name)?;
        if access == Access::Serve {
            schema::add_places(&connection)?;
        }
        if access == Access::Read {
            connection.execute_batch("PRAGMA query_only = ON;")?;
        }
        Ok(Self { connection, path: path.to_owned(), faults })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The secrets of the store.
    ///
    /// # Errors
    /// If one is missing.
    pub fn secrets(&self) -> Result<Secrets, StoreError> {
        self.inject(Operation::Read)?;
        schema::secrets(&self.connection)
    }

    /// Makes this the salt of places of a store whose experiments have no units yet: others would move in and out of them.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_places(&self, salt: &[u8; 32]) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        schema::set_places(&self.connection, salt)
    }

    /// Replaces the secret of ids or of hashes; the one before counts until then (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn rotate(&self, which: Rotated, until: i64) -> Result<(), StoreError> {
        schema::rotate(&self.connection, which.name(), until)
    }

    /// Forgets the secrets before those of today that no longer count at `now` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_expired_secrets(&self, now: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        schema::forget_expired(&self.connection, now)
    }

    /// Copies the store, as it is at one moment, to a file that must not exist; a server may run meanwhile.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed = |error: String| StoreError::Io(format!("cannot write {}: {error}", to.display()));
        if to.exists() {
            return Err(failed("it exists; choose another file".to_owned()));
        }
        // Written aside and renamed: a file of that name is complete.
        let aside = beside(to, ".part");
        let remove = || std::fs::remove_file(&aside);
        match remove() {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error.to_string())),
            _ => {}
        }
        let text = aside.to_str().ok_or_else(|| failed("its name is not UTF-8".to_owned()))?;
        // It has secrets: SQLite fills a file that is there, empty, and that nobody else can read.
        let file = private().create_new(true).open(&aside).map_err(|error| failed(error.to_string()))?;
        let written = self.connection.execute("VACUUM INTO ?1", [text]).map_err(|error| failed(error.to_string()));
        let written = written.and_then(|_| {
            file.sync_all().map_err(|error| failed(error.to_string()))?;
            std::fs::rename(&aside, to).map_err(|error| failed(error.to_string()))
        });
        if written.is_err() {
            // Nothing more can be done about it.
            let _ = remove();
        }
        written
    }

    pub(super) fn inject(&self, operation: Operation) -> Result<(), StoreError> {
        inject(&self.faults, operation)
    }
}

/// Opens the file. One that does not change is read without the files beside it.
pub(super) fn connect(path: &Path, access: Access, does_not_change: bool) -> Result<Connection, StoreError> {
    let flags = match access {
        Access::Serve => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        // Readers of a write-ahead log write its index. `query_only` is what holds them back.
        Access::Change | Access::Read => OpenFlags::SQLITE_OPEN_READ_WRITE,
    } | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = if does_not_change {
        let bytes = path.as_os_str().as_encoded_bytes();
        let escaped: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
        Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(path, flags)
    };
    let failed = |error| StoreError::Io(format!("cannot open {}: {error}", path.display()));
    let connection = opened.map_err(failed)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Whether the file cannot be read because the files beside it cannot be made: that of a server, on a disk where nothing can be
/// written.
fn needs_to_write(connection: &Connection) -> bool {
    let read = connection.query_row("PRAGMA user_version", [], |_| Ok(()));
    let code = read.err().and_then(|error| error.sqlite_error_code());
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

fn inject(faults: &Injected, operation: Operation) -> Result<(), StoreError> {
    match faults {
        Some(faults) if faults.fails(operation) => Err(StoreError::Sqlite(format!("{operation:?} failed on demand"))),
        _ => Ok(()),
    }
}
