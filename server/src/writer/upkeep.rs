//! Background work in small steps beside jobs: snapshots, and the deletions that they make possible.
//!
//! A day that closes begins a snapshot: the fold's state as bytes, and the units that changed. Every transaction writes a slice of it, so
//! that none takes long; when all of it is there, its head makes it whole. A process that ends earlier starts from the snapshot before and
//! folds a little more. With `retain`, days are forgotten then: an event records it, and later slices delete.

use std::collections::VecDeque;

use traffic::{Experiment, Snapshot, SnapshotError};

use super::Held;
use crate::ids::UnitHash;
use crate::store::{Head, Store, StoreError};

/// States of units written per slice.
const STATES: usize = 400;
/// Bytes of a snapshot written per slice.
const PART: usize = 1 << 18;
/// Rows deleted per slice.
const ROWS: u64 = 1_000;
/// Units checked per slice.
const CHECKED: u64 = 5_000;

/// The remaining work for an experiment.
#[derive(Debug, Default)]
pub(super) struct Upkeep {
    /// The snapshots that are whole, in their order.
    heads: Vec<Head>,
    /// The one that is being written.
    begun: Option<SnapshotInProgress>,
    /// Whether another day has closed since that one began.
    is_behind: bool,
    /// The deletion in progress, one kind after the other.
    deleting: Option<Deleting>,
    /// The last day that was not kept when units were looked at last.
    swept: Option<i32>,
    /// Units after this one were not checked since the start.
    unchecked: Option<UnitHash>,
}

#[derive(Debug)]
struct SnapshotInProgress {
    head: Head,
    parts: VecDeque<Vec<u8>>,
}

/// The position of a deletion.
#[derive(Debug, Clone, Copy)]
enum Deleting {
    /// Snapshots that no start needs.
    Snapshots,
    Events,
    Documents,
    /// Units after this one.
    Units(UnitHash),
}

/// The result of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slice {
    /// There was nothing to do.
    Nothing,
    /// Something was read.
    Read,
    /// Something was done.
    Done,
    /// The same, and everything that had to be deleted is gone: no copy of it may stay.
    Erased,
}

impl Upkeep {
    /// The upkeep of an experiment with these snapshots; its units may still have to be checked.
    pub(super) fn of(heads: Vec<Head>, is_checked_later: bool) -> Self {
        // A process may have ended in the middle of it.
        let deleting = (!heads.is_empty()).then_some(Deleting::Snapshots);
        Self { heads, deleting, unchecked: is_checked_later.then_some([0; 16]), ..Self::default() }
    }

    /// The snapshot by which units that are not in memory are read.
    pub(super) fn states_at(&self) -> u64 {
        let begun = self.begun.as_ref().map(|begun| &begun.head);
        begun.or(self.heads.last()).map_or(0, |head| head.n)
    }

    /// A day has closed: another snapshot is needed.
    pub(super) fn day_closed(&mut self) {
        self.is_behind = true;
    }

    /// Whether there is something to do.
    pub(super) fn is_due(&self) -> bool {
        self.is_writing() || self.unchecked.is_some()
    }

    /// Whether something must be written or deleted.
    pub(super) fn is_writing(&self) -> bool {
        self.begun.is_some() || self.deleting.is_some()
    }

    /// The first snapshot that is needed: the last one, or the one from which the log is kept.
    fn base(&self, experiment: &Experiment) -> u64 {
        let last = self.heads.last().map_or(0, |head| head.n);
        if experiment.config().retain.is_some() { experiment.forgotten().events.min(last) } else { last }
    }
}

/// The reasons why a unit cannot be fetched.
pub(super) enum FetchError {
    Store(StoreError),
    State(SnapshotError),
}

impl From<StoreError> for FetchError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SnapshotError> for FetchError {
    fn from(error: SnapshotError) -> Self {
        Self::State(error)
    }
}

/// Makes sure that a unit is in memory, as it was at a snapshot.
pub(super) fn fetch(
    store: &Store,
    id: u32,
    experiment: &mut Experiment,
    unit: u64,
    snapshot: u64,
) -> Result<(), StoreError> {
    let damaged =
        |what: String| StoreError::Snapshot { experiment: id, place: format!("the state of unit {unit}"), what };
    // A unit with a number has asked for an impression.
    let stored = |unit| match store.unit_state(id, unit, snapshot)? {
        Some(state) => Ok(Some(state.bytes)),
        None => Err(FetchError::Store(damaged("it is not there".to_owned()))),
    };
    experiment.fetch(unit, stored).map_err(|error| match error {
        FetchError::Store(error) => error,
        FetchError::State(error) => damaged(error.to_string()),
    })
}

impl Held {
    /// Begins a snapshot if one is needed, after the one that is being written. The events of the experiment were taken and written.
    pub(super) fn begin_snapshot(&mut self) {
        // An experiment that is over has forgotten its units: those of an unfinished snapshot cannot be written any more, and need not be.
        let has_no_units = self.experiment.state().is_over() && self.experiment.units_here() == 0;
        if !self.upkeep.is_behind || (self.upkeep.begun.is_some() && !has_no_units) {
            return;
        }
        self.upkeep.is_behind = false;
        let Snapshot { events, last_day, first_open, bytes } = self.experiment.snapshot();
        self.experiment.freeze_units();
        let parts: VecDeque<Vec<u8>> = bytes.chunks(PART).map(<[u8]>::to_vec).collect();
        let head = Head { n: events, parts: parts.len() as u32, last_day, first_open };
        self.upkeep.begun = Some(SnapshotInProgress { head, parts });
    }

