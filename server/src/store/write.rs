//! Transactions: what is written between `begin` and `commit` is there as a whole or not at all.

use rusqlite::Params;

use super::{Displayed, Operation, Store, StoreError};
use crate::ids::UnitHash;

/// An event to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// The experiment's number in the store.
    pub experiment: u32,
    /// The event's number in the log of its experiment.
    pub n: u64,
    /// What kind of event it is.
    pub kind: u8,
    /// The impression that it is about.
    pub impression: Option<u64>,
    /// The event as bytes.
    pub body: &'a [u8],
}

impl Store {
    /// Begins a transaction; until its end nobody else writes.
    ///
    /// # Errors
    /// If another process has written for longer than five seconds, or the store is broken.
    pub fn begin(&self) -> Result<(), StoreError> {
        self.inject(Operation::Begin)?;
        self.run("BEGIN IMMEDIATE", ())
    }

    /// Makes the transaction permanent. When this returns, it is on the disk.
    ///
    /// # Errors
    /// If it could not be written. Whether it is there is then unknown: open the store again and look.
    pub fn commit(&self) -> Result<(), StoreError> {
        self.inject(Operation::Commit)?;
        self.run("COMMIT", ())?;
        self.inject(Operation::Committed)
    }

    /// Names a new experiment, and returns its number.
    ///
    /// # Errors
    /// If there is one of this name, or the store cannot be written.
    pub fn insert_experiment(&self, name: &str) -> Result<u32, StoreError> {
        self.insert("INSERT INTO experiments (name) VALUES (?1)", [name])?;
        u32::try_from(self.connection.last_insert_rowid())
            .map_err(|_| StoreError::Damaged("the numbers of experiments are used up".to_owned()))
    }

    /// Writes an event.
    ///
    /// # Errors
    /// If the number is taken, if the impression was closed before, or the store cannot be written.
    pub fn insert_event(&self, row: &Row<'_>) -> Result<(), StoreError> {
        let impression = row.impression.map(|impression| impression as i64);
        self.insert(
            "INSERT INTO events (experiment, n, kind, impression, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            (row.experiment, row.n as i64, row.kind, impression, row.body),
        )
    }

    /// Writes the documents that an impression mixed, and the hash of the request that brought its lists, if they came later.
    ///
    /// # Errors
    /// If the impression has some, or the store cannot be written.
    pub fn insert_shown(
        &self,
        experiment: u32,
        impression: u64,
        ids: &[String],
        request: Option<u64>,
    ) -> Result<(), StoreError> {
        let ids = serde_json::to_string(ids).map_err(|error| StoreError::Io(error.to_string()))?;
        self.insert(
            "INSERT INTO shown (experiment, impression, ids, request) VALUES (?1, ?2, ?3, ?4)",
            (experiment, impression as i64, ids, request.map(|request| request as i64)),
        )
    }

    /// Writes what the page of an impression displayed.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_displayed(&self, experiment: u32, impression: u64, page: &Displayed) -> Result<(), StoreError> {
        let page = serde_json::to_string(page).map_err(|error| StoreError::Io(error.to_string()))?;
        self.insert(
            "UPDATE shown SET displayed = ?3 WHERE experiment = ?1 AND impression = ?2",
            (experiment, impression as i64, page),
        )
    }

    /// Numbers a unit.
    ///
    /// # Errors
    /// If the unit or the number is there, or the store cannot be written.
    pub fn insert_unit(&self, experiment: u32, number: u64, hash: &UnitHash) -> Result<(), StoreError> {
        self.insert("INSERT INTO units VALUES (?1, ?2, ?3)", (experiment, number as i64, &hash[..]))
    }

    /// Uses a number for a unit that nothing names.
    ///
    /// # Errors
    /// If the number is used, or the store cannot be written.
    pub fn insert_number(&self, experiment: u32, number: u64) -> Result<(), StoreError> {
        self.insert("INSERT INTO units VALUES (?1, ?2, NULL)", (experiment, number as i64))
    }

    /// Forgets a unit: its number stays used, and nothing says whose it was.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_unit(&self, hash: &UnitHash) -> Result<(), StoreError> {
        self.insert("UPDATE units SET hmac = NULL WHERE hmac = ?1", [&hash[..]])
    }

    /// Forgets the documents of an impression.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_shown(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        self.insert("DELETE FROM shown WHERE experiment = ?1 AND impression = ?2", (experiment, impression as i64))
    }

    /// Writes down that a server had the store open at `time` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_alive(&self, time: i64) -> Result<(), StoreError> {
        self.insert("INSERT OR REPLACE INTO meta VALUES ('alive', ?1)", [&time.to_be_bytes()[..]])
    }

    /// Moves all that was written from the log of SQLite to its file, and returns whether that is done: a reader can stand in the
    /// way. No copy of what was deleted is left then.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn checkpoint(&self) -> Result<bool, StoreError> {
        let busy: i64 = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(busy == 0)
    }

    fn insert(&self, sql: &str, values: impl Params) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.run(sql, values)
    }

    fn run(&self, sql: &str, values: impl Params) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}
