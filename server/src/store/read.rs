//! What a store knows.

use rusqlite::OptionalExtension as _;
use traffic::Marks;

use super::sum::{Column, Table, sum};
use super::{Operation, Store, StoreError, UnitRow};
use crate::ids::UnitHash;

/// What rows with a checksum that is not theirs are called.
pub(super) const OTHER_SUM: &str = "its checksum is another";

/// An event, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number in the log of its experiment, from 1.
    pub n: u64,
    /// What kind of event it is.
    pub kind: u8,
    /// The impression that it is about.
    pub impression: Option<u64>,
    /// The event as bytes.
    pub body: Vec<u8>,
}

/// Documents of an impression, as far as they are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// They are.
    Shown(Shown),
    /// They were deleted with their unit.
    Deleted,
    /// There were never any.
    Never,
}

/// The documents of an impression, from the first place to the last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// What was mixed.
    pub mixed: Vec<String>,
    /// What the page displayed, where that is something else.
    pub displayed: Option<Displayed>,
    /// The hash of the request that brought the lists, if they came later.
    pub request: Option<u64>,
}

/// What a page displayed.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Displayed {
    /// All documents, from the first place to the last.
    pub documents: Vec<String>,
    /// Those that others placed there.
    pub pinned: Vec<String>,
}

impl Shown {
    /// Whether others placed this document on the page.
    #[must_use]
    pub fn is_pinned(&self, document: &str) -> bool {
        self.displayed.as_ref().is_some_and(|page| page.pinned.iter().any(|known| known == document))
    }

    /// The 0-based position in the mixed list of a document that was displayed and is not pinned.
    #[must_use]
    pub fn position_of(&self, document: &str) -> Option<usize> {
        let is_displayed = |page: &Displayed| page.documents.iter().any(|known| known == document);
        if self.is_pinned(document) || !self.displayed.as_ref().is_none_or(is_displayed) {
            return None;
        }
        self.mixed.iter().position(|known| known == document)
    }
}

/// Something in a store that should not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// In one sentence.
    pub text: String,
}

impl Store {
    /// Does something with the store as it is at one moment, whatever a server writes meanwhile.
    ///
    /// # Errors
    /// If the store cannot be read, and those of `what`.
    pub fn at_one_moment<T, E: From<StoreError>>(&self, what: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        let run = |sql: &str| self.connection.execute_batch(sql).map_err(StoreError::from);
        run("BEGIN")?;
        let done = what(self);
        // Nothing was written; where it cannot even be ended, later reads will say so.
        let ended = run("ROLLBACK");
        let value = done?;
        ended?;
        Ok(value)
    }

    /// All experiments: number and name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn experiments(&self) -> Result<Vec<(u32, String)>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT id, name FROM experiments ORDER BY id")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Gives the events of an experiment after number `after` to `each`, in order; those that were forgotten are left out, so that the
    /// first may have any number.
    ///
    /// # Errors
    /// If the store cannot be read, a row is damaged, or a number is missing; and those of `each`.
    pub fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        mut each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inject(Operation::Read)?;
        let mut last = after;
        let mut is_first = true;
        let failed =
            |last: u64, error| E::from(StoreError::of_row(experiment, format!("the event after number {last}"), error));
        let sql = format!("SELECT n, kind, impression, body, sum FROM events_{experiment} WHERE n > ?1 ORDER BY n");
        let mut query = self.connection.prepare_cached(&sql).map_err(|error| failed(last, error))?;
        let mut rows = query.query([last as i64]).map_err(|error| failed(last, error))?;
        while let Some(row) = rows.next().map_err(|error| failed(last, error))? {
            let read = || -> rusqlite::Result<(StoredEvent, bool)> {
                let (n, kind, impression): (i64, u8, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let body: Vec<u8> = row.get(3)?;
                let is_whole = row.get::<_, i64>(4)? == event_sum(experiment, n, kind, impression, &body);
                let impression = impression.map(|impression| impression as u64);
                Ok((StoredEvent { n: n as u64, kind, impression, body }, is_whole))
            };
            let (event, is_whole) = read().map_err(|error| failed(last, error))?;
            last = if std::mem::take(&mut is_first) { event.n } else { last + 1 };
            if event.n != last {
                let what = format!("the next number is {}", event.n);
                return Err(StoreError::row(experiment, format!("event {last}"), what).into());
            }
            if !is_whole {
                return Err(StoreError::row(experiment, format!("event {last}"), OTHER_SUM.to_owned()).into());
            }
            each(event)?;
        }
        Ok(())
    }

