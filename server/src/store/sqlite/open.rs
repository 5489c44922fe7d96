//! Opening a file, and copies of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::lock::{beside, private_file_options};
use super::schema;
use crate::store::faults::{Injected, inject};
use crate::store::{Access, Faults, Operation, RotatedSecret, Secrets, StoreError};

/// The time that a write waits for another process that changes keys.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A store in a file.
#[derive(Debug)]
pub(in crate::store) struct SqliteStore {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) faults: Injected,
}

impl SqliteStore {
    pub(in crate::store) fn open(
        path: &Path,
        access: Access,
        faults: Option<Arc<dyn Faults>>,
    ) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        inject(&faults, Operation::Open)?;
        match path.metadata() {
            Ok(found) if !found.is_file() => return Err(StoreError::NoFile(name)),
            Err(_) if access != Access::Serve => return Err(StoreError::Missing(name)),
            _ => {}
        }
        if access == Access::Serve && !path.exists() {
            // Other users of the machine cannot read it, from its first byte on.
            let made = private_file_options().create(true).truncate(false).open(path);
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

    pub(in crate::store) fn secrets(&self) -> Result<Secrets, StoreError> {
        self.inject(Operation::Read)?;
        schema::secrets(&self.connection)
    }

    pub(in crate::store) fn set_places(&self, salt: &[u8; 32]) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        schema::set_places(&self.connection, salt)
    }

    pub(in crate::store) fn rotate(&self, which: RotatedSecret, until: i64) -> Result<(), StoreError> {
        schema::rotate(&self.connection, which.name(), until)
    }

    pub(in crate::store) fn forget_expired_secrets(&self, now: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        schema::forget_expired(&self.connection, now)
    }

    pub(in crate::store) fn backup(&self, target: &Path) -> Result<(), StoreError> {
        let failed = |error: String| StoreError::Io(format!("cannot write {}: {error}", target.display()));
        if target.exists() {
            return Err(failed("it exists; choose another file".to_owned()));
        }
        // Written aside and renamed: a file of that name is complete.
        let aside = beside(target, ".part");
        let remove = || std::fs::remove_file(&aside);
        match remove() {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error.to_string())),
            _ => {}
        }
        let text = aside.to_str().ok_or_else(|| failed("its name is not UTF-8".to_owned()))?;
        // It has secrets: SQLite fills an existing, empty file that only its owner can read.
        let file = private_file_options().create_new(true).open(&aside).map_err(|error| failed(error.to_string()))?;
        let write_result = self.connection.execute("VACUUM INTO ?1", [text]).map_err(|error| failed(error.to_string()));
        let write_result = write_result.and_then(|_| {
            file.sync_all().map_err(|error| failed(error.to_string()))?;
            std::fs::rename(&aside, target).map_err(|error| failed(error.to_string()))
        });
        if write_result.is_err() {
            // Nothing more can be done.
            let _ = remove();
        }
        write_result
    }

    pub(super) fn inject(&self, operation: Operation) -> Result<(), StoreError> {
        inject(&self.faults, operation)
    }
}

/// Opens the file. One that does not change is read without the files beside it.
pub(super) fn connect(path: &Path, access: Access, does_not_change: bool) -> Result<Connection, StoreError> {
    let flags = match access {
        Access::Serve => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        // Readers of a write-ahead log write its index. `query_only` keeps them from writing data.
        Access::Change | Access::Read => OpenFlags::SQLITE_OPEN_READ_WRITE,
    } | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open_result = if does_not_change {
        let bytes = path.as_os_str().as_encoded_bytes();
        let escaped: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
        Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(path, flags)
    };
    let failed = |error| StoreError::Io(format!("cannot open {}: {error}", path.display()));
    let connection = open_result.map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Whether the file cannot be read because the files beside it cannot be made: a server's file on a read-only disk.
fn needs_to_write(connection: &Connection) -> bool {
    let read = connection.query_row("PRAGMA user_version", [], |_| Ok(()));
    let code = read.err().and_then(|error| error.sqlite_error_code());
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}
