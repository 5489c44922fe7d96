//! What callers see of the experiments.

use std::collections::BTreeSet;

use super::ExperimentHandle;
use super::load::LoadedStore;
use super::thread::WriterThread;

impl WriterThread {
    /// Makes all experiments known to callers.
    pub(super) fn publish(&self) {
        let Some(open) = &self.open else { return };
        let loaded = open.content.experiments.iter().map(|(&id, loaded)| ExperimentHandle::of(id, &loaded.experiment));
        let damaged = open.content.damaged.iter().map(|(&id, damage)| ExperimentHandle::damaged(id, damage));
        self.shared.directory.replace(loaded.chain(damaged));
        self.count_experiments();
    }

    /// Makes new experiments known, and what changed.
    pub(super) fn announce(&self, touched: &BTreeSet<u32>) {
        let Some(open) = &self.open else { return };
        for (id, loaded) in touched.iter().filter_map(|id| open.content.experiments.get_key_value(id)) {
            let experiment = &loaded.experiment;
            match self.shared.directory.get(&experiment.config().name) {
                None => self.shared.directory.add(ExperimentHandle::of(*id, experiment)),
                Some(known) => known.set_state(experiment.state()),
            }
        }
        self.count_experiments();
    }

    pub(super) fn count_experiments(&self) {
        let Some(open) = &self.open else { return };
        let LoadedStore { experiments: loaded, damaged } = &open.content;
        self.shared.metrics.experiments.set((loaded.len() + damaged.len()) as u64);
        self.shared.metrics.damaged.set(damaged.len() as u64);
        self.shared.metrics.open.set(loaded.values().map(|loaded| loaded.experiment.fates().open).sum());
        self.shared.metrics.units.set(loaded.values().map(|loaded| loaded.experiment.units_here() as u64).sum());
        self.shared.metrics.upkeep.set(loaded.values().filter(|loaded| loaded.maintenance.is_due()).count() as u64);
    }
}
