//! Reads of a store.

use rusqlite::OptionalExtension as _;
use traffic::Marks;

use super::SqliteStore;
use crate::ids::UnitHash;
use crate::store::rows::{
    EventRow, EventsInOrder, MarksRow, ShownDocuments, ShownRow, UnitRow, UnitsInOrder, shown_place, unit_number,
};
use crate::store::{Operation, Problem, StoreError, StoredEvent};

impl SqliteStore {
    /// Begins a transaction that reads.
    pub(in crate::store) fn begin_moment(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    /// Ends it.
    pub(in crate::store) fn end_moment(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("ROLLBACK")?)
    }

    pub(in crate::store) fn experiments(&self) -> Result<Vec<(u32, String)>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT id, name FROM experiments ORDER BY id")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(in crate::store) fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        mut each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inject(Operation::Read)?;
        let mut order = EventsInOrder::new(experiment, after);
        let failed = |order: &EventsInOrder, error| E::from(StoreError::of_row(experiment, order.place(), error));
        let sql = format!("SELECT n, kind, impression, body, sum FROM events_{experiment} WHERE n > ?1 ORDER BY n");
        let mut query = self.connection.prepare_cached(&sql).map_err(|error| failed(&order, error))?;
        let mut rows = query.query([after as i64]).map_err(|error| failed(&order, error))?;
        while let Some(row) = rows.next().map_err(|error| failed(&order, error))? {
            let read = || -> rusqlite::Result<EventRow> {
                let (n, kind, impression) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(EventRow { n, kind, impression, body: row.get(3)?, sum: row.get(4)? })
            };
            let row = read().map_err(|error| failed(&order, error))?;
            each(order.next(row)?)?;
        }
        Ok(())
    }

    pub(in crate::store) fn last_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT max(n) FROM events_{experiment}");
        let read = || self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0));
        let last: Option<i64> =
            read().map_err(|error| StoreError::of_row(experiment, "its last event".to_owned(), error))?;
        Ok(last.unwrap_or(0) as u64)
    }

    pub(in crate::store) fn first_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT min(n) FROM events_{experiment}");
        let read = || self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0));
        let first: Option<i64> =
            read().map_err(|error| StoreError::of_row(experiment, "its first event".to_owned(), error))?;
        Ok(first.unwrap_or(1) as u64)
    }

    pub(in crate::store) fn shown(&self, experiment: u32, impression: u64) -> Result<ShownDocuments, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT ids, displayed, request, sum FROM shown_{experiment} WHERE impression = ?1");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(ShownRow { ids: row.get(0)?, displayed: row.get(1)?, request: row.get(2)?, sum: row.get(3)? })
            };
            query.query_row([impression as i64], row).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, shown_place(impression), error))?;
        row.map_or(Ok(ShownDocuments::Never), |row| row.kept(experiment, impression))
    }

    pub(in crate::store) fn unit(&self, experiment: u32, hash: &UnitHash) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT number, sum FROM units_{experiment} WHERE hash = ?1");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row([&hash[..]], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, "a unit".to_owned(), error))?;
        unit_number(experiment, hash, row)
    }

    pub(in crate::store) fn check_units(
        &self,
        experiment: u32,
        mut each: impl FnMut(UnitRow),
    ) -> Result<u64, StoreError> {
        let place = || UnitsInOrder::PLACE.to_owned();
        self.check_table(experiment, &format!("units_{experiment}"), place())?;
        let sql = format!("SELECT hash, number, sum FROM units_{experiment} ORDER BY hash");
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let mut order = UnitsInOrder::new(experiment);
        let mut max_number = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(Vec<u8>, i64, i64)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?)) };
            let unit = order.next(read().map_err(failed)?)?;
            max_number = max_number.max(unit.number);
            each(unit);
        }
        Ok(max_number)
    }

    pub(in crate::store) fn marks(&self, experiment: u32) -> Result<Vec<(i64, u64, Marks)>, StoreError> {
        let place = || MarksRow::PLACE.to_owned();
        self.check_table(experiment, &format!("marks_{experiment}"), place())?;
        let sql =
            format!("SELECT impression, time, query, key, request, sum FROM marks_{experiment} ORDER BY impression");
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let mut marks = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<MarksRow> {
                let (impression, time) = (row.get(0)?, row.get(1)?);
                Ok(MarksRow { impression, time, hashes: [row.get(2)?, row.get(3)?, row.get(4)?], sum: row.get(5)? })
            };
            marks.push(read().map_err(failed)?.read(experiment)?);
        }
        Ok(marks)
    }

    /// Runs SQLite's check of a table's pages.
    pub(super) fn check_table(&self, experiment: u32, table: &str, place: String) -> Result<(), StoreError> {
        self.inject(Operation::Read)?;
        let read = || -> rusqlite::Result<String> {
            self.connection.query_row(&format!("PRAGMA quick_check({table})"), [], |row| row.get(0))
        };
        match read() {
            Ok(told) if told == "ok" => Ok(()),
            Ok(told) => Err(StoreError::row(experiment, place, told.replace('\n', " "))),
            Err(error) => Err(StoreError::of_row(experiment, place, error)),
        }
    }

    pub(in crate::store) fn alive(&self) -> Result<Option<i64>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT value FROM meta WHERE name = 'alive'")?;
        let value: Option<Vec<u8>> = query.query_row([], |row| row.get(0)).optional()?;
        Ok(value.and_then(|value| value.try_into().ok()).map(i64::from_be_bytes))
    }

    /// Runs SQLite's check of the file. Empty if all is well.
    pub(in crate::store) fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let lines: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").map(|text| Problem { text }).collect())
    }

    /// The impressions that have documents, and the highest impression of the log.
    pub(in crate::store) fn shown_numbers(&self, experiment: u32, place: &str) -> Result<(Vec<u64>, u64), StoreError> {
        let failed = |error| StoreError::of_row(experiment, place.to_owned(), error);
        let sql = format!("SELECT impression FROM shown_{experiment}");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let numbers = query.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        let numbers: Vec<i64> = numbers.map_err(failed)?;
        let sql = format!("SELECT coalesce(max(impression), 0) FROM events_{experiment}");
        let most: i64 = self.connection.query_row(&sql, [], |row| row.get(0)).map_err(failed)?;
        Ok((numbers.into_iter().map(|number| number as u64).collect(), most as u64))
    }
}
