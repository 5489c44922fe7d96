//! The order of experiments: which one begins when another is over, and which ones are in each other's way. Each fold covers one
//! experiment; a successor begins by an event of its own, in the transaction in which it may.

use traffic::{Config, Experiment, Lane, State};

use super::Transaction;

/// An experiment of the store, as far as others need it. The settings of a damaged one may be unknown.
struct OtherExperiment<'a> {
    id: u32,
    name: &'a str,
    config: Option<&'a Config>,
    state: State,
    has_begun: bool,
}

impl Transaction<'_> {
    /// All experiments but those that were deleted.
    fn others(&self) -> impl Iterator<Item = OtherExperiment<'_>> {
        let loaded = self.experiments.iter().map(|(&id, loaded)| {
            let experiment: &Experiment = &loaded.experiment;
            let config = experiment.config();
            let (state, has_begun) = (experiment.state(), experiment.has_begun());
            OtherExperiment { id, name: &config.name, config: Some(config), state, has_begun }
        });
        // A damaged experiment may be repaired, and go on.
        let damaged = self.damaged.iter().map(|(&id, damage)| OtherExperiment {
            id,
            name: &damage.name,
            config: damage.config.as_ref(),
            state: damage.state,
            has_begun: true,
        });
        loaded.chain(damaged).filter(|other| !self.deleted.contains(&other.id))
    }

    /// The experiments before one with these settings, the next first: its predecessor, the predecessor of that, and so on. An experiment
    /// that reuses the name of a deleted one is newer, and none of them.
    fn predecessors(&self, id: u32, config: &Config) -> Vec<OtherExperiment<'_>> {
        let mut predecessors_found: Vec<OtherExperiment<'_>> = Vec::new();
        let (mut id, mut next) = (id, config.begin_after.as_deref());
        while let Some(other) = next.and_then(|name| self.others().find(|other| other.name == name && other.id < id)) {
            id = other.id;
            next = other.config.and_then(|config| config.begin_after.as_deref());
            predecessors_found.push(other);
        }
        predecessors_found
    }

    /// Whether there is an experiment of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.others().any(|other| other.name == name)
    }

    /// An experiment that is not over and could have units of the lane of a new one, and its lane. Predecessors do not count: the new one
    /// begins after them.
    #[must_use]
    pub fn overlapping(&self, config: &Config) -> Option<(String, Lane)> {
        let before: Vec<u32> = self.predecessors(u32::MAX, config).iter().map(|other| other.id).collect();
        self.in_lane(config, |other| !before.contains(&other.id))
    }

    /// The same of an experiment that would begin: those that wait have no units.
    #[must_use]
    pub fn blocking_experiment(&self, id: u32, config: &Config) -> Option<(String, Lane)> {
        self.in_lane(config, |other| other.id != id && other.has_begun)
    }

    fn in_lane(&self, config: &Config, is_meant: impl Fn(&OtherExperiment<'_>) -> bool) -> Option<(String, Lane)> {
        let lane = config.lane.as_ref()?;
        let mut all = self.others().filter(|other| !other.state.is_over() && is_meant(other));
        all.find_map(|other| {
            let theirs = other.config?.lane.as_ref().filter(|theirs| theirs.overlaps(lane))?;
            Some((other.name.to_owned(), theirs.clone()))
        })
    }

    /// The experiment that must be over before this one begins by itself; `None` if it does not wait, or for none.
    #[must_use]
    pub fn awaited(&self, id: u32) -> Option<String> {
        let experiment = self.known(id)?;
        experiment.awaited_experiment()?;
        let config = experiment.config();
        let before = self.predecessors(id, config).into_iter().find(|other| !other.state.is_over());
        let before = before.map(|other| other.name.to_owned());
        before.or_else(|| self.blocking_experiment(id, config).map(|(name, _)| name))
    }

    /// Begins the experiments that wait for nothing more. One after the other: each may be in the way of the next.
    pub(super) fn begin_successors(&mut self) {
        let waiting = self.experiments.iter().filter(|(_, loaded)| loaded.experiment.awaited_experiment().is_some());
        let waiting: Vec<u32> = waiting.map(|(&id, _)| id).collect();
        for id in waiting {
            if self.awaited(id).is_some() {
                continue;
            }
            let (now, why) = (self.now, self.start_reason(id));
            if let Some(experiment) = self.experiment(id) {
                experiment.stop_waiting(now, &why);
            }
        }
    }

    /// The end of the experiment that this one waited for, in words.
    fn start_reason(&self, id: u32) -> String {
        let Some(name) = self.known(id).and_then(Experiment::awaited_experiment) else { return String::new() };
        let before = self.others().find(|other| other.name == name && other.id < id);
        match before.map(|other| (other.state, other.config)) {
            None => format!("{name} was deleted"),
            Some((State::Shipped(place), Some(config))) => {
                let ranker = config.rankers.get(place as usize).map_or("a ranker", |ranker| &ranker.name);
                format!("{name} shipped {ranker}")
            }
            Some(_) => format!("{name} ended"),
        }
    }
}
