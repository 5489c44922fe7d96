//! Tables, the version of their format, and the secrets of a store.

use rusqlite::{Connection, OptionalExtension as _};

use super::StoreError;

/// The version of the tables that this build reads and writes.
pub const FORMAT: u32 = 2;
/// What SQLite files of this kind are marked with: "RKDL".
const APPLICATION: i32 = 0x524b_444c;

/// The kind of the events that close an impression.
pub(super) const CLOSED: u8 = 8;

/// `closed` is unique: an impression is credited once, whatever happens.
fn tables() -> String {
    format!(
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE experiments (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE events (
            experiment INTEGER NOT NULL, n INTEGER NOT NULL, kind INTEGER NOT NULL, impression INTEGER, body BLOB NOT NULL,
            PRIMARY KEY (experiment, n)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX closed ON events (experiment, impression) WHERE kind = {CLOSED};
        CREATE TABLE shown (
            experiment INTEGER NOT NULL, impression INTEGER NOT NULL, ids TEXT NOT NULL, displayed TEXT, request INTEGER,
            PRIMARY KEY (experiment, impression)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE units (
            experiment INTEGER NOT NULL, number INTEGER NOT NULL, hmac BLOB, PRIMARY KEY (experiment, number)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX units_by_hmac ON units (hmac) WHERE hmac IS NOT NULL;
        CREATE TABLE keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, experiment TEXT, label TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL, revoked INTEGER
        ) STRICT;"
    )
}

/// The secrets of a store: whoever copies the file has them.
#[derive(Clone)]
pub struct Secrets {
    /// Signs impression ids.
    pub ids: [u8; 32],
    /// Hashes units, queries and requests.
    pub hashes: [u8; 32],
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(..)")
    }
}

/// Makes the tables of a new store.
pub(super) fn create(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION}; BEGIN IMMEDIATE;"))?;
    // Another process may have been faster.
    if format(connection)? == 0 {
        connection.execute_batch(&tables())?;
        for name in ["ids", "hashes"] {
            let mut secret = [0_u8; 32];
            fill(&mut secret)?;
            connection.execute("INSERT INTO meta VALUES (?1, ?2)", (name, &secret[..]))?;
        }
        connection.execute_batch(&format!("PRAGMA user_version = {FORMAT};"))?;
    }
    connection.execute_batch("COMMIT;")?;
    Ok(())
}

fn fill(bytes: &mut [u8]) -> Result<(), StoreError> {
    getrandom::fill(bytes).map_err(|error| StoreError::Io(format!("no random numbers: {error}")))
}

/// A random number.
///
/// # Errors
/// If the machine gives none.
pub fn random() -> Result<u64, StoreError> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// The version of the file's format; 0 for a file without tables.
pub(super) fn format(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses files of others, and stores of other versions.
pub(super) fn check(connection: &Connection, path: &str) -> Result<(), StoreError> {
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if application != APPLICATION {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    match format(connection)? {
        FORMAT => Ok(()),
        found => Err(StoreError::Format { path: path.to_owned(), found }),
    }
}

/// Whether the file has no tables at all.
pub(super) fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0)
}

/// The secrets of the store.
pub(super) fn secrets(connection: &Connection) -> Result<Secrets, StoreError> {
    let secret = |name: &str| -> Result<[u8; 32], StoreError> {
        let value: Option<Vec<u8>> =
            connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()?;
        let missing =
            || StoreError::Damaged(format!("the store has no secret `{name}` of 32 bytes; restore it from a backup"));
        value.and_then(|value| value.try_into().ok()).ok_or_else(missing)
    };
    Ok(Secrets { ids: secret("ids")?, hashes: secret("hashes")? })
}

#[cfg(test)]
mod tests {
    use traffic::{Event, Outcome, Reason};

    #[test]
    fn closed_events_are_those_of_the_unique_index() {
        let closed = Event::Closed { time: 0, impression: 1, reason: Reason::Window, outcome: Outcome::Nothing };
        assert_eq!(closed.kind(), super::CLOSED);
    }
}
