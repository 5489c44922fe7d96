//! A store of a format before becomes one of this format, in one transaction, after a backup.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use traffic::{Event, RecordedEvent};

use super::lock::{beside, is_made};
use super::schema::{self, FORMAT, FORMATS_BEFORE};
use super::{SqliteStore, open};
use crate::store::rows::{event_sum, shown_sum, unit_sum};
use crate::store::{Access, StoreError};

/// The tables of format 2: shared by all experiments, no checksums, and marks in the events.
const RENAME_TABLES: &str = "ALTER TABLE experiments RENAME TO experiments_before;
    ALTER TABLE events RENAME TO events_before;
    ALTER TABLE shown RENAME TO shown_before;
    ALTER TABLE units RENAME TO units_before;
    ALTER TABLE keys RENAME TO keys_before;";

/// The rows that are moved unchanged.
const MOVE_ROWS: &str = "INSERT INTO experiments (id, name) SELECT id, name FROM experiments_before;
    INSERT INTO keys (id, role, experiment, label, hash, created, revoked)
        SELECT id, role, experiment, label, hash, created, revoked FROM keys_before;
    DROP TABLE events_before; DROP TABLE shown_before; DROP TABLE units_before;
    DROP TABLE experiments_before; DROP TABLE keys_before;";

/// Moves a store to the format of this build, if it is of one before, and returns the backup that was made of it. The caller
/// holds the store's [lock](super::StoreLock).
///
/// If it is interrupted, the store is either unchanged or complete.
///
/// # Errors
/// If the store cannot be read or written, or the backup cannot be written.
pub fn migrate(path: &Path) -> Result<Option<PathBuf>, StoreError> {
    if !is_made(path) {
        return Ok(None);
    }
    let connection = open::connect(path, Access::Serve, false)?;
    if schema::is_empty(&connection)? || !schema::is_ours(&connection)? {
        return Ok(None);
    }
    let before = schema::format(&connection)?;
    if !FORMATS_BEFORE.contains(&before) {
        return Ok(None);
    }
    let backup = beside(path, &format!(".format-{before}"));
    let store = SqliteStore { connection, path: path.to_owned(), faults: None };
    // A backup of an interrupted attempt is complete.
    if !backup.exists() {
        store.backup(&backup)?;
    }
    let connection = &store.connection;
    // Marks are personal: the pages that held them are overwritten.
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; BEGIN IMMEDIATE;")?;
    // Another process may have been faster.
    let move_result = match schema::format(connection)? {
        2 => Some(from_2(connection)?),
        3 => Some(from_3(connection)?),
        _ => None,
    };
    if move_result.is_some() {
        connection.execute_batch(&format!("PRAGMA user_version = {FORMAT};"))?;
    }
    connection.execute_batch("COMMIT;")?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(Some(backup))
}

fn from_2(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(RENAME_TABLES)?;
    connection.execute_batch(&schema::SHARED_TABLES.replace("CREATE TABLE meta", "CREATE TABLE IF NOT EXISTS meta"))?;
    for id in experiments(connection, "experiments_before")? {
        connection.execute_batch(&schema::tables_of(id))?;
        move_rows(connection, id)?;
    }
    Ok(connection.execute_batch(MOVE_ROWS)?)
}

/// Its snapshots had all units in one row. The next start folds every log once.
fn from_3(connection: &Connection) -> Result<(), StoreError> {
    for id in experiments(connection, "experiments")? {
        connection.execute_batch(&format!("DROP TABLE snapshot_{id}; {}", schema::snapshots_of(id)))?;
    }
    Ok(())
}

fn experiments(connection: &Connection, table: &str) -> Result<Vec<u32>, StoreError> {
    let mut ids = connection.prepare(&format!("SELECT id FROM {table} ORDER BY id"))?;
    Ok(ids.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn move_rows(connection: &Connection, id: u32) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare("SELECT n, kind, impression, body FROM events_before WHERE experiment = ?1 ORDER BY n")?;
    let mut write = connection.prepare(&format!("INSERT INTO events_{id} VALUES (?1, ?2, ?3, ?4, ?5)"))?;
    // Impressions that showed documents.
    let mut impressions_shown: Vec<i64> = Vec::new();
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let (n, kind, impression, body): (i64, u8, Option<i64>, Vec<u8>) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let body = match RecordedEvent::read(body.clone()) {
            Ok(recorded) => {
                if let Event::Asked { receipt: Some(_), .. } | Event::Listed { .. } = recorded.event() {
                    impressions_shown.extend(impression);
                }
                without_marks(recorded)
            }
            // A fold of the log reports it.
            Err(_) => body,
        };
        write.execute(params![n, kind, impression, body, event_sum(id, n, kind, impression, &body)])?;
    }
    let mut statement = connection.prepare(
        "SELECT impression, ids, displayed, request FROM shown_before WHERE experiment = ?1 ORDER BY impression",
    )?;
    let mut write = connection.prepare(&format!("INSERT INTO shown_{id} VALUES (?1, ?2, ?3, ?4, ?5)"))?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let (impression, ids, displayed, request): (i64, String, Option<String>, Option<i64>) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let sum = shown_sum(id, impression as u64, Some(&ids), displayed.as_deref(), request);
        write.execute(params![impression, ids, displayed, request, sum])?;
    }
    // Deleted documents left no row; now they leave an empty one, so that a lost row is noticed.
    let mut write =
        connection.prepare(&format!("INSERT OR IGNORE INTO shown_{id} (impression, sum) VALUES (?1, ?2)"))?;
    for impression in impressions_shown {
        write.execute(params![impression, shown_sum(id, impression as u64, None, None, None)])?;
    }
    let mut statement =
        connection.prepare("SELECT hmac, number FROM units_before WHERE experiment = ?1 AND hmac NOT NULL")?;
    let mut write = connection.prepare(&format!("INSERT INTO units_{id} VALUES (?1, ?2, ?3)"))?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let (hash, number): (Vec<u8>, i64) = (row.get(0)?, row.get(1)?);
        let sum = unit_sum(id, &hash, number);
        write.execute(params![hash, number, sum])?;
    }
    Ok(())
}

/// The bytes of an event without what found its impression again.
fn without_marks(recorded: RecordedEvent) -> Vec<u8> {
    if matches!(recorded.event(), Event::Asked { .. }) {
        return RecordedEvent::of(recorded.into_event()).bytes().to_vec();
    }
    recorded.bytes().to_vec()
}
