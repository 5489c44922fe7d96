//! The names of orders and documents of conversions.

use rusqlite::OptionalExtension as _;

use super::SqliteStore;
use crate::ids::NameHash;
use crate::store::rows::{ASKED_KIND, NAMES_PLACE, asker, asker_place, check_name, name_number, name_place, name_sum};
use crate::store::{Operation, StoreError};

impl SqliteStore {
    pub(in crate::store) fn name(
        &self,
        experiment: u32,
        unit: u64,
        hash: &NameHash,
    ) -> Result<Option<u32>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT number, sum FROM converted_{experiment} WHERE unit = ?1 AND hash = ?2");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row((unit as i64, &hash[..]), |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, name_place(unit), error))?;
        name_number(experiment, unit, hash, row)
    }

    pub(in crate::store) fn last_name(&self, experiment: u32, unit: u64) -> Result<u32, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT coalesce(max(number), 0) FROM converted_{experiment} WHERE unit = ?1");
        let read = || self.connection.prepare_cached(&sql)?.query_row([unit as i64], |row| row.get(0));
        read().map_err(|error| StoreError::of_row(experiment, format!("the names of unit {unit}"), error))
    }

    pub(in crate::store) fn insert_name(
        &self,
        experiment: u32,
        unit: u64,
        hash: &NameHash,
        number: u32,
    ) -> Result<(), StoreError> {
        let sum = name_sum(experiment, unit, hash, number.into());
        let row = (unit as i64, &hash[..], number, sum);
        self.insert(experiment, "INSERT INTO converted_# VALUES (?1, ?2, ?3, ?4)", row).map(drop)
    }

    pub(in crate::store) fn forget_names(&self, experiment: u32, unit: u64) -> Result<(), StoreError> {
        if self.has_names(experiment)? {
            self.insert(experiment, "DELETE FROM converted_# WHERE unit = ?1", [unit as i64])?;
        }
        Ok(())
    }

    pub(super) fn has_names(&self, experiment: u32) -> Result<bool, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let name = format!("converted_{experiment}");
        Ok(self.connection.query_row(sql, [name], |row| row.get::<_, i64>(0))? > 0)
    }

    /// Reads all names of an experiment, if it has such names.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub(in crate::store) fn check_names(&self, experiment: u32) -> Result<(), StoreError> {
        if !self.has_names(experiment)? {
            return Ok(());
        }
        let place = || NAMES_PLACE.to_owned();
        self.check_table(experiment, &format!("converted_{experiment}"), place())?;
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT unit, hash, number, sum FROM converted_{experiment}");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(i64, Vec<u8>, i64, i64)> {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            };
            check_name(experiment, read().map_err(failed)?)?;
        }
        Ok(())
    }

    pub(in crate::store) fn unit_that_asked(
        &self,
        experiment: u32,
        impression: u64,
    ) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        // In the words of the index.
        let sql = format!("SELECT n, body, sum FROM events_{experiment} WHERE impression = ?1 AND kind = {ASKED_KIND}");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row([impression as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, asker_place(impression), error))?;
        row.map(|row| asker(experiment, impression, row)).transpose()
    }
}
