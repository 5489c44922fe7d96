//! Errors of a store.

use super::sqlite;

/// An error of a store, as one sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another server uses it.
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
    /// It has less than the acknowledged events.
    #[error(
        "{path} lacks {missing} that were acknowledged: {path}-wal is missing, or the file is an older copy; put them back, or pass \
        --accept-loss if the loss is known, as after restoring a backup"
    )]
    Lost {
        /// The file.
        path: String,
        /// The number of events.
        missing: String,
    },
    /// It is a folder, a device or a pipe.
    #[error("{0} is not a file; name the file of the store with --store")]
    NoFile(String),
    /// It is a file of another kind.
    #[error("{0} is not a store of rankduel-server; choose another --store")]
    Foreign(String),
    /// It is of another version.
    #[error(
        "{path} has the format {found}, and this build reads {}; {}",
        sqlite::FORMAT,
        if sqlite::FORMATS_BEFORE.contains(.found) { "move it there with `rankduel-server migrate`, or serve it, which does the same" } else { "use the rankduel-server that wrote it" }
    )]
    Format {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
    },
    /// Some changes are in another file, and only programs with write access can read that.
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
        /// The part of it, such as `event 7`.
        place: String,
        /// The fault.
        what: String,
    },
    /// A snapshot of one experiment, or a unit of it, is not as it was written. Folding the whole log repairs it, if the log is complete.
    #[error("{place} cannot be used: {what}; restore the store from a backup")]
    Snapshot {
        /// The experiment's number in the store.
        experiment: u32,
        /// The part of it, such as `the state of unit 7`.
        place: String,
        /// The fault.
        what: String,
    },
    /// A file could not be opened or locked.
    #[error("{0}")]
    Io(String),
    /// It is a database, where a file is needed.
    #[error("{what} needs a store in a file; {instead}")]
    NeedsFile {
        /// The operation.
        what: String,
        /// The alternative.
        instead: String,
    },
    /// A database does not answer, or refuses the connection.
    #[error("cannot connect to {database}: {why}")]
    Unreachable {
        /// The database.
        database: String,
        /// The error message.
        why: String,
    },
    /// Settings of a session do not hold in it.
    #[error(
        "{0}: settings of the session do not hold, as if a pooler in the mode `transaction` were in between; connect to PostgreSQL \
        itself, or use the mode `session`"
    )]
    Pooled(String),
    /// A database that may lose committed data.
    #[error(
        "{database} may lose what it says is committed: synchronous_commit is {commit}, and fsync is {sync}; set both to `on`"
    )]
    Careless {
        /// The database.
        database: String,
        /// Its `synchronous_commit`.
        commit: String,
        /// Its `fsync`.
        sync: String,
    },
    /// A database has no tables of a store.
    #[error("{0} has no store; `rankduel-server serve --create --store postgres://...` makes one")]
    NoTables(String),
    /// A database has the tables of another version.
    #[error(
        "{database} has tables of version {found}, and this build reads version {known}; {}",
        if found < known { "serve it, which moves them there" } else { "use the rankduel-server that made them" }
    )]
    OtherTables {
        /// The database.
        database: String,
        /// The version that it has.
        found: usize,
        /// The version that this build has.
        known: usize,
    },
    /// Another node leads: nothing was written.
    #[error("another node leads by now")]
    Fenced,
    /// A database could not do something.
    #[error("the database: {0}")]
    Postgres(String),
    /// SQLite could not do something.
    #[error("the store: {0}")]
    Sqlite(String),
}

impl StoreError {
    /// The experiment concerned; `None` if the error is not about a single one.
    #[must_use]
    pub fn experiment(&self) -> Option<u32> {
        match self {
            Self::Row { experiment, .. } | Self::Snapshot { experiment, .. } => Some(*experiment),
            _ => None,
        }
    }

    /// The error about a row as one about a snapshot; any other error unchanged.
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
}
