//! Background work in small steps beside jobs: snapshots, and the deletions that they make possible.
//!
//! A day that closes begins a snapshot: the fold's state as bytes, and the units that changed. Every transaction writes a slice of it, so
//! that none takes long; when all of it is there, its head makes it whole. A process that ends earlier starts from the snapshot before and
//! folds a little more. With `retain`, days are forgotten then: an event records it, and later slices delete.

use std::collections::VecDeque;

use traffic::{Experiment, Snapshot, SnapshotError};

use super::LoadedExperiment;
use crate::ids::UnitHash;
use crate::store::{SnapshotHead, Store, StoreError};

/// States of units written per slice.
const STATES_PER_SLICE: usize = 400;
/// Bytes of a snapshot written per slice.
const PART_BYTES: usize = 1 << 18;
/// Rows deleted per slice.
const ROWS_PER_SLICE: u64 = 1_000;
/// Units checked per slice.
const UNITS_PER_SLICE: u64 = 5_000;

/// The remaining work for an experiment.
#[derive(Debug, Default)]
pub(super) struct Maintenance {
    /// The snapshots that are whole, in their order.
    heads: Vec<SnapshotHead>,
    /// The one that is being written.
    in_progress: Option<SnapshotInProgress>,
    /// Whether another day has closed since that one began.
    is_behind: bool,
    /// The deletion in progress, one kind after the other.
    deletion_step: Option<DeletionStep>,
    /// The last day that was not kept when units were looked at last.
    swept: Option<i32>,
    /// Units after this one were not checked since the start.
    last_checked_unit: Option<UnitHash>,
}

#[derive(Debug)]
struct SnapshotInProgress {
    head: SnapshotHead,
    parts: VecDeque<Vec<u8>>,
}

/// The position of a deletion.
#[derive(Debug, Clone, Copy)]
enum DeletionStep {
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

impl Maintenance {
    /// The upkeep of an experiment with these snapshots; its units may still have to be checked.
    pub(super) fn of(heads: Vec<SnapshotHead>, is_checked_later: bool) -> Self {
        // A process may have ended in the middle of it.
        let deleting = (!heads.is_empty()).then_some(DeletionStep::Snapshots);
        Self {
            heads,
            deletion_step: deleting,
            last_checked_unit: is_checked_later.then_some([0; 16]),
            ..Self::default()
        }
    }

    /// The snapshot by which units that are not in memory are read.
    pub(super) fn states_at(&self) -> u64 {
        let begun = self.in_progress.as_ref().map(|begun| &begun.head);
        begun.or(self.heads.last()).map_or(0, |head| head.n)
    }

    /// A day has closed: another snapshot is needed.
    pub(super) fn day_closed(&mut self) {
        self.is_behind = true;
    }

    /// Whether there is something to do.
    pub(super) fn is_due(&self) -> bool {
        self.is_writing() || self.last_checked_unit.is_some()
    }

