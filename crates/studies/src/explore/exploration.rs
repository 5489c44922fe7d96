//! The plan of an exploration, and what it finds at each horizon.

use bandits::registry::Spec;
use serde::Serialize;
use simulation::runs::StudyPlan;

use crate::results::{RegretBasis, SampleSummary};

/// The plan of a study: algorithms, horizons, runs.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// The algorithms, in the order of tables and legends.
    pub algorithms: Vec<Spec>,
    /// The horizons, ascending, each at least 1.
    pub horizons: Vec<u64>,
    /// Runs per algorithm (and per horizon, for algorithms that use it).
    pub runs: u64,
    /// The master seed.
    pub seed: u64,
}

impl Exploration {
    /// One plan for each run that an algorithm needs, with the horizons it covers as checkpoints.
    pub(super) fn plans_of(&self, algorithm: usize) -> Vec<StudyPlan> {
        let spec = &self.algorithms[algorithm];
        let plan = |horizons: Vec<u64>| StudyPlan {
            algorithms: vec![spec.clone()],
            steps: horizons.last().copied().unwrap_or(0),
            runs: self.runs,
            seed: self.seed,
            checkpoints: horizons,
            evidence: None,
        };
        spec.runs_for(&self.horizons).into_iter().map(plan).collect()
    }

    /// The same for all algorithms.
    #[must_use]
    pub fn plans(&self) -> Vec<StudyPlan> {
        (0..self.algorithms.len()).flat_map(|algorithm| self.plans_of(algorithm)).collect()
    }

    /// Runs of all algorithms; those that use the horizon run again for each.
    #[must_use]
    pub fn total_runs(&self) -> u64 {
        let plans = (0..self.algorithms.len()).map(|algorithm| self.plans_of(algorithm).len() as u64);
        plans.sum::<u64>() * self.runs
    }

    /// Total steps of all runs of all algorithms.
    #[must_use]
    pub fn total_steps(&self) -> u64 {
        let plans = (0..self.algorithms.len()).flat_map(|algorithm| self.plans_of(algorithm));
        plans.fold(0, |total, plan| total.saturating_add(plan.total_steps()))
    }

    /// The algorithms with all their parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.algorithms.iter().map(Spec::canonical).collect()
    }
}

/// The results of one algorithm at one horizon.
#[derive(Debug, Clone, Serialize)]
pub struct HorizonSummary {
    /// Its name with all parameters.
    pub algorithm: String,
    /// Its name with the parameters that differ from their defaults, as in tables.
    pub label: String,
    /// Steps of exploration.
    pub horizon: u64,
    /// Runs.
    pub runs: usize,
    /// Share of runs that recommend a best arm; null if every arm is optimal.
    pub accuracy: Option<f64>,
    /// Standard error of that share.
    pub accuracy_standard_error: Option<f64>,
    /// Cumulative regret of exploration.
    pub regret: SampleSummary,
    /// What regret measures, and on what data.
    #[serde(flatten)]
    pub measured: RegretBasis,
}
