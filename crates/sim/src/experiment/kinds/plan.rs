//! Which runs an experiment consists of, scaled.

use anyhow::{Context, Result};
use bandits::registry::Spec;

use crate::experiment::config::expand;
use crate::experiment::config::{Experiment, Subsets};
use crate::experiment::context::ExperimentContext;

/// The runs of every setting.
pub(crate) struct ExperimentPlan {
    pub(crate) algorithms: Vec<Spec>,
    /// Runs per algorithm and set of rankers.
    pub(crate) runs: u64,
    pub(crate) checkpoints: Checkpoints,
    pub(crate) seed: u64,
    /// Whether suboptimal steps are counted.
    pub(crate) suboptimal: bool,
    /// Random sets of rankers, their number scaled; none to play all rankers.
    pub(crate) subsets: Option<Subsets>,
    pub(crate) groups: Groups,
}

/// When regret and recommendation are recorded.
pub(crate) enum Checkpoints {
    /// At these steps of every run.
    Curve(Vec<u64>),
    /// At each of these horizons; algorithms that depend on the horizon play one run for each.
    Horizons(Vec<u64>),
}

impl Checkpoints {
    /// The steps, in the order of the file.
    pub(crate) fn steps(&self) -> &[u64] {
        match self {
            Self::Curve(steps) | Self::Horizons(steps) => steps,
        }
    }
}

/// Steps per run, scaled.
///
/// # Errors
/// When the file has none.
pub(crate) fn steps(context: &ExperimentContext, experiment: &Experiment) -> Result<u64> {
    Ok(context.scaled(experiment.steps.context("steps")?.0, 2_000))
}

impl ExperimentPlan {
    pub(crate) fn new(
        context: &ExperimentContext,
        experiment: &Experiment,
        checkpoints: Checkpoints,
        groups: Groups,
    ) -> Result<Self> {
        let scaled = |subsets: &Subsets| Subsets { count: context.scaled(subsets.count, 2), ..subsets.clone() };
        Ok(Self {
            algorithms: expand::algorithms(&experiment.algorithms)?,
            runs: context.scaled(experiment.runs.map_or(1, |runs| runs.0), 2),
            checkpoints,
            seed: experiment.master_seed(),
            suboptimal: experiment.draw.suboptimal,
            subsets: experiment.subsets.as_ref().map(scaled),
            groups,
        })
    }

    /// The checkpoints of each run of `spec`.
    pub(crate) fn checkpoints(&self, spec: &Spec) -> Vec<Vec<u64>> {
        match &self.checkpoints {
            Checkpoints::Curve(steps) => vec![steps.clone()],
            Checkpoints::Horizons(horizons) => spec.runs_for(horizons),
        }
    }

    /// Steps of all runs of `spec` with one set of rankers.
    pub(crate) fn steps_per_set(&self, spec: &Spec) -> u64 {
        self.checkpoints(spec).iter().filter_map(|steps| steps.last()).sum::<u64>() * self.runs
    }

    /// The number of sets of rankers in a group.
    pub(crate) fn sets_per_group(&self) -> u64 {
        self.subsets.as_ref().map_or(1, |subsets| subsets.count)
    }
}

/// The groups that a setting is played in: all rankers, or one group per size of random sets.
pub(crate) struct Groups {
    sizes: Vec<Option<usize>>,
    /// Whether curves run against the size instead of time.
    against_size: bool,
}

impl Groups {
    /// The groups of `experiment`, with curves over time.
    pub(crate) fn over_time(experiment: &Experiment) -> Self {
        let sizes = match &experiment.subsets {
            None => vec![None],
            Some(subsets) => subsets.sizes.iter().copied().map(Some).collect(),
        };
        Self { sizes, against_size: false }
    }

    /// The groups of `experiment`, with curves against the size of the sets.
    pub(crate) fn against_size(experiment: &Experiment) -> Self {
        Self { against_size: true, ..Self::over_time(experiment) }
    }

    /// The size of each group; none for all rankers.
    pub(crate) fn sizes(&self) -> &[Option<usize>] {
        &self.sizes
    }

    /// The setting that the series of a group are named after.
    pub(crate) fn setting_name(&self, setting: &str, size: Option<usize>) -> String {
        match size {
            Some(size) if self.sizes.len() > 1 && !self.against_size => format!("{setting}, {size} rankers"),
            _ => setting.to_owned(),
        }
    }

    /// The x of a group's values; none where it is the step.
    pub(crate) fn x(&self, size: Option<usize>) -> Option<f64> {
        size.filter(|_| self.against_size).map(|size| size as f64)
    }
}