    /// Begins one if a day has closed since the last one: a process ended before its snapshot was complete.
    pub(super) fn catch_up(&mut self) {
        self.upkeep.is_behind = self.experiment.last_day() > self.upkeep.heads.last().and_then(|head| head.last_day);
        self.begin_snapshot();
    }

    /// Does a little of the remaining work; its events are still to be written.
    pub(super) fn slice(&mut self, store: &Store, id: u32, now: i64) -> Result<Slice, StoreError> {
        if let Some(SnapshotInProgress { head, parts }) = &mut self.upkeep.begun {
            let head = *head;
            if self.experiment.has_states_to_write() {
                let base = self.upkeep.base(&self.experiment);
                for state in self.experiment.next_states(STATES) {
                    store.insert_state(id, head.n, &state, base)?;
                }
            } else if let Some(part) = parts.pop_front() {
                store.insert_part(id, head.n, head.parts - parts.len() as u32, &part)?;
            } else {
                store.insert_head(id, head)?;
                self.upkeep.begun = None;
                self.upkeep.heads.push(head);
                self.forget_days(now);
                self.upkeep.deleting = Some(Deleting::Snapshots);
            }
            return Ok(Slice::Done);
        }
        match self.upkeep.deleting {
            Some(deleting) => self.delete(store, id, deleting, now),
            None => self.check_units(store, id),
        }
    }

    /// Checks some units: one with a lost row would count as a new one.
    fn check_units(&mut self, store: &Store, id: u32) -> Result<Slice, StoreError> {
        let Some(after) = self.upkeep.unchecked else { return Ok(Slice::Nothing) };
        self.upkeep.unchecked = store.units_after(id, &after, CHECKED)?.last().map(|unit| unit.hash);
        Ok(Slice::Read)
    }

    /// From here on, the days that `retain` no longer keeps are forgotten, as far as a snapshot has their effects. Once a day, units that
    /// did not come back are deleted too.
    pub(super) fn forget_days(&mut self, now: i64) {
        let Some(last) = self.experiment.forgettable(now) else { return };
        let is_past = |head: &&Head| head.last_day.is_some_and(|day| day <= last);
        let before = self.experiment.forgotten().events;
        if let Some(Head { n, last_day: Some(day), .. }) = self.upkeep.heads.iter().rev().find(is_past) {
            self.experiment.forget(now, day + 1, *n);
        }
        if self.experiment.forgotten().events > before {
            self.upkeep.deleting = Some(Deleting::Snapshots);
        } else if self.upkeep.deleting.is_none() && before > 0 && self.upkeep.swept < Some(last) {
            self.upkeep.deleting = Some(Deleting::Units([0; 16]));
        }
    }

    fn delete(&mut self, store: &Store, id: u32, deleting: Deleting, now: i64) -> Result<Slice, StoreError> {
        let base = self.upkeep.base(&self.experiment);
        let forgotten = self.experiment.forgotten();
        let next = match deleting {
            Deleting::Snapshots => {
                if store.drop_part(id, base)? {
                    return Ok(Slice::Done);
                }
                self.upkeep.heads.retain(|head| head.n >= base);
                forgotten.before.map(|_| Deleting::Events)
            }
            Deleting::Events => {
                if store.drop_events(id, forgotten.events, ROWS)? {
                    return Ok(Slice::Done);
                }
                Some(Deleting::Documents)
            }
            Deleting::Documents => {
                let first = self.upkeep.heads.first().map_or(0, |head| head.first_open);
                if store.drop_shown(id, first, ROWS)? {
                    return Ok(Slice::Done);
                }
                Some(Deleting::Units([0; 16]))
            }
            Deleting::Units(after) => self.delete_units(store, id, &after, now)?.map(Deleting::Units),
        };
        self.upkeep.deleting = next;
        let is_end = matches!((deleting, next), (Deleting::Units(_), None));
        if is_end {
            self.upkeep.swept = self.experiment.forgettable(now);
        }
        Ok(if is_end { Slice::Erased } else { Slice::Done })
    }

    /// Deletes units that were not seen for long and cannot count any more; returns the last one that was looked at.
    fn delete_units(&self, store: &Store, id: u32, after: &UnitHash, now: i64) -> Result<Option<UnitHash>, StoreError> {
        let Some(before) = self.experiment.forgettable_units(now) else { return Ok(None) };
        // An experiment that is over has no states of its last units: they go with its last day, and are found until then.
        let ends = self.experiment.state().is_over() && self.experiment.forgotten().before > self.experiment.last_day();
        let units = store.units_after(id, after, ROWS)?;
        for unit in units.iter().filter(|unit| !self.experiment.is_here(unit.number)) {
            let state = store.unit_state(id, unit.number, self.upkeep.states_at())?;
            if state.map_or(ends, |state| state.seen < before) {
                store.forget_unit(id, &unit.hash)?;
                store.forget_names(id, unit.number)?;
                store.drop_states(id, unit.number)?;
            }
        }
        Ok(units.last().map(|unit| unit.hash))
    }
}
