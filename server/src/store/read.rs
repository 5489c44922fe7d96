//! What a store knows.

use rusqlite::OptionalExtension as _;

use super::{Operation, Store, StoreError};
use crate::ids::UnitHash;

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

    /// Gives the events of an experiment after number `after` to `each`, in order.
    ///
    /// # Errors
    /// If the store cannot be read, or a number is missing; and those of `each`.
    pub fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        mut each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(StoreError::from(error));
        self.inject(Operation::Read)?;
        let mut query = self
            .connection
            .prepare_cached("SELECT n, kind, impression, body FROM events WHERE experiment = ?1 AND n > ?2 ORDER BY n")
            .map_err(failed)?;
        let mut rows = query.query((experiment, after as i64)).map_err(failed)?;
        let mut last = after;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<StoredEvent> {
                let (n, impression): (i64, Option<i64>) = (row.get(0)?, row.get(2)?);
                Ok(StoredEvent {
                    n: n as u64,
                    kind: row.get(1)?,
                    impression: impression.map(|impression| impression as u64),
                    body: row.get(3)?,
                })
            };
            let event = read().map_err(failed)?;
            if event.n != last + 1 {
                return Err(StoreError::Damaged(format!(
                    "event {} is missing in the log of experiment {experiment}: the next one is {}; restore the store from a backup",
                    last + 1,
                    event.n
                ))
                .into());
            }
            last = event.n;
            each(event)?;
        }
        Ok(())
    }

    /// The documents of an impression.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn shown(&self, experiment: u32, impression: u64) -> Result<Option<Shown>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self
            .connection
            .prepare_cached("SELECT ids, displayed, request FROM shown WHERE experiment = ?1 AND impression = ?2")?;
        let row = query
            .query_row((experiment, impression as i64), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((ids, displayed, request)): Option<(String, Option<String>, Option<i64>)> = row else {
            return Ok(None);
        };
        let damaged = |_| {
            StoreError::Damaged(format!(
                "the documents of impression {impression} of experiment {experiment} are damaged; restore the store from a backup"
            ))
        };
        Ok(Some(Shown {
            mixed: serde_json::from_str(&ids).map_err(damaged)?,
            displayed: displayed.map(|page| serde_json::from_str(&page).map_err(damaged)).transpose()?,
            request: request.map(|request| request as u64),
        }))
    }

    /// The number of a unit.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unit(&self, hash: &UnitHash) -> Result<Option<u64>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT number FROM units WHERE hmac = ?1")?;
        let number: Option<i64> = query.query_row([&hash[..]], |row| row.get(0)).optional()?;
        Ok(number.map(|number| number as u64))
    }

    /// The highest number of a unit of an experiment, also of those that were deleted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_unit(&self, experiment: u32) -> Result<u64, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached("SELECT max(number) FROM units WHERE experiment = ?1")?;
        let last: Option<i64> = query.query_row([experiment], |row| row.get(0))?;
        Ok(last.unwrap_or(0) as u64)
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

    /// What SQLite and the rules between tables say of the file; nothing if all is well.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let lines: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut found: Vec<Problem> =
            lines.into_iter().filter(|line| line != "ok").map(|text| Problem { text }).collect();
        let rules = [
            (
                "events without an experiment",
                "SELECT count(*) FROM events WHERE experiment NOT IN (SELECT id FROM experiments)",
            ),
            ("documents of impressions without events", ORPHANS),
            (
                "units without an experiment",
                "SELECT count(*) FROM units WHERE experiment NOT IN (SELECT id FROM experiments)",
            ),
        ];
        for (what, rule) in rules {
            let count: i64 = self.connection.query_row(rule, [], |row| row.get(0))?;
            if count > 0 {
                found.push(Problem { text: format!("{count} {what}") });
            }
        }
        Ok(found)
    }
}

/// Numbers of impressions are never above the highest of their log, which is found once.
const ORPHANS: &str = "SELECT count(*) FROM shown LEFT JOIN \
    (SELECT experiment, max(impression) AS most FROM events GROUP BY experiment) AS log USING (experiment) \
    WHERE shown.impression > coalesce(log.most, 0)";
