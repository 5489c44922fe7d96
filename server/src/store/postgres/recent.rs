//! A cache of rows written or read a moment ago: clicks come soon after their page, and users come back. The server that leads alone
//! changes them, so the cache equals the database as long as its commits are not refused. A refused or failed commit ends the connection,
//! and the cache with it.

use std::collections::BTreeMap;

use super::pending::{Numbered, Pending};
use crate::ids::UnitHash;
use crate::store::rows::ShownRow;

/// The approximate number of rows kept.
const MAX_ROWS: usize = 40_000;

/// The cache, in two generations: the older one goes as a whole.
#[derive(Debug, Default)]
pub(super) struct Recent {
    current: Rows,
    previous: Rows,
}

#[derive(Debug, Default)]
struct Rows {
    shown_rows: BTreeMap<(u32, u64), ShownRow>,
    units: BTreeMap<(u32, UnitHash), Numbered>,
}

impl Recent {
    pub(super) fn shown(&self, of: (u32, u64)) -> Option<&ShownRow> {
        self.current.shown_rows.get(&of).or_else(|| self.previous.shown_rows.get(&of))
    }

    pub(super) fn unit(&self, of: (u32, UnitHash)) -> Option<Numbered> {
        self.current.units.get(&of).or_else(|| self.previous.units.get(&of)).copied()
    }

    pub(super) fn keep_unit(&mut self, of: (u32, UnitHash), row: Numbered) {
        self.current.units.insert(of, row);
        self.age();
    }

    /// Begins another generation once this one is large. Rows of both kinds count: returning users are not new rows, but their pages are.
    fn age(&mut self) {
        if self.current.units.len() + self.current.shown_rows.len() >= MAX_ROWS / 2 {
            self.previous = std::mem::take(&mut self.current);
        }
    }

    /// Keeps the rows that are about to be committed.
    pub(super) fn keep(&mut self, pending: &Pending) {
        for (&of, change) in &pending.units {
            self.current.units.remove(&of);
            self.previous.units.remove(&of);
            if let Some(row) = change.inserted {
                self.keep_unit(of, row);
            }
        }
        for (&of, (row, is_new)) in &pending.shown_rows {
            self.current.shown_rows.remove(&of);
            self.previous.shown_rows.remove(&of);
            // A row that is changed may not be there.
            if *is_new {
                self.current.shown_rows.insert(of, row.clone());
                self.age();
            }
        }
    }

    /// Forgets all: deletions name rows by common values.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server with returning users only sees no new one for years.
    #[test]
    fn pages_of_users_who_come_back_are_forgotten_too() {
        let mut recent = Recent::default();
        recent.keep_unit((1, UnitHash::default()), Numbered::default());
        for impression in 0..3 * MAX_ROWS as u64 {
            let mut pending = Pending::default();
            pending.shown_rows.insert((1, impression), (ShownRow::default(), true));
            recent.keep(&pending);
        }
        let kept = |rows: &Rows| rows.shown_rows.len() + rows.units.len();
        assert!(kept(&recent.current) + kept(&recent.previous) <= MAX_ROWS);
        let last = 3 * MAX_ROWS as u64 - 1;
        assert!(recent.shown((1, last)).is_some() && recent.shown((1, 0)).is_none());
    }
}
