//! Snapshots of folds, and the states of units at them.

use rusqlite::OptionalExtension as _;
use traffic::UnitState;

use super::SqliteStore;
use crate::store::rows::{SnapshotHead, StateRow, StatesInOrder, UnitRow, UnitsInOrder, part_sum, state_sum};
use crate::store::{Operation, StoreError};

impl SqliteStore {
    pub(in crate::store) fn snapshots(&self, experiment: u32) -> Result<Vec<SnapshotHead>, StoreError> {
        self.inject(Operation::Read)?;
        let failed = |error| StoreError::of_row(experiment, SnapshotHead::PLACE.to_owned(), error);
        let sql = format!("SELECT n, body, sum FROM snapshots_{experiment} WHERE part = 0 ORDER BY n");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(failed)?;
        rows.map(|row| SnapshotHead::read(experiment, row.map_err(failed)?)).collect()
    }

    pub(in crate::store) fn snapshot(&self, experiment: u32, head: &SnapshotHead) -> Result<Vec<u8>, StoreError> {
        self.inject(Operation::Read)?;
        let failed = |error| StoreError::of_row(experiment, head.place(), error);
        let sql = format!("SELECT body, sum FROM snapshots_{experiment} WHERE n = ?1 AND part = ?2");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let mut bytes = Vec::new();
        for part in 1..=i64::from(head.parts) {
            let row = query.query_row([head.n as i64, part], |row| Ok((row.get(0)?, row.get(1)?)));
            bytes.extend(head.part(experiment, part, row.optional().map_err(failed)?)?);
        }
        Ok(bytes)
    }

    pub(in crate::store) fn unit_state(
        &self,
        experiment: u32,
        number: u64,
        snapshot: u64,
    ) -> Result<Option<UnitState>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!(
            "SELECT number, n, seen, body, sum FROM states_{experiment} WHERE number = ?1 AND n <= ?2 ORDER BY n DESC LIMIT 1"
        );
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row([number as i64, snapshot as i64], state_row).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, StateRow::place(number), error))?;
        row.map(|row| row.read(experiment)).transpose()
    }

    /// Reads all states of units of an experiment.
    pub(in crate::store) fn check_states(&self, experiment: u32) -> Result<(), StoreError> {
        let place = || StatesInOrder::PLACE.to_owned();
        self.check_table(experiment, &format!("states_{experiment}"), place())?;
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT number, n, seen, body, sum FROM states_{experiment} ORDER BY number, n");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let mut order = StatesInOrder::new(experiment);
        while let Some(row) = rows.next().map_err(failed)? {
            order.next(&state_row(row).map_err(failed)?)?;
        }
        Ok(())
    }

    pub(in crate::store) fn insert_part(
        &self,
        experiment: u32,
        n: u64,
        part: u32,
        body: &[u8],
    ) -> Result<(), StoreError> {
        let (n, part) = (n as i64, i64::from(part));
        let sum = part_sum(experiment, n, part, body);
        let sql = "INSERT OR REPLACE INTO snapshots_# VALUES (?1, ?2, ?3, ?4)";
        self.insert(experiment, sql, (n, part, body, sum)).map(drop)
    }

    pub(in crate::store) fn insert_state(
        &self,
        experiment: u32,
        n: u64,
        state: &UnitState,
        base: u64,
    ) -> Result<(), StoreError> {
        let UnitState { unit, last_day: seen, bytes } = state;
        let (number, n, base) = (*unit as i64, n as i64, base as i64);
        let sum = state_sum(experiment, number, n, *seen, bytes);
        let sql = "INSERT OR REPLACE INTO states_# VALUES (?1, ?2, ?3, ?4, ?5)";
        self.insert(experiment, sql, (number, n, seen, bytes, sum))?;
        let needed = "SELECT max(n) FROM states_# WHERE number = ?1 AND n <= ?2";
        let sql = format!("DELETE FROM states_# WHERE number = ?1 AND n < ({needed})");
        self.insert(experiment, &sql, (number, base)).map(drop)
    }

    pub(in crate::store) fn drop_part(&self, experiment: u32, base: u64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM snapshots_# WHERE rowid =
            (SELECT rowid FROM snapshots_# WHERE n < ?1 ORDER BY n, part LIMIT 1)";
        self.insert(experiment, sql, [base as i64]).map(|rows| rows > 0)
    }

    pub(in crate::store) fn drop_events(&self, experiment: u32, last: u64, most: u64) -> Result<bool, StoreError> {
        let until = last.min(self.first_event(experiment)?.saturating_add(most - 1));
        self.insert(experiment, "DELETE FROM events_# WHERE n <= ?1", [until as i64]).map(|rows| rows > 0)
    }

    pub(in crate::store) fn drop_shown(&self, experiment: u32, first: u64, most: u64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM shown_# WHERE impression IN
            (SELECT impression FROM shown_# WHERE impression < ?1 ORDER BY impression LIMIT ?2)";
        self.insert(experiment, sql, [first as i64, most as i64]).map(|rows| rows > 0)
    }

    pub(in crate::store) fn units_after(
        &self,
        experiment: u32,
        after: &[u8],
        max_units: u64,
    ) -> Result<Vec<UnitRow>, StoreError> {
        self.inject(Operation::Read)?;
        let failed = |error| StoreError::of_row(experiment, UnitsInOrder::PLACE.to_owned(), error);
        let sql = format!("SELECT hash, number, sum FROM units_{experiment} WHERE hash > ?1 ORDER BY hash LIMIT ?2");
        let mut query = self.connection.prepare_cached(&sql).map_err(failed)?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let rows = query.query_map((after, max_units as i64), row).map_err(failed)?;
        let mut order = UnitsInOrder::new(experiment);
        rows.map(|row| order.next(row.map_err(failed)?)).collect()
    }

    pub(in crate::store) fn drop_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        for table in ["snapshots", "states"] {
            let failed = |error| StoreError::of_row(experiment, "its snapshots".to_owned(), error);
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table}_{experiment})");
            if self.connection.query_row(&sql, [], |row| row.get(0)).map_err(failed)? {
                self.insert(experiment, &format!("DELETE FROM {table}_#"), ())?;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn drop_states(&self, experiment: u32, number: u64) -> Result<(), StoreError> {
        self.insert(experiment, "DELETE FROM states_# WHERE number = ?1", [number as i64]).map(drop)
    }
}

fn state_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<StateRow> {
    Ok(StateRow { number: row.get(0)?, n: row.get(1)?, seen: row.get(2)?, body: row.get(3)?, sum: row.get(4)? })
}
