//! Reads of a store. A read of one row looks first at the pending writes.

use tokio_postgres::Row;
use traffic::Marks;

use super::open::PostgresStore;
use crate::ids::{NameHash, UnitHash};
use crate::store::rows::{
    ASKED_KIND, EventRow, EventsInOrder, MarksRow, ShownDocuments, ShownRow, UnitRow, UnitsInOrder, asker, check_name,
    name_number, unit_number,
};
use crate::store::{Operation, Problem, StoreError, StoredEvent};

/// The number of rows read at a time: a table may be larger than the memory.
const PAGE_ROWS: i64 = 5_000;

impl PostgresStore {
    /// Begins a transaction that reads.
    pub(in crate::store) fn begin_moment(&self) -> Result<(), StoreError> {
        self.session.batch("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    }

    /// Ends it.
    pub(in crate::store) fn end_moment(&self) -> Result<(), StoreError> {
        self.session.batch("ROLLBACK")
    }

    pub(in crate::store) fn experiments(&self) -> Result<Vec<(u32, String)>, StoreError> {
        self.inject(Operation::Read)?;
        let rows = self.session.rows("SELECT id, name FROM experiments ORDER BY id", &[])?;
        Ok(rows.iter().map(|row| (row.get::<_, i32>(0) as u32, row.get(1))).collect())
    }

    pub(in crate::store) fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        mut each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inject(Operation::Read)?;
        let mut order = EventsInOrder::new(experiment, after);
        loop {
            let sql = "SELECT n, kind, impression, body, sum FROM events WHERE experiment = $1 AND n > $2 ORDER BY n LIMIT $3";
            let rows = self.session.rows(sql, &[&(experiment as i32), &(order.last as i64), &PAGE_ROWS])?;
            let is_last = rows.len() < PAGE_ROWS as usize;
            for row in rows {
                each(order.next(event(&row))?)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    pub(in crate::store) fn last_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        self.of_log(experiment, "SELECT coalesce(max(n), 0) FROM events WHERE experiment = $1")
    }

    pub(in crate::store) fn first_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        self.of_log(experiment, "SELECT coalesce(min(n), 1) FROM events WHERE experiment = $1")
    }

    pub(in crate::store) fn last_change(&self, experiment: u32, after: u64) -> Result<Option<Vec<u8>>, StoreError> {
        // In the words of the index.
        let sql = "SELECT body FROM events WHERE experiment = $1 AND n > $2 AND kind = 10 ORDER BY n DESC LIMIT 1";
        Ok(self.session.row(sql, &[&(experiment as i32), &(after as i64)])?.map(|row| row.get(0)))
    }

    fn of_log(&self, experiment: u32, sql: &str) -> Result<u64, StoreError> {
        Ok(self.session.one(sql, &[&(experiment as i32)])?.get::<_, i64>(0) as u64)
    }

    pub(in crate::store) fn shown(&self, experiment: u32, impression: u64) -> Result<ShownDocuments, StoreError> {
        self.inject(Operation::Read)?;
        let kept = self.pending.borrow().shown_rows.get(&(experiment, impression)).map(|(row, _)| row.clone());
        let kept = kept.or_else(|| self.recent.borrow().shown((experiment, impression)).cloned());
        if let Some(row) = kept {
            return row.kept(experiment, impression);
        }
        let sql = "SELECT ids, displayed, request, sum FROM shown WHERE experiment = $1 AND impression = $2";
        let row = self.session.row(sql, &[&(experiment as i32), &(impression as i64)])?;
        row.map_or(Ok(ShownDocuments::Never), |row| {
            let row = ShownRow { ids: row.get(0), displayed: row.get(1), request: row.get(2), sum: row.get(3) };
            row.kept(experiment, impression)
        })
    }

    pub(in crate::store) fn unit(&self, experiment: u32, hash: &UnitHash) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        if let Some(change) = self.pending.borrow().units.get(&(experiment, *hash)) {
            return Ok(change.inserted.map(|(number, _)| number as u64));
        }
        if let Some((number, _)) = self.recent.borrow().unit((experiment, *hash)) {
            return Ok(Some(number as u64));
        }
        let sql = "SELECT number, sum FROM units WHERE experiment = $1 AND hash = $2";
        let row = self.session.row(sql, &[&(experiment as i32), &&hash[..]])?;
        let row = row.map(|row| (row.get(0), row.get(1)));
        let number = unit_number(experiment, hash, row)?;
        if let Some(row) = row.filter(|_| self.epoch.get().is_some()) {
            self.recent.borrow_mut().keep_unit((experiment, *hash), row);
        }
        Ok(number)
    }

    pub(in crate::store) fn check_units(
        &self,
        experiment: u32,
        mut each: impl FnMut(UnitRow),
    ) -> Result<u64, StoreError> {
        let (mut max_number, mut after) = (0, Vec::new());
        loop {
            let units = self.units_after(experiment, &after, PAGE_ROWS as u64)?;
            let Some(last) = units.last() else { return Ok(max_number) };
            after = last.hash.to_vec();
            for unit in units {
                max_number = max_number.max(unit.number);
                each(unit);
            }
        }
    }

    pub(in crate::store) fn units_after(
        &self,
        experiment: u32,
        after: &[u8],
        most: u64,
    ) -> Result<Vec<UnitRow>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT hash, number, sum FROM units WHERE experiment = $1 AND hash > $2 ORDER BY hash LIMIT $3";
        let rows = self.session.rows(sql, &[&(experiment as i32), &after, &(most as i64)])?;
        let mut order = UnitsInOrder::new(experiment);
        rows.iter().map(|row| order.next((row.get(0), row.get(1), row.get(2)))).collect()
    }

