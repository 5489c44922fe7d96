//! Transactions: the writes between `begin` and `commit` take effect as a whole or not at all.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::{ErrorCode, Params};
use traffic::Marks;

use super::lock::beside;
use super::open::BUSY_TIMEOUT;
use super::{SqliteStore, schema};
use crate::ids::UnitHash;
use crate::store::rows::{MarksRow, NewEvent, ShownRow, StoredPage, event_sum, shown_sum, unit_sum};
use crate::store::{Operation, StoreError};

impl SqliteStore {
    pub(in crate::store) fn begin(&self) -> Result<(), StoreError> {
        self.inject(Operation::Begin)?;
        self.run("BEGIN IMMEDIATE", ())
    }

    pub(in crate::store) fn commit(&self) -> Result<(), StoreError> {
        self.inject(Operation::Commit)?;
        self.run("COMMIT", ())?;
        self.inject(Operation::Committed)
    }

    pub(in crate::store) fn insert_experiment(&self, name: &str, converts: bool) -> Result<u32, StoreError> {
        self.inject(Operation::Insert)?;
        self.run("INSERT INTO experiments (name) VALUES (?1)", [name])?;
        let id = u32::try_from(self.connection.last_insert_rowid())
            .map_err(|_| StoreError::Damaged("the numbers of experiments are used up".to_owned()))?;
        self.connection.execute_batch(&schema::tables_of(id))?;
        if converts {
            self.connection.execute_batch(&schema::conversions_of(id))?;
        }
        Ok(id)
    }

    pub(in crate::store) fn delete_experiment(&self, experiment: u32) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        // Statements that read the tables would stand in the way.
        self.connection.flush_prepared_statement_cache();
        let dropped = schema::drop_of(experiment);
        let failed = |error| StoreError::of_row(experiment, "its tables".to_owned(), error);
        self.connection.execute_batch(&dropped).map_err(failed)?;
        self.run("DELETE FROM experiments WHERE id = ?1", [experiment])
    }

    pub(in crate::store) fn insert_event(&self, row: &NewEvent<'_>) -> Result<(), StoreError> {
        let NewEvent { experiment, n, kind, impression, body } = *row;
        let (n, impression) = (n as i64, impression.map(|impression| impression as i64));
        let sum = event_sum(experiment, n, kind, impression, body);
        self.insert(experiment, "INSERT INTO events_# VALUES (?1, ?2, ?3, ?4, ?5)", (n, kind, impression, body, sum))
            .map(drop)
    }

    pub(in crate::store) fn insert_shown(
        &self,
        experiment: u32,
        impression: u64,
        shown: &StoredPage,
    ) -> Result<(), StoreError> {
        self.write_shown(experiment, "INSERT", impression, shown)
    }

    pub(in crate::store) fn change_shown(
        &self,
        experiment: u32,
        impression: u64,
        shown: &StoredPage,
    ) -> Result<(), StoreError> {
        self.write_shown(experiment, "REPLACE", impression, shown)
    }

    pub(in crate::store) fn forget_shown(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        let sum = shown_sum(experiment, impression, None, None, None);
        let sql = "UPDATE shown_# SET ids = NULL, displayed = NULL, request = NULL, sum = ?2 WHERE impression = ?1";
        self.insert(experiment, sql, (impression as i64, sum)).map(drop)
    }

    fn write_shown(&self, experiment: u32, how: &str, impression: u64, shown: &StoredPage) -> Result<(), StoreError> {
        let ShownRow { ids, displayed, request, sum } = ShownRow::of(experiment, impression, Some(shown))?;
        let sql = format!("{how} INTO shown_# VALUES (?1, ?2, ?3, ?4, ?5)");
        self.insert(experiment, &sql, (impression as i64, ids, displayed, request, sum)).map(drop)
    }

    pub(in crate::store) fn insert_unit(
        &self,
        experiment: u32,
        number: u64,
        hash: &UnitHash,
    ) -> Result<(), StoreError> {
        let sum = unit_sum(experiment, hash, number as i64);
        self.insert(experiment, "INSERT INTO units_# VALUES (?1, ?2, ?3)", (&hash[..], number as i64, sum)).map(drop)
    }

    pub(in crate::store) fn forget_unit(&self, experiment: u32, hash: &UnitHash) -> Result<(), StoreError> {
        self.insert(experiment, "DELETE FROM units_# WHERE hash = ?1", [&hash[..]]).map(drop)
    }

    pub(in crate::store) fn insert_marks(
        &self,
        experiment: u32,
        time: i64,
        impression: u64,
        marks: Marks,
    ) -> Result<(), StoreError> {
        let MarksRow { impression, time, hashes: [query, key, request], sum } =
            MarksRow::of(experiment, time, impression, marks);
        let row = (impression, time, query, key, request, sum);
        self.insert(experiment, "INSERT INTO marks_# VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).map(drop)
    }

    pub(in crate::store) fn forget_marks(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        self.insert(experiment, "DELETE FROM marks_# WHERE impression = ?1", [impression as i64]).map(drop)
    }

    pub(in crate::store) fn forget_marks_until(&self, experiment: u32, last: Option<u64>) -> Result<(), StoreError> {
        let last = last.map_or(i64::MAX, |last| last as i64);
        self.insert(experiment, "DELETE FROM marks_# WHERE impression <= ?1", [last]).map(drop)
    }

    pub(in crate::store) fn set_alive(&self, time: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.run("INSERT OR REPLACE INTO meta VALUES ('alive', ?1)", [&time.to_be_bytes()[..]])
    }

    pub(in crate::store) fn checkpoint(&self) -> Result<bool, StoreError> {
        // First the part that does not hold up the writer, then the small rest.
        self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        self.connection.busy_timeout(Duration::ZERO)?;
        let busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        match busy {
            Ok(busy) => Ok(busy == 0),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(in crate::store) fn rewrite_log(&self) -> Result<(), StoreError> {
        self.begin()?;
        let written = rewrite(&beside(&self.path, "-wal"));
        self.run("ROLLBACK", ())?;
        written.map_err(|error| StoreError::Io(format!("{}-wal cannot be written: {error}", self.path.display())))
    }

    /// Writes into a table of an experiment (its number replaces `#`), and returns the number of changed rows.
    pub(super) fn insert(&self, experiment: u32, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        self.inject(Operation::Insert)?;
        let sql = sql.replace('#', &experiment.to_string());
        let run = || self.connection.prepare_cached(&sql)?.execute(values);
        run().map_err(|error| StoreError::of_row(experiment, "its tables".to_owned(), error))
    }

    fn run(&self, sql: &str, values: impl Params) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

/// Writes a file once more, as it is; nothing if it is not there.
fn rewrite(path: &Path) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mut buffer = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        file.seek(SeekFrom::Start(offset))?;
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return file.sync_all();
        }
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(&buffer[..count])?;
        offset += count as u64;
    }
}
