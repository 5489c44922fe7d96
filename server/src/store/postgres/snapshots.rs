//! Snapshots of folds, the states of units at them, and the deletions that they make possible.

use tokio_postgres::Row;
use traffic::UnitState;

use super::open::PostgresStore;
use super::session::Value;
use crate::store::rows::{SnapshotHead, StateRow, StatesInOrder, part_sum, state_sum};
use crate::store::{Operation, StoreError};

impl PostgresStore {
    pub(in crate::store) fn snapshots(&self, experiment: u32) -> Result<Vec<SnapshotHead>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT n, body, sum FROM snapshots WHERE experiment = $1 AND part = 0 ORDER BY n";
        let rows = self.session.rows(sql, &[&(experiment as i32)])?;
        rows.iter().map(|row| SnapshotHead::read(experiment, (row.get(0), row.get(1), row.get(2)))).collect()
    }

    pub(in crate::store) fn snapshot(&self, experiment: u32, head: &SnapshotHead) -> Result<Vec<u8>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT body, sum FROM snapshots WHERE experiment = $1 AND n = $2 AND part = $3";
        let mut bytes = Vec::new();
        for part in 1..=i64::from(head.parts) {
            let row = self.session.row(sql, &[&(experiment as i32), &(head.n as i64), &part])?;
            bytes.extend(head.part(experiment, part, row.map(|row| (row.get(0), row.get(1))))?);
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
        let sql = "SELECT number, n, seen, body, sum FROM states WHERE experiment = $1 AND number = $2 AND n <= $3
            ORDER BY n DESC LIMIT 1";
        let row = self.session.row(sql, &[&(experiment as i32), &(number as i64), &(snapshot as i64)])?;
        row.map(|row| state(&row).read(experiment)).transpose()
    }

    /// Reads all states of units of an experiment.
    pub(in crate::store) fn check_states(&self, experiment: u32) -> Result<(), StoreError> {
        let (mut number, mut n) = (-1_i64, -1_i64);
        let mut order = StatesInOrder::new(experiment);
        loop {
            let sql = "SELECT number, n, seen, body, sum FROM states WHERE experiment = $1 AND (number, n) > ($2, $3)
                ORDER BY number, n LIMIT 5000";
            let rows = self.session.rows(sql, &[&(experiment as i32), &number, &n])?;
            let Some(last) = rows.last() else { return Ok(()) };
            (number, n) = (last.get(0), last.get(1));
            rows.iter().try_for_each(|row| order.next(&state(row)))?;
        }
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
        let values: [Value; 4] = [Box::new(n), Box::new(part), Box::new(body.to_vec()), Box::new(sum)];
        self.queue_for_experiment(experiment, include_str!("sql/rows/insert_part.sql"), values)
    }

    pub(in crate::store) fn insert_state(
        &self,
        experiment: u32,
        n: u64,
        state: &UnitState,
        base: u64,
    ) -> Result<(), StoreError> {
        let UnitState { unit, last_day: seen, bytes } = state;
        let (number, n, seen) = (*unit as i64, n as i64, *seen);
        let sum = state_sum(experiment, number, n, seen, bytes);
        let row = StateRow { number, n, seen, body: bytes.clone(), sum };
        self.keep(experiment, |pending| pending.states.push((experiment, row, base as i64)))
    }

    pub(in crate::store) fn drop_part(&self, experiment: u32, base: u64) -> Result<bool, StoreError> {
        let sql = "SELECT n, part FROM snapshots WHERE experiment = $1 AND n < $2 ORDER BY n, part LIMIT 1";
        let Some(row) = self.session.row(sql, &[&(experiment as i32), &(base as i64)])? else { return Ok(false) };
        let (n, part): (i64, i64) = (row.get(0), row.get(1));
        let sql = "DELETE FROM snapshots WHERE experiment = $1 AND n = $2 AND part = $3";
        self.queue_for_experiment(experiment, sql, [Box::new(n) as Value, Box::new(part)])?;
        Ok(true)
    }

    pub(in crate::store) fn drop_events(&self, experiment: u32, last: u64, most: u64) -> Result<bool, StoreError> {
        let first = self.first_event(experiment)?;
        let until = last.min(first.saturating_add(most - 1));
        let sql = "DELETE FROM events WHERE experiment = $1 AND n <= $2";
        self.queue_for_experiment(experiment, sql, [Box::new(until as i64) as Value])?;
        Ok(first <= until)
    }

    pub(in crate::store) fn drop_shown(&self, experiment: u32, first: u64, most: u64) -> Result<bool, StoreError> {
        let sql = "SELECT max(impression) FROM (
            SELECT impression FROM shown WHERE experiment = $1 AND impression < $2 ORDER BY impression LIMIT $3
        ) AS first";
        let row = self.session.one(sql, &[&(experiment as i32), &(first as i64), &(most as i64)])?;
        let Some(until) = row.get::<_, Option<i64>>(0) else { return Ok(false) };
        self.recent.borrow_mut().clear();
        let sql = "DELETE FROM shown WHERE experiment = $1 AND impression <= $2";
        self.queue_for_experiment(experiment, sql, [Box::new(until) as Value])?;
        Ok(true)
    }

    pub(in crate::store) fn drop_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM snapshots WHERE experiment = $1)
            OR EXISTS (SELECT 1 FROM states WHERE experiment = $1)";
        if self.session.one(sql, &[&(experiment as i32)])?.get(0) {
            self.queue_for_experiment(experiment, "DELETE FROM snapshots WHERE experiment = $1", [])?;
            self.queue_for_experiment(experiment, "DELETE FROM states WHERE experiment = $1", [])?;
        }
        Ok(())
    }

    pub(in crate::store) fn drop_states(&self, experiment: u32, number: u64) -> Result<(), StoreError> {
        let sql = "DELETE FROM states WHERE experiment = $1 AND number = $2";
        self.queue_for_experiment(experiment, sql, [Box::new(number as i64) as Value])
    }
}

fn state(row: &Row) -> StateRow {
    StateRow { number: row.get(0), n: row.get(1), seen: row.get(2), body: row.get(3), sum: row.get(4) }
}
