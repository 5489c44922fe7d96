//! What callers see of the experiments.

use std::collections::BTreeSet;

use super::ExperimentHandle;
use super::load::Loaded;
use super::thread::WriterThread;

impl WriterThread {
    /// Makes all experiments known to callers.
    pub(super) fn publish(&self) {
        let Some(open) = &self.open else { return };
        let held = open.loaded.held.iter().map(|(&id, held)| ExperimentHandle::of(id, &held.experiment));
        let damaged = open.loaded.damaged.iter().map(|(&id, damage)| ExperimentHandle::damaged(id, damage));
        self.shared.directory.replace(held.chain(damaged));
        self.count_experiments();
    }

    /// Makes new experiments known, and what changed.
    pub(super) fn announce(&self, touched: &BTreeSet<u32>) {
        let Some(open) = &self.open else { return };
        for (id, held) in touched.iter().filter_map(|id| open.loaded.held.get_key_value(id)) {
            let experiment = &held.experiment;
            match self.shared.directory.get(&experiment.config().name) {
                None => self.shared.directory.add(ExperimentHandle::of(*id, experiment)),
                Some(known) => known.set_state(experiment.state()),
            }
        }
        self.count_experiments();
    }

    pub(super) fn count_experiments(&self) {
        let Some(open) = &self.open else { return };
        let Loaded { held, damaged } = &open.loaded;
        self.shared.metrics.experiments.set((held.len() + damaged.len()) as u64);
        self.shared.metrics.damaged.set(damaged.len() as u64);
        self.shared.metrics.open.set(held.values().map(|held| held.experiment.fates().open).sum());
        self.shared.metrics.units.set(held.values().map(|held| held.experiment.units_here() as u64).sum());
        self.shared.metrics.upkeep.set(held.values().filter(|held| held.upkeep.is_due()).count() as u64);
    }
}
