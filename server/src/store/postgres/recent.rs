//! A cache of rows written or read a moment ago: clicks come soon after their page, and users come back. The server that leads alone
//! changes them, so the cache equals the database as long as its commits are not refused. A refused or failed commit ends the connection,
//! and the cache with it.

use std::collections::BTreeMap;

use super::pending::{Numbered, Pending};
use crate::ids::UnitHash;
use crate::store::rows::ShownRow;

/// The approximate number of rows kept.
const MOST: usize = 40_000;

/// The cache, in two generations: the older one goes as a whole.
#[derive(Debug, Default)]
pub(super) struct Recent {
    now: Rows,
    before: Rows,
}

#[derive(Debug, Default)]
struct Rows {
    shown: BTreeMap<(u32, u64), ShownRow>,
    units: BTreeMap<(u32, UnitHash), Numbered>,
}

impl Recent {
    pub(super) fn shown(&self, of: (u32, u64)) -> Option<&ShownRow> {
        self.now.shown.get(&of).or_else(|| self.before.shown.get(&of))
    }

    pub(super) fn unit(&self, of: (u32, UnitHash)) -> Option<Numbered> {
        self.now.units.get(&of).or_else(|| self.before.units.get(&of)).copied()
    }

    pub(super) fn keep_unit(&mut self, of: (u32, UnitHash), row: Numbered) {
        self.now.units.insert(of, row);
        self.age();
    }

    /// Begins another generation once this one is large. Rows of both kinds count: returning users are not new rows, but their pages are.
    fn age(&mut self) {
        if self.now.units.len() + self.now.shown.len() >= MOST / 2 {
            self.before = std::mem::take(&mut self.now);
        }
    }

    /// Keeps the rows that are about to be committed.
    pub(super) fn keep(&mut self, pending: &Pending) {
        for (&of, change) in &pending.units {
            self.now.units.remove(&of);
            self.before.units.remove(&of);
            if let Some(row) = change.inserted {
                self.keep_unit(of, row);
            }
        }
        for (&of, (row, is_new)) in &pending.shown {
            self.now.shown.remove(&of);
            self.before.shown.remove(&of);
            // A row that is changed may not be there.
            if *is_new {
                self.now.shown.insert(of, row.clone());
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
        for impression in 0..3 * MOST as u64 {
            let mut pending = Pending::default();
            pending.shown.insert((1, impression), (ShownRow::default(), true));
            recent.keep(&pending);
        }
        let kept = |rows: &Rows| rows.shown.len() + rows.units.len();
        assert!(kept(&recent.now) + kept(&recent.before) <= MOST);
        let last = 3 * MOST as u64 - 1;
        assert!(recent.shown((1, last)).is_some() && recent.shown((1, 0)).is_none());
    }
}