    pub(in crate::store) fn marks(&self, experiment: u32) -> Result<Vec<(i64, u64, Marks)>, StoreError> {
        self.inject(Operation::Read)?;
        let sql =
            "SELECT impression, time, query, key, request, sum FROM marks WHERE experiment = $1 ORDER BY impression";
        let rows = self.session.rows(sql, &[&(experiment as i32)])?;
        let read = |row: &Row| {
            let (impression, time) = (row.get(0), row.get(1));
            MarksRow { impression, time, hashes: [row.get(2), row.get(3), row.get(4)], sum: row.get(5) }
                .read(experiment)
        };
        rows.iter().map(read).collect()
    }

    pub(in crate::store) fn alive(&self) -> Result<Option<i64>, StoreError> {
        self.inject(Operation::Read)?;
        Ok(self.meta("alive")?.and_then(|value| value.try_into().ok()).map(i64::from_be_bytes))
    }

    pub(in crate::store) fn name(
        &self,
        experiment: u32,
        unit: u64,
        hash: &NameHash,
    ) -> Result<Option<u32>, StoreError> {
        self.inject(Operation::Read)?;
        if let Some((number, _)) = self.pending.borrow().names.get(&(experiment, unit, *hash)) {
            return Ok(Some(*number as u32));
        }
        let sql = "SELECT number, sum FROM converted WHERE experiment = $1 AND unit = $2 AND hash = $3";
        let row = self.session.row(sql, &[&(experiment as i32), &(unit as i64), &&hash[..]])?;
        name_number(experiment, unit, hash, row.map(|row| (row.get(0), row.get(1))))
    }

    pub(in crate::store) fn last_name(&self, experiment: u32, unit: u64) -> Result<u32, StoreError> {
        self.inject(Operation::Read)?;
        let pending = self.pending.borrow();
        let of_unit = pending.names.range((experiment, unit, [0; 16])..=(experiment, unit, [u8::MAX; 16]));
        let kept = of_unit.map(|(_, (number, _))| *number as u32).max();
        let sql = "SELECT coalesce(max(number), 0) FROM converted WHERE experiment = $1 AND unit = $2";
        let row = self.session.one(sql, &[&(experiment as i32), &(unit as i64)])?;
        Ok((row.get::<_, i64>(0) as u32).max(kept.unwrap_or(0)))
    }

    pub(in crate::store) fn check_names(&self, experiment: u32) -> Result<(), StoreError> {
        let (mut unit, mut hash) = (-1_i64, Vec::<u8>::new());
        loop {
            let sql = "SELECT unit, hash, number, sum FROM converted WHERE experiment = $1 AND (unit, hash) > ($2, $3)
                ORDER BY unit, hash LIMIT $4";
            let rows = self.session.rows(sql, &[&(experiment as i32), &unit, &hash, &PAGE_ROWS])?;
            let Some(last) = rows.last() else { return Ok(()) };
            (unit, hash) = (last.get(0), last.get(1));
            for row in &rows {
                check_name(experiment, (row.get(0), row.get(1), row.get(2), row.get(3)))?;
            }
        }
    }

    pub(in crate::store) fn unit_that_asked(
        &self,
        experiment: u32,
        impression: u64,
    ) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        // In the words of the index.
        let sql = format!(
            "SELECT n, body, sum FROM events WHERE experiment = $1 AND impression = $2 AND kind = {ASKED_KIND}"
        );
        let row = self.session.row(&sql, &[&(experiment as i32), &(impression as i64)])?;
        row.map(|row| asker(experiment, impression, (row.get(0), row.get(1), row.get(2)))).transpose()
    }

    /// Logs that are shorter than their acknowledged part.
    pub(in crate::store) fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.inject(Operation::Read)?;
        let rows = self.session.rows(include_str!("sql/shorter.sql"), &[])?;
        let problem = |row: &Row| {
            let (name, head, last): (String, Option<i64>, i64) = (row.get(0), row.get(1), row.get(2));
            let head = head.map_or_else(|| "nothing says where it ends".to_owned(), |n| format!("it had {n} events"));
            Problem { text: format!("{name}: the log ends at event {last}, and {head}") }
        };
        Ok(rows.iter().map(problem).collect())
    }

    /// The impressions that have documents, and the highest impression of the log.
    pub(in crate::store) fn shown_numbers(&self, experiment: u32, _: &str) -> Result<(Vec<u64>, u64), StoreError> {
        let rows = self.session.rows("SELECT impression FROM shown WHERE experiment = $1", &[&(experiment as i32)])?;
        let numbers = rows.iter().map(|row| row.get::<_, i64>(0) as u64).collect();
        let most = self.of_log(experiment, "SELECT coalesce(max(impression), 0) FROM events WHERE experiment = $1")?;
        Ok((numbers, most))
    }
}

fn event(row: &Row) -> EventRow {
    let kind = u8::try_from(row.get::<_, i16>(1)).unwrap_or(u8::MAX);
    EventRow { n: row.get(0), kind, impression: row.get(2), body: row.get(3), sum: row.get(4) }
}
