//! What orders and documents of conversions are called, for each unit: the log has numbers, so that it never says who ordered what. A unit
//! that is deleted takes its names along.

use rusqlite::OptionalExtension as _;
use traffic::{Event, Recorded};

use super::read::{OTHER_SUM, event_sum};
use super::sum::{Table, sum};
use super::{Operation, Store, StoreError};
use crate::ids::NameHash;

/// The kind of the events that ask for an impression.
pub(crate) const ASKED: u8 = 3;

impl Store {
    /// The number of a name of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn name(&self, experiment: u32, unit: u64, hash: &NameHash) -> Result<Option<u32>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || format!("a name of unit {unit}");
        let sql = format!("SELECT number, sum FROM converted_{experiment} WHERE unit = ?1 AND hash = ?2");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row((unit as i64, &hash[..]), |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        let row: Option<(i64, i64)> = read().map_err(|error| StoreError::of_row(experiment, place(), error))?;
        match row {
            Some((number, known)) if known != name_sum(experiment, unit, hash, number) => {
                Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()))
            }
            found => Ok(found.map(|(number, _)| number as u32)),
        }
    }

    /// The highest number of a name of a unit; 0 if it has none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_name(&self, experiment: u32, unit: u64) -> Result<u32, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT coalesce(max(number), 0) FROM converted_{experiment} WHERE unit = ?1");
        let read = || self.connection.prepare_cached(&sql)?.query_row([unit as i64], |row| row.get(0));
        read().map_err(|error| StoreError::of_row(experiment, format!("the names of unit {unit}"), error))
    }

    /// Numbers a name of a unit.
    ///
    /// # Errors
    /// If the name is there, or the store cannot be written.
    pub fn insert_name(&self, experiment: u32, unit: u64, hash: &NameHash, number: u32) -> Result<(), StoreError> {
        let sum = name_sum(experiment, unit, hash, number.into());
        let row = (unit as i64, &hash[..], number, sum);
        self.insert(experiment, "INSERT INTO converted_# VALUES (?1, ?2, ?3, ?4)", row).map(drop)
    }

    /// Forgets what a unit's orders and documents are called, if the experiment has such names.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn forget_names(&self, experiment: u32, unit: u64) -> Result<(), StoreError> {
        if self.has_names(experiment)? {
            self.insert(experiment, "DELETE FROM converted_# WHERE unit = ?1", [unit as i64])?;
        }
        Ok(())
    }

    fn has_names(&self, experiment: u32) -> Result<bool, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let name = format!("converted_{experiment}");
        Ok(self.connection.query_row(sql, [name], |row| row.get::<_, i64>(0))? > 0)
    }

    /// Reads all names of an experiment, if it has such names.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub(super) fn check_names(&self, experiment: u32) -> Result<(), StoreError> {
        if !self.has_names(experiment)? {
            return Ok(());
        }
        let place = || "the names of its orders".to_owned();
        self.check_table(experiment, &format!("converted_{experiment}"), place())?;
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT unit, hash, number, sum FROM converted_{experiment}");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(i64, Vec<u8>, i64, i64)> {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            };
            let (unit, hash, number, known) = read().map_err(failed)?;
            if known != name_sum(experiment, unit as u64, &hash, number) {
                return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
            }
        }
        Ok(())
    }

    /// The unit that asked for an impression of an experiment in which conversions count; `None` if that is forgotten.
    ///
    /// # Errors
    /// If the store cannot be read, or the event is damaged.
    pub fn unit_that_asked(&self, experiment: u32, impression: u64) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || format!("the event that asked for impression {impression}");
        // In the words of the index.
        let sql = format!("SELECT n, body, sum FROM events_{experiment} WHERE impression = ?1 AND kind = {ASKED}");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row([impression as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        };
        let row: Option<(i64, Vec<u8>, i64)> =
            read().map_err(|error| StoreError::of_row(experiment, place(), error))?;
        let Some((n, body, known)) = row else { return Ok(None) };
        if known != event_sum(experiment, n, ASKED, Some(impression as i64), &body) {
            return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
        }
        match Recorded::read(body).map(Recorded::into_event) {
            Ok(Event::Asked { unit, .. }) => Ok(Some(unit)),
            Ok(_) => Err(StoreError::row(experiment, place(), "it is another event".to_owned())),
            Err(error) => Err(StoreError::row(experiment, place(), error.to_string())),
        }
    }
}

fn name_sum(experiment: u32, unit: u64, hash: &[u8], number: i64) -> i64 {
    sum(Table::Converted, experiment, &[(unit as i64).into(), hash.into(), number.into()])
}