    /// Whether something must be written or deleted.
    pub(super) fn is_writing(&self) -> bool {
        self.in_progress.is_some() || self.deletion_step.is_some()
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

impl LoadedExperiment {
    /// Begins a snapshot if one is needed, after the one that is being written. The events of the experiment were taken and written.
    pub(super) fn begin_snapshot(&mut self) {
        // An experiment that is over has forgotten its units: those of an unfinished snapshot cannot be written any more, and need not be.
        let has_no_units = self.experiment.state().is_over() && self.experiment.units_here() == 0;
        if !self.maintenance.is_behind || (self.maintenance.in_progress.is_some() && !has_no_units) {
            return;
        }
        self.maintenance.is_behind = false;
        let Snapshot { events, last_day, first_open, bytes } = self.experiment.snapshot();
        self.experiment.freeze_units();
        let parts: VecDeque<Vec<u8>> = bytes.chunks(PART_BYTES).map(<[u8]>::to_vec).collect();
        let head = SnapshotHead { n: events, parts: parts.len() as u32, last_day, first_open };
        self.maintenance.in_progress = Some(SnapshotInProgress { head, parts });
    }

    /// Begins one if a day has closed since the last one: a process ended before its snapshot was complete.
    pub(super) fn catch_up(&mut self) {
        self.maintenance.is_behind =
            self.experiment.last_day() > self.maintenance.heads.last().and_then(|head| head.last_day);
        self.begin_snapshot();
    }

    /// Does a little of the remaining work; its events are still to be written.
    pub(super) fn slice(&mut self, store: &Store, id: u32, now: i64) -> Result<Slice, StoreError> {
        if let Some(SnapshotInProgress { head, parts }) = &mut self.maintenance.in_progress {
            let head = *head;
            if self.experiment.has_states_to_write() {
                let base = self.maintenance.base(&self.experiment);
                for state in self.experiment.next_states(STATES_PER_SLICE) {
                    store.insert_state(id, head.n, &state, base)?;
                }
            } else if let Some(part) = parts.pop_front() {
                store.insert_part(id, head.n, head.parts - parts.len() as u32, &part)?;
            } else {
                store.insert_head(id, head)?;
                self.maintenance.in_progress = None;
                self.maintenance.heads.push(head);
                self.forget_days(now);
                self.maintenance.deletion_step = Some(DeletionStep::Snapshots);
            }
            return Ok(Slice::Done);
        }
        match self.maintenance.deletion_step {
            Some(deleting) => self.delete(store, id, deleting, now),
            None => self.check_units(store, id),
        }
    }

    /// Checks some units: one with a lost row would count as a new one.
    fn check_units(&mut self, store: &Store, id: u32) -> Result<Slice, StoreError> {
        let Some(after) = self.maintenance.last_checked_unit else { return Ok(Slice::Nothing) };
        self.maintenance.last_checked_unit =
            store.units_after(id, &after, UNITS_PER_SLICE)?.last().map(|unit| unit.hash);
        Ok(Slice::Read)
    }

    /// From here on, the days that `retain` no longer keeps are forgotten, as far as a snapshot has their effects. Once a day, units that
    /// did not come back are deleted too.
    pub(super) fn forget_days(&mut self, now: i64) {
        let Some(last) = self.experiment.forgettable(now) else { return };
        let is_past = |head: &&SnapshotHead| head.last_day.is_some_and(|day| day <= last);
        let before = self.experiment.forgotten().events;
        if let Some(SnapshotHead { n, last_day: Some(day), .. }) = self.maintenance.heads.iter().rev().find(is_past) {
            self.experiment.forget(now, day + 1, *n);
        }
        if self.experiment.forgotten().events > before {
            self.maintenance.deletion_step = Some(DeletionStep::Snapshots);
        } else if self.maintenance.deletion_step.is_none() && before > 0 && self.maintenance.swept < Some(last) {
            self.maintenance.deletion_step = Some(DeletionStep::Units([0; 16]));
        }
    }

    fn delete(&mut self, store: &Store, id: u32, step: DeletionStep, now: i64) -> Result<Slice, StoreError> {
        let base = self.maintenance.base(&self.experiment);
        let forgotten = self.experiment.forgotten();
        let next = match step {
            DeletionStep::Snapshots => {
                if store.drop_part(id, base)? {
                    return Ok(Slice::Done);
                }
                self.maintenance.heads.retain(|head| head.n >= base);
                forgotten.before.map(|_| DeletionStep::Events)
            }
            DeletionStep::Events => {
                if store.drop_events(id, forgotten.events, ROWS_PER_SLICE)? {
                    return Ok(Slice::Done);
                }
                Some(DeletionStep::Documents)
            }
            DeletionStep::Documents => {
                let first = self.maintenance.heads.first().map_or(0, |head| head.first_open);
                if store.drop_shown(id, first, ROWS_PER_SLICE)? {
                    return Ok(Slice::Done);
                }
                Some(DeletionStep::Units([0; 16]))
            }
            DeletionStep::Units(after) => self.delete_units(store, id, &after, now)?.map(DeletionStep::Units),
        };
        self.maintenance.deletion_step = next;
        let is_end = matches!((step, next), (DeletionStep::Units(_), None));
        if is_end {
            self.maintenance.swept = self.experiment.forgettable(now);
        }
        Ok(if is_end { Slice::Erased } else { Slice::Done })
    }

    /// Deletes units that were not seen for long and cannot count any more; returns the last one that was looked at.
    fn delete_units(&self, store: &Store, id: u32, after: &UnitHash, now: i64) -> Result<Option<UnitHash>, StoreError> {
        let Some(before) = self.experiment.forgettable_units(now) else { return Ok(None) };
        // An experiment that is over has no states of its last units: they go with its last day, and are found until then.
        let ends = self.experiment.state().is_over() && self.experiment.forgotten().before > self.experiment.last_day();
        let units = store.units_after(id, after, ROWS_PER_SLICE)?;
        for unit in units.iter().filter(|unit| !self.experiment.is_here(unit.number)) {
            let state = store.unit_state(id, unit.number, self.maintenance.states_at())?;
            if state.map_or(ends, |state| state.last_day < before) {
                store.forget_unit(id, &unit.hash)?;
                store.forget_names(id, unit.number)?;
                store.drop_states(id, unit.number)?;
            }
        }
        Ok(units.last().map(|unit| unit.hash))
    }
}
