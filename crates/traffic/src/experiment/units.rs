//! Units: their state for choices and counts, and where it is kept.
//!
//! Here are units with something open, and those that changed since the last snapshot; the caller keeps the others, and
//! [supplies](Experiment::fetch) one before it asks again. A snapshot takes the units that changed as they are at that moment. The
//! caller writes them a few at a time ([`next_states`](Experiment::next_states)), while the fold goes on: a unit that changes
//! before its turn leaves a copy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use verdicts::ledger::{UnitRecord, UnitStore};

use super::super::event::{Choice, Time};
use super::Experiment;
use super::conversions::UnitHistory;
use super::snapshot::error::SnapshotError;

/// The version of the bytes of a unit in a segment, or with a history for conversions.
const VERSION_WITH_HISTORY: u8 = 2;
/// The version for any other unit: equal units had these bytes before there was more.
const PLAIN_VERSION: u8 = 1;

/// A unit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Unit {
    /// Its impressions.
    pub(super) impressions: u32,
    /// Its impressions that were not given up, of the rankers that it keeps.
    pub(super) kept: u32,
    /// The day on which it met the rankers that it keeps.
    pub(super) kept_since: i32,
    /// The day of its last impression.
    pub(super) last_day: i32,
    /// The rankers that it keeps; none if `kept` is 0.
    pub(super) met_rankers: MetRankers,
    /// The part that counts for verdicts.
    record: UnitRecord,
    /// The segment of its first impression.
    #[serde(skip)]
    pub(super) segment: Option<u8>,
    /// Lists and conversions; `None` where no conversions count.
    #[serde(skip)]
    pub(super) history: Option<Box<UnitHistory>>,
}

impl Unit {
    /// The history, which is about to change.
    pub(super) fn history_mut(&mut self) -> &mut UnitHistory {
        self.history.get_or_insert_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let history = self.history.as_deref().filter(|history| !history.is_empty());
        let written = match (self.segment, history) {
            (None, None) => postcard::to_extend(self, vec![PLAIN_VERSION]),
            more => postcard::to_extend(&(self, more), vec![VERSION_WITH_HISTORY]),
        };
        match written {
            Ok(bytes) => bytes,
            // Lengths are known, and memory grows.
            Err(error) => unreachable!("postcard writes every unit: {error}"),
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (&version, body) = bytes.split_first().ok_or(SnapshotError::Damaged("a unit is empty"))?;
        let read = match version {
            PLAIN_VERSION => postcard::take_from_bytes(body),
            VERSION_WITH_HISTORY => postcard::take_from_bytes::<(Self, (Option<u8>, Option<Box<UnitHistory>>))>(body)
                .map(|((unit, (segment, history)), rest)| (Self { segment, history, ..unit }, rest)),
            _ => return Err(SnapshotError::Version(version)),
        };
        match read {
            Ok((unit, [])) => Ok(unit),
            _ => Err(SnapshotError::Damaged("a unit has values that no unit has")),
        }
    }
}

/// The rankers that a unit met, in little memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum MetRankers {
    Pair([u32; 2]),
    Set(Box<[u32]>),
}

impl Default for MetRankers {
    fn default() -> Self {
        Self::Pair([0; 2])
    }
}

impl MetRankers {
    pub(super) fn of(choice: &Choice) -> Self {
        match choice.arms() {
            &[first, second] if !choice.is_set() => Self::Pair([first, second]),
            arms => Self::Set(arms.into()),
        }
    }

    pub(super) fn choice(&self) -> Choice {
        match self {
            Self::Pair(pair) => Choice::Kept { arms: pair.to_vec(), is_set: false },
            Self::Set(arms) => Choice::Kept { arms: arms.to_vec(), is_set: true },
        }
    }
}

/// A unit that is here.
#[derive(Debug, Default)]
struct Slot {
    unit: Unit,
    /// Its open impressions.
    open: u32,
    /// The number of the snapshot after which it changed last; of the first one, 0.
    changed_in: u64,
    /// Its state at the snapshot that is being written, if it changed since.
    frozen_unit: Option<Box<Unit>>,
}