    /// The number of an experiment's last event; 0 if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT max(n) FROM events_{experiment}");
        let read = || self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0));
        let last: Option<i64> =
            read().map_err(|error| StoreError::of_row(experiment, "its last event".to_owned(), error))?;
        Ok(last.unwrap_or(0) as u64)
    }

    /// The number of an experiment's first event: 1, unless the beginning was forgotten, or there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn first_event(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        let sql = format!("SELECT min(n) FROM events_{experiment}");
        let read = || self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0));
        let first: Option<i64> =
            read().map_err(|error| StoreError::of_row(experiment, "its first event".to_owned(), error))?;
        Ok(first.unwrap_or(1) as u64)
    }

    /// The documents of an impression.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn shown(&self, experiment: u32, impression: u64) -> Result<Kept, StoreError> {
        self.inject(Operation::Read)?;
        type Row = (Option<String>, Option<String>, Option<i64>, i64);
        let place = || format!("the documents of impression {impression}");
        let sql = format!("SELECT ids, displayed, request, sum FROM shown_{experiment} WHERE impression = ?1");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Row> {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            };
            query.query_row([impression as i64], row).optional()
        };
        let row = read().map_err(|error| StoreError::of_row(experiment, place(), error))?;
        let Some((ids, displayed, request, known)) = row else { return Ok(Kept::Never) };
        if known != shown_sum(experiment, impression, ids.as_deref(), displayed.as_deref(), request) {
            return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
        }
        let Some(ids) = ids else { return Ok(Kept::Deleted) };
        let damaged = |error: serde_json::Error| StoreError::row(experiment, place(), error.to_string());
        Ok(Kept::Shown(Shown {
            mixed: serde_json::from_str(&ids).map_err(damaged)?,
            displayed: displayed.map(|page| serde_json::from_str(&page).map_err(damaged)).transpose()?,
            request: request.map(|request| request as u64),
        }))
    }

    /// The number of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit(&self, experiment: u32, hash: &UnitHash) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        let place = || "a unit".to_owned();
        let sql = format!("SELECT number, sum FROM units_{experiment} WHERE hash = ?1");
        let read = || {
            let mut query = self.connection.prepare_cached(&sql)?;
            query.query_row([&hash[..]], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        let row: Option<(i64, i64)> = read().map_err(|error| StoreError::of_row(experiment, place(), error))?;
        match row {
            Some((number, known)) if known != unit_sum(experiment, hash, number) => {
                Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()))
            }
            found => Ok(found.map(|(number, _)| number as u64)),
        }
    }

    /// Reads all units of an experiment: a unit whose row cannot be found would be somebody else. `each` sees every one; returns the
    /// highest number.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn check_units(&self, experiment: u32, mut each: impl FnMut(UnitRow)) -> Result<u64, StoreError> {
        let place = || "its units".to_owned();
        self.check_table(experiment, &format!("units_{experiment}"), place())?;
        let sql = format!("SELECT hash, number, sum FROM units_{experiment} ORDER BY hash");
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let (mut most, mut before) = (0, None::<Vec<u8>>);
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(Vec<u8>, i64, i64)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?)) };
            let (hash, number, known) = read().map_err(failed)?;
            let is_whole = known == unit_sum(experiment, &hash, number) && before.is_none_or(|before| before < hash);
            let of_unit = UnitHash::try_from(hash.as_slice()).ok().filter(|_| is_whole);
            let of_unit = of_unit.ok_or_else(|| StoreError::row(experiment, place(), OTHER_SUM.to_owned()))?;
            most = most.max(number);
            each(UnitRow { hash: of_unit, number: number as u64 });
            before = Some(hash);
        }
        Ok(most as u64)
    }

    /// All marks of an experiment, in the order of impressions: when it was asked for, its number, and what finds it again.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn marks(&self, experiment: u32) -> Result<Vec<(i64, u64, Marks)>, StoreError> {
        let place = || "the marks of its impressions".to_owned();
        self.check_table(experiment, &format!("marks_{experiment}"), place())?;
        let sql =
            format!("SELECT impression, time, query, key, request, sum FROM marks_{experiment} ORDER BY impression");
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = query.query([]).map_err(failed)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(i64, i64, [Option<i64>; 3], i64)> {
                Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?, row.get(4)?], row.get(5)?))
            };
            let (impression, time, hashes, known) = read().map_err(failed)?;
            if known != marks_sum(experiment, impression, time, hashes) {
                return Err(StoreError::row(experiment, place(), OTHER_SUM.to_owned()));
            }
            let [query, key, request] = hashes.map(|hash| hash.map(|hash| hash as u64));
            all.push((time, impression as u64, Marks { query, key, request }));
        }
        Ok(all)
    }

    /// What SQLite says of a table's pages.
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

    /// When a server last had the store open, in milliseconds since 1970, as far as it was written down.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn alive(&self) -> Result<Option<i64>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT value FROM meta WHERE name = 'alive'")?;
        let value: Option<Vec<u8>> = query.query_row([], |row| row.get(0)).optional()?;
        Ok(value.and_then(|value| value.try_into().ok()).map(i64::from_be_bytes))
    }

    /// What SQLite says of the file, and of what no fold reads: documents, units, marks. Nothing if all is well.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let lines: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut found: Vec<Problem> =
            lines.into_iter().filter(|line| line != "ok").map(|text| Problem { text }).collect();
        for (id, name) in self.experiments()? {
            let checks = [
                self.check_units(id, drop).map(drop),
                self.marks(id).map(drop),
                self.check_shown(id),
                self.check_names(id),
                self.check_snapshots(id),
            ];
            let texts = checks.into_iter().filter_map(Result::err);
            found.extend(texts.map(|error| Problem { text: format!("{name}: {error}") }));
        }
        Ok(found)
    }

    /// Reads the documents of all impressions. None is above the highest of the log.
    fn check_shown(&self, experiment: u32) -> Result<(), StoreError> {
        let place = || "the documents of its impressions".to_owned();
        let failed = |error| StoreError::of_row(experiment, place(), error);
        let sql = format!("SELECT impression FROM shown_{experiment}");
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let numbers: Vec<i64> = query.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(failed)?;
        numbers.iter().try_for_each(|number| self.shown(experiment, *number as u64).map(drop))?;
        let sql = format!("SELECT coalesce(max(impression), 0) FROM events_{experiment}");
        let most: i64 = self.connection.query_row(&sql, [], |row| row.get(0)).map_err(failed)?;
        match numbers.into_iter().max() {
            Some(last) if last > most => {
                let what = format!("impression {last} has some, and the log ends at {most}");
                Err(StoreError::row(experiment, place(), what))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn event_sum(experiment: u32, n: i64, kind: u8, impression: Option<i64>, body: &[u8]) -> i64 {
    sum(Table::Events, experiment, &[n.into(), i64::from(kind).into(), impression.into(), body.into()])
}

pub(super) fn shown_sum(
    experiment: u32,
    impression: u64,
    ids: Option<&str>,
    displayed: Option<&str>,
    request: Option<i64>,
) -> i64 {
    let columns = [(impression as i64).into(), ids.into(), displayed.into(), Column::from(request)];
    sum(Table::Shown, experiment, &columns)
}

pub(super) fn unit_sum(experiment: u32, hash: &[u8], number: i64) -> i64 {
    sum(Table::Units, experiment, &[hash.into(), number.into()])
}

pub(super) fn marks_sum(experiment: u32, impression: i64, time: i64, hashes: [Option<i64>; 3]) -> i64 {
    let [query, key, request] = hashes.map(Column::from);
    sum(Table::Marks, experiment, &[impression.into(), time.into(), query, key, request])
}
