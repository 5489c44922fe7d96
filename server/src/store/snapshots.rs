//! Snapshots, in parts that are written one at a time, and the states of units that they are of; and what a snapshot makes it
//! possible to forget.
//!
//! A snapshot is whole once its head, part 0, is there, which is written last. The state of a unit at a snapshot is its last one
//! up to that snapshot: a unit that did not change has none of its own.

use rusqlite::OptionalExtension as _;
use serde::{Deserialize, Serialize};
use traffic::UnitState;

use super::read::{OTHER_SUM, unit_sum};
use super::sum::{Table, sum};
use super::{Operation, Store, StoreError};
use crate::ids::UnitHash;

/// What is known of a snapshot that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the last event that is in it.
    pub n: u64,
    /// How many parts its bytes have.
    pub parts: u32,
    /// The last day that is closed in it, in days since 1970-01-01.
    pub last_day: Option<i32>,
    /// Impressions before this one are closed in it.
    pub first_open: u64,
}

/// The same, as it is written.
#[derive(Serialize, Deserialize)]
struct Stored {
    parts: u32,
    last_day: Option<i32>,
    first_open: u64,
}

/// A unit that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitRow {
    /// Whose number it is.
    pub hash: UnitHash,
    /// The number.
    pub number: u64,
}

impl Store {
    /// The snapshots of an experiment that are whole, in their order.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn snapshots(&self, experiment: u32) -> Result<Vec<Head>, StoreError> {
        self.heads(experiment).map_err(StoreError::in_snapshot)
    }

    fn heads(&self, experiment: u32) -> Result<Vec<Head>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || "its snapshots".to_owned();
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT n, body, sum FROM snapshots_{experiment} WHERE part = 0 ORDER BY n");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(failed)?;
        let head = |row: rusqlite::Result<(i64, Vec<u8>, i64)>| {
            let (n, body, known) = row.map_err(failed)?;
            let read = (known == part_sum(experiment, n, 0, &body)).then(|| serde_json::from_slice(&body).ok());
            let Stored { parts, last_day, first_open } =
                read.flatten().ok_or_else(|| StoreError::row(experiment, place(), OTHER_SUM.to_owned()))?;
            Ok(Head { n: n as u64, parts, last_day, first_open })
        };
        rows.map(head).collect()
    }

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// If the store cannot be read, or a part is damaged or missing.
    pub fn snapshot(&self, experiment: u32, head: &Head) -> Result<Vec<u8>, StoreError> {
        self.parts(experiment, head).map_err(StoreError::in_snapshot)
    }

    fn parts(&self, experiment: u32, head: &Head) -> Result<Vec<u8>, StoreError> {
        self.inject(Operation::Read)?;
        let n = head.n as i64;
        let place = || format!("its snapshot after event {n}");
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT body, sum FROM snapshots_{experiment} WHERE n = ?1 AND part = ?2");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let mut bytes = Vec::new();
        for part in 1..=i64::from(head.parts) {
            let row: Option<(Vec<u8>, i64)> =
                query.query_row([n, part], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(failed)?;
            match row {
                Some((body, known)) if known == part_sum(experiment, n, part, &body) => bytes.extend(body),
                _ => return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned())),
            }
        }
        Ok(bytes)
    }

    /// The state of a unit at a snapshot; `None` if it had none.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit_state(&self, experiment: u32, number: u64, snapshot: u64) -> Result<Option<UnitState>, StoreError> {
        self.state(experiment, number, snapshot).map_err(StoreError::in_snapshot)
    }

    fn state(&self, experiment: u32, number: u64, snapshot: u64) -> Result<Option<UnitState>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || format!("the state of unit {number}");
        let sql = format!(
            "SELECT n, seen, body, sum FROM states_{experiment} WHERE number = ?1 AND n <= ?2 ORDER BY n DESC LIMIT 1"
        );
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            query.query_row([number as i64, snapshot as i64], row).optional()
        };
        let row: Option<(i64, i32, Vec<u8>, i64)> =
            read().map_err(|error| StoreError::of_row(experiment, place(), error))?;
        match row {
            None => Ok(None),
            Some((n, seen, bytes, known)) if known == state_sum(experiment, number as i64, n, seen, &bytes) => {
                Ok(Some(UnitState { unit: number, seen, bytes }))
            }
            Some(_) => Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned())),
        }
    }

    /// Reads all snapshots and states of an experiment.
    pub(super) fn check_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        for head in self.snapshots(experiment)? {
            self.snapshot(experiment, &head)?;
        }
        let place = || "the states of its units".to_owned();
        self.check_table(experiment, &format!("states_{experiment}"), place())?;
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT number, n, seen, body, sum FROM states_{experiment} ORDER BY number, n");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let mut before = None;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(i64, i64, i32, Vec<u8>, i64)> {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            };
            let (number, n, seen, bytes, known) = read().map_err(failed)?;
            if known != state_sum(experiment, number, n, seen, &bytes) || before >= Some((number, n)) {
                return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
            }
            before = Some((number, n));
        }
        Ok(())
    }

    /// Writes a part of a snapshot after event `n`, from 1.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_part(&self, experiment: u32, n: u64, part: u32, body: &[u8]) -> Result<(), StoreError> {
        let (n, part) = (n as i64, i64::from(part));
        let sum = part_sum(experiment, n, part, body);
        let sql = "INSERT OR REPLACE INTO snapshots_# VALUES (?1, ?2, ?3, ?4)";
        self.insert(experiment, sql, (n, part, body, sum)).map(drop)
    }

    /// Writes its head: from now on it is whole.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_head(&self, experiment: u32, head: Head) -> Result<(), StoreError> {
        let Head { n, parts, last_day, first_open } = head;
        let body = serde_json::to_vec(&Stored { parts, last_day, first_open });
        self.insert_part(experiment, n, 0, &body.map_err(|error| StoreError::Io(error.to_string()))?)
    }

    /// Writes the state of a unit at the snapshot after event `n`. Of its earlier ones, those stay that are needed from the snapshot
    /// `base` on.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_state(&self, experiment: u32, n: u64, state: &UnitState, base: u64) -> Result<(), StoreError> {
        let UnitState { unit, seen, bytes } = state;
        let (number, n, base) = (*unit as i64, n as i64, base as i64);
        let sum = state_sum(experiment, number, n, *seen, bytes);
        let sql = "INSERT OR REPLACE INTO states_# VALUES (?1, ?2, ?3, ?4, ?5)";
        self.insert(experiment, sql, (number, n, seen, bytes, sum))?;
        let needed = "SELECT max(n) FROM states_# WHERE number = ?1 AND n <= ?2";
        let sql = format!("DELETE FROM states_# WHERE number = ?1 AND n < ({needed})");
        self.insert(experiment, &sql, (number, base)).map(drop)
    }

    /// Deletes a part of a snapshot before `base`, its head first; whether there was one.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_part(&self, experiment: u32, base: u64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM snapshots_# WHERE rowid =
            (SELECT rowid FROM snapshots_# WHERE n < ?1 ORDER BY n, part LIMIT 1)";
        self.insert(experiment, sql, [base as i64]).map(|rows| rows > 0)
    }

    /// Deletes some of the events up to number `last`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_events(&self, experiment: u32, last: u64, most: u64) -> Result<bool, StoreError> {
        let until = last.min(self.first_event(experiment)?.saturating_add(most - 1));
        self.insert(experiment, "DELETE FROM events_# WHERE n <= ?1", [until as i64]).map(|rows| rows > 0)
    }

    /// Deletes the documents of some of the impressions before `first`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_shown(&self, experiment: u32, first: u64, most: u64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM shown_# WHERE impression IN
            (SELECT impression FROM shown_# WHERE impression < ?1 ORDER BY impression LIMIT ?2)";
        self.insert(experiment, sql, [first as i64, most as i64]).map(|rows| rows > 0)
    }

    /// The next units in the order of their hashes, after one.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn units_after(&self, experiment: u32, after: &[u8], most: u64) -> Result<Vec<UnitRow>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || "its units".to_owned();
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT hash, number, sum FROM units_{experiment} WHERE hash > ?1 ORDER BY hash LIMIT ?2");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let rows = query.query_map((after, most as i64), row).map_err(failed)?;
        let unit = |row: rusqlite::Result<(UnitHash, i64, i64)>| {
            let (hash, number, known) = row.map_err(failed)?;
            if known != unit_sum(experiment, &hash, number) {
                return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
            }
            Ok(UnitRow { hash, number: number as u64 })
        };
        let units = rows.map(unit).collect::<Result<Vec<UnitRow>, _>>()?;
        if units.is_sorted_by(|one, next| one.hash < next.hash) {
            return Ok(units);
        }
        Err(StoreError::row(experiment, place(), "they are not in their order".to_owned()))
    }

    /// Deletes all snapshots and states of an experiment, if there are any.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn drop_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        for table in ["snapshots", "states"] {
            let failed = |error| StoreError::of_row(experiment, "its snapshots".to_owned(), error);
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table}_{experiment})");
            if self.connection.query_row(&sql, [], |row| row.get(0)).map_err(failed)? {
                self.insert(experiment, &format!("DELETE FROM {table}_#"), ())?;
            }
        }
        Ok(())
    }

    /// Forgets all states of a unit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_states(&self, experiment: u32, number: u64) -> Result<(), StoreError> {
        self.insert(experiment, "DELETE FROM states_# WHERE number = ?1", [number as i64]).map(drop)
    }
}

fn part_sum(experiment: u32, n: i64, part: i64, body: &[u8]) -> i64 {
    sum(Table::Snapshots, experiment, &[n.into(), part.into(), body.into()])
}

fn state_sum(experiment: u32, number: i64, n: i64, seen: i32, body: &[u8]) -> i64 {
    sum(Table::States, experiment, &[number.into(), n.into(), i64::from(seen).into(), body.into()])
}