/// The units that are here.
#[derive(Debug, Default)]
pub(super) struct Units {
    in_memory: BTreeMap<u64, Slot>,
    /// Those that changed since the last snapshot, each once.
    changed_units: Vec<u64>,
    /// Those that changed before it and are still to be written, the last first.
    units_to_write: Vec<u64>,
    /// The number of snapshots taken.
    snapshots: u64,
    /// Whether the caller has units that are not here.
    are_elsewhere: bool,
}

impl Units {
    pub(super) fn get(&self, unit: u64) -> Option<&Unit> {
        self.in_memory.get(&unit).map(|slot| &slot.unit)
    }

    /// A unit that is about to change; a new one if it is not here.
    pub(super) fn unit_mut(&mut self, unit: u64) -> &mut Unit {
        &mut self.slot(unit).unit
    }

    fn slot(&mut self, unit: u64) -> &mut Slot {
        let Self { in_memory: here, changed_units: changed, units_to_write: to_write, snapshots, .. } = self;
        let is_new = !here.contains_key(&unit);
        let slot = here.entry(unit).or_default();
        if is_new || slot.changed_in < *snapshots {
            // A unit that is already written needs no copy.
            if !is_new && has(to_write, unit) {
                slot.frozen_unit = Some(Box::new(slot.unit.clone()));
            }
            slot.changed_in = *snapshots;
            changed.push(unit);
        }
        slot
    }

    /// Another impression of the unit is open; whether the unit is new.
    pub(super) fn note_opened(&mut self, unit: u64) -> bool {
        let slot = self.slot(unit);
        slot.open += 1;
        slot.unit.impressions == 0
    }

    /// An impression of the unit is no longer open. The next snapshot looks whether the unit may go.
    pub(super) fn note_closed(&mut self, unit: u64) {
        let slot = self.slot(unit);
        slot.open = slot.open.saturating_sub(1);
    }

    /// One that was open at a snapshot; `mixed` is its number if outcomes may be credited to it.
    fn note_restored_open(&mut self, unit: u64, mixed: Option<u64>) {
        if let Some(slot) = self.in_memory.get_mut(&unit) {
            slot.open += 1;
            if let Some(impression) = mixed {
                slot.unit.history_mut().note_opened(impression);
            }
        }
    }

    fn needs_fetch(&self, unit: u64, last: u64) -> bool {
        self.are_elsewhere && unit <= last && !self.in_memory.contains_key(&unit)
    }
}

/// Whether a descending list has a number.
fn has(descending: &[u64], number: u64) -> bool {
    descending.binary_search_by(|known| number.cmp(known)).is_ok()
}

impl UnitStore for Units {
    fn record_mut(&mut self, unit: u64) -> &mut UnitRecord {
        &mut self.unit_mut(unit).record
    }

    fn known_record_mut(&mut self, unit: u64) -> Option<&mut UnitRecord> {
        if self.in_memory.contains_key(&unit) { Some(&mut self.unit_mut(unit).record) } else { None }
    }
}

/// A unit as it was at a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitState {
    /// Its number.
    pub unit: u64,
    /// The day of its last impression, in days since 1970-01-01.
    pub last_day: i32,
    /// Its whole state.
    pub bytes: Vec<u8>,
}

impl UnitState {
    fn of(unit: u64, state: &Unit) -> Self {
        Self { unit, last_day: state.last_day, bytes: state.to_bytes() }
    }
}

impl Experiment {
    /// Makes sure that a unit is here before its next impression: `stored` gives its state of the last snapshot, if it has one.
    ///
    /// # Errors
    /// If the state is damaged; and those of `stored`.
    pub fn fetch<E: From<SnapshotError>>(
        &mut self,
        unit: u64,
        stored: impl FnOnce(u64) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        if self.lacks(unit) {
            // A number that was given out and never asked has no state.
            let state = stored(unit)?.map_or(Ok(Unit::default()), |bytes| Unit::read(&bytes))?;
            // Looked at by the next snapshot, so that it goes again.
            *self.units.units_mut().unit_mut(unit) = state;
        }
        Ok(())
    }

