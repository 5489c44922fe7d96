//! The files beside a log: snapshots, and the units that belong to them.

use std::collections::BTreeMap;

use traffic::{Experiment, RecordedEvent, Snapshot, SnapshotError, UnitState};

/// By unit and snapshot, as a store keeps them; of those that are not whole nothing is read after a crash.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    states: BTreeMap<(u64, u64), UnitState>,
    whole: Option<Snapshot>,
    begun: Option<Snapshot>,
}

impl Shelf {
    /// Takes a snapshot, unless one is being written.
    pub(crate) fn begin(&mut self, experiment: &mut Experiment) {
        if self.begun.is_none() {
            self.begun = Some(experiment.snapshot());
            experiment.freeze_units();
        }
    }

    /// Writes a little of it.
    pub(crate) fn write(&mut self, experiment: &mut Experiment, most: usize) {
        let Some(begun) = self.begun.take() else { return };
        let states = experiment.next_states(most);
        self.states.extend(states.into_iter().map(|state| ((state.unit, begun.events), state)));
        if experiment.has_states_to_write() { self.begun = Some(begun) } else { self.whole = Some(begun) }
    }

    /// A unit as it was at the last snapshot, which may be half written.
    pub(crate) fn last(&self, unit: u64) -> Result<Option<Vec<u8>>, SnapshotError> {
        let last = self.begun.as_ref().or(self.whole.as_ref()).map_or(0, |snapshot| snapshot.events);
        Ok(self.at(unit, last))
    }

    fn at(&self, unit: u64, snapshot: u64) -> Option<Vec<u8>> {
        self.states.range((unit, 0)..=(unit, snapshot)).next_back().map(|(_, state)| state.bytes.clone())
    }

    /// The state that a new process finds: the last whole snapshot and the events after it. Unfinished snapshots are
    /// forgotten.
    pub(crate) fn restored(&mut self, log: &[RecordedEvent]) -> Option<Experiment> {
        self.begun = None;
        let whole = self.whole.as_ref()?;
        let stored = |unit| Ok::<_, SnapshotError>(self.at(unit, whole.events));
        let mut experiment = Experiment::from_snapshot(&whole.bytes, stored).unwrap();
        for recorded in &log[whole.events as usize..] {
            if let Some(unit) = recorded.event().unit() {
                experiment.fetch(unit, stored).unwrap();
            }
            experiment.fold(recorded).unwrap();
        }
        Some(experiment)
    }

    /// All units of an experiment that goes on from here, as they are now.
    pub(crate) fn all(&self, experiment: &Experiment) -> BTreeMap<u64, UnitState> {
        let last = self.begun.as_ref().or(self.whole.as_ref()).map_or(0, |snapshot| snapshot.events);
        let kept = self.states.iter().filter(|((_, n), _)| *n <= last).map(|((unit, _), state)| (*unit, state.clone()));
        kept.chain(experiment.states().map(|state| (state.unit, state))).collect()
    }
}
