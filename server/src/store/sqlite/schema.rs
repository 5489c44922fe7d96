//! Tables, and the version of their format.

use rusqlite::{Connection, OptionalExtension as _};

use crate::store::StoreError;
use crate::store::rows::ASKED_KIND;
use crate::store::secrets::{PLACES_SALT, ROTATED_SECRETS, Secrets, before_name, fresh, replaced, secret};

/// The version of the tables that this build reads and writes.
pub const FORMAT: u32 = 4;
/// The versions before it, which this build moves to its own.
pub(in crate::store) const FORMATS_BEFORE: [u32; 2] = [2, 3];
/// The mark of SQLite files of this kind: "RKDL".
const APPLICATION_ID: i32 = 0x524b_444c;

/// Tables of the store as a whole.
pub(super) const SHARED_TABLES: &str = "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE experiments (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, experiment TEXT, label TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
        created INTEGER NOT NULL, revoked INTEGER, expires INTEGER, used INTEGER
    ) STRICT;
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL
    ) STRICT;";

/// Tables of one experiment. Each has a tree of pages for itself: damage in it concerns no other experiment. `sum` is the checksum
/// of all other columns.
pub(super) fn tables_of(experiment: u32) -> String {
    format!(
        "CREATE TABLE events_{experiment} (
            n INTEGER PRIMARY KEY, kind INTEGER NOT NULL, impression INTEGER, body BLOB NOT NULL, sum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE shown_{experiment} (
            impression INTEGER PRIMARY KEY, ids TEXT, displayed TEXT, request INTEGER, sum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE units_{experiment} (hash BLOB PRIMARY KEY, number INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE marks_{experiment} (
            impression INTEGER PRIMARY KEY, time INTEGER NOT NULL, query INTEGER, key INTEGER, request INTEGER, sum INTEGER NOT NULL
        ) STRICT;
        {}",
        snapshots_of(experiment)
    )
}

/// The further tables of an experiment that counts conversions: the names of orders, and an index of the events that asked for impressions.
pub(super) fn conversions_of(experiment: u32) -> String {
    format!(
        "CREATE TABLE converted_{experiment} (
            unit INTEGER NOT NULL, hash BLOB NOT NULL, number INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (unit, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX asked_{experiment} ON events_{experiment} (impression) WHERE kind = {ASKED_KIND};"
    )
}

/// The tables for snapshots, in parts, and for the states of their units.
pub(super) fn snapshots_of(experiment: u32) -> String {
    format!(
        "CREATE TABLE snapshots_{experiment} (
            n INTEGER NOT NULL, part INTEGER NOT NULL, body BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (n, part)
        ) STRICT;
        CREATE TABLE states_{experiment} (
            number INTEGER NOT NULL, n INTEGER NOT NULL, seen INTEGER NOT NULL, body BLOB NOT NULL, sum INTEGER NOT NULL,
            PRIMARY KEY (number, n)
        ) STRICT, WITHOUT ROWID;"
    )
}

/// Deletes the tables of one experiment.
pub(super) fn drop_of(experiment: u32) -> String {
    let all = ["events", "shown", "units", "marks", "snapshots", "states"];
    let dropped = all.map(|table| format!("DROP TABLE {table}_{experiment};")).concat();
    format!("{dropped} DROP TABLE IF EXISTS converted_{experiment};")
}

/// Makes the tables of a new store.
pub(super) fn create(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; BEGIN IMMEDIATE;"))?;
    // Another process may have been faster.
    if format(connection)? == 0 {
        connection.execute_batch(SHARED_TABLES)?;
        for name in ROTATED_SECRETS {
            connection.execute("INSERT INTO meta VALUES (?1, ?2)", (name, &fresh()?[..]))?;
        }
        connection.execute_batch(&format!("PRAGMA user_version = {FORMAT};"))?;
    }
    connection.execute_batch("COMMIT;")?;
    Ok(())
}

/// The salt of places, for a store that was made before there was one.
pub(super) fn add_places(connection: &Connection) -> Result<(), StoreError> {
    if value(connection, PLACES_SALT)?.is_none() {
        connection.execute("INSERT OR IGNORE INTO meta VALUES (?1, ?2)", (PLACES_SALT, &fresh()?[..]))?;
    }
    Ok(())
}

/// Makes this the salt of places.
pub(super) fn set_places(connection: &Connection, salt: &[u8; 32]) -> Result<(), StoreError> {
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (PLACES_SALT, &salt[..]))?;
    Ok(())
}

/// The version of the file's format; 0 for a file without tables.
pub(super) fn format(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses files of others, and stores of other versions.
pub(super) fn check(connection: &Connection, path: &str) -> Result<(), StoreError> {
    if !is_ours(connection)? {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    match format(connection)? {
        FORMAT => Ok(()),
        found => Err(StoreError::Format { path: path.to_owned(), found }),
    }
}

/// Whether the file is marked as a store.
pub(super) fn is_ours(connection: &Connection) -> Result<bool, StoreError> {
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    Ok(application == APPLICATION_ID)
}

/// Whether the file has no tables at all.
pub(super) fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0)
}

/// The secrets of the store.
pub(super) fn secrets(connection: &Connection) -> Result<Secrets, StoreError> {
    Secrets::read(|name| value(connection, name))
}

fn value(connection: &Connection, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()?)
}

/// Replaces a secret; the one before counts until then (milliseconds since 1970).
pub(super) fn rotate(connection: &Connection, name: &str, until: i64) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let replace = || -> Result<(), StoreError> {
        for (name, value) in replaced(&secret(|name| value(connection, name), name)?, name, until)? {
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (name, value))?;
        }
        Ok(())
    };
    let done = replace();
    connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}

/// Deletes previous secrets that have expired.
pub(super) fn forget_expired(connection: &Connection, now: i64) -> Result<(), StoreError> {
    for name in ROTATED_SECRETS {
        if secret(|name| value(connection, name), name)?.previous.is_some_and(|(_, until)| until <= now) {
            connection.execute("DELETE FROM meta WHERE name = ?1", [before_name(name)])?;
        }
    }
    Ok(())
}