    /// Fetches all units with something open, after a snapshot was read.
    pub(super) fn fetch_open<E: From<SnapshotError>>(
        &mut self,
        mut stored: impl FnMut(u64) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        let open = self.open.iter().map(|(_, open)| open.unit);
        let converted = self.conversions.iter().flat_map(|ledger| ledger.units());
        let mut unit_numbers: Vec<u64> = self.units.days().units().chain(open).chain(converted).collect();
        unit_numbers.sort_unstable();
        unit_numbers.dedup();
        let units = self.units.units_mut();
        // Units from the snapshot have not changed since.
        (units.are_elsewhere, units.snapshots) = (true, 1);
        for unit in unit_numbers {
            let bytes = stored(unit)?.ok_or(SnapshotError::Damaged("a unit that it needs is not there"))?;
            let slot = Slot { unit: Unit::read(&bytes)?, ..Slot::default() };
            self.units.units_mut().in_memory.insert(unit, slot);
        }
        let converts = self.conversions.is_some();
        for (impression, open) in self.open.iter() {
            let mixed = (converts && open.choice.is_mixed()).then_some(impression);
            self.units.units_mut().note_restored_open(open.unit, mixed);
        }
        Ok(())
    }

    /// Whether a unit is here.
    #[must_use]
    pub fn is_here(&self, unit: u64) -> bool {
        self.units.units().get(unit).is_some()
    }

    /// Units with no impression since this day may be forgotten: they do not count in the kept part of the log. `None` if all is
    /// kept.
    #[must_use]
    pub fn forgettable_units(&self, now: Time) -> Option<i32> {
        // The first state that is kept may have impressions that were open then, and sums that were.
        let outcome_days = self.rules.outcomes.as_ref().map_or(0, |rules| rules.days);
        let counts =
            self.rules.window.div_euclid(24 * 3_600_000) as i32 + 1 + self.config.unit_days as i32 + outcome_days;
        let last = self.forgettable(now).filter(|_| self.forgotten.before.is_some());
        last.map(|last| last.saturating_add(1).saturating_sub(counts))
    }

    /// The number of units that are here.
    #[must_use]
    pub fn units_here(&self) -> usize {
        self.units.units().in_memory.len()
    }

    /// Whether units of a snapshot are still to be written.
    #[must_use]
    pub fn has_states_to_write(&self) -> bool {
        !self.units.units().units_to_write.is_empty()
    }

    /// The units that changed are, as they are now, those of a [snapshot](Self::snapshot): the caller writes them before it counts
    /// on that snapshot, and before it takes another.
    pub fn freeze_units(&mut self) {
        let units = self.units.units_mut();
        debug_assert!(units.units_to_write.is_empty(), "the units of the snapshot before are not written");
        units.units_to_write = std::mem::take(&mut units.changed_units);
        units.units_to_write.sort_unstable_by(|a, b| b.cmp(a));
        units.snapshots += 1;
        units.are_elsewhere = true;
    }

    /// At most `most` of these units. Those that have nothing open and have not changed since are here no longer: the caller keeps their
    /// states, or folds the experiment again.
    pub fn next_states(&mut self, most: usize) -> Vec<UnitState> {
        let mut states = Vec::new();
        while states.len() < most
            && let Some(unit) = self.units.units_mut().units_to_write.pop()
        {
            let now = self.units.units().snapshots;
            let Some(slot) = self.units.units().in_memory.get(&unit) else { continue };
            let has_changed = slot.changed_in == now;
            let is_converting = slot.unit.history.as_ref().is_some_and(|history| history.is_open());
            let is_open = slot.open > 0 || is_converting || self.units.days().has(unit, &slot.unit.record);
            let state = slot.frozen_unit.as_deref().unwrap_or(&slot.unit);
            // A unit that was fetched and never asked has no state.
            if state.impressions > 0 {
                states.push(UnitState::of(unit, state));
            }
            let here = &mut self.units.units_mut().in_memory;
            if !has_changed && !is_open {
                here.remove(&unit);
            } else if let Some(slot) = here.get_mut(&unit) {
                slot.frozen_unit = None;
            }
        }
        states
    }

    /// All units that are here, as they are now.
    pub fn states(&self) -> impl Iterator<Item = UnitState> {
        let here = self.units.units().in_memory.iter().filter(|(_, slot)| slot.unit.impressions > 0);
        here.map(|(&unit, slot)| UnitState::of(unit, &slot.unit))
    }

    /// Whether a unit would have to be [fetched](Self::fetch).
    pub(super) fn lacks(&self, unit: u64) -> bool {
        self.units.units().needs_fetch(unit, self.last_unit)
    }
}
