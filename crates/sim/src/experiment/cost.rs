//! The cost of running: the counts that an estimate adds up.

use anyhow::Result;
use simulation::description::Effort;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::{Experiment, Play};
use crate::experiment::context::ExperimentContext;
use crate::experiment::opened_setting::OpenedSetting;

/// The work to run, and the estimated time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Estimate {
    /// Combinations of setting, set of rankers and algorithm.
    pub cells: u64,
    /// Runs of all cells.
    pub runs: u64,
    /// Steps of all runs.
    pub steps: u64,
    /// Seconds of one thread to play them.
    pub play_seconds: f64,
    /// Comparisons of pairs for truths and matrices.
    pub comparisons: u64,
}

/// Seconds of one thread per comparison of a pair in bulk.
const SECONDS_PER_COMPARISON: f64 = 100e-9;

impl Estimate {
    /// Seconds of one thread.
    #[must_use]
    pub(crate) fn seconds(&self) -> f64 {
        self.play_seconds + self.comparisons as f64 * SECONDS_PER_COMPARISON
    }
}

/// The subject of an estimate.
pub(crate) struct EstimateRequest<'a> {
    /// The context that the experiment would run in.
    pub(crate) context: &'a ExperimentContext,
    /// A context of a small scale, in which some steps are timed; `None` to count steps without opening any data.
    pub(crate) small_context: Option<&'a ExperimentContext>,
    pub(crate) experiment: &'a Experiment,
}

impl EstimateRequest<'_> {
    /// Adds the comparisons behind the matrix of a setting.
    pub(crate) fn add_matrix(&self, setting: &Setting, total: &mut Estimate) -> Result<()> {
        if setting.entry.play == Play::Proxy
            && let Some(small) = self.small_context
        {
            let arms = OpenedSetting::open(small, setting, 1)?.arms();
            total.comparisons += comparisons(self.context, setting, arms);
        }
        Ok(())
    }
}

/// Comparisons of pairs behind a setting of `arms` rankers.
pub(crate) fn comparisons(context: &ExperimentContext, setting: &Setting, arms: usize) -> u64 {
    match setting.entry.play {
        Play::Problem => 0,
        Play::Proxy => {
            let Ok(source) = context.source(setting) else { return 0 };
            if setting.entry.matrix.0.contains(&source.name) {
                return 0;
            }
            let requested_impressions =
                if source.lookalike { setting.entry.lookalike_impressions_per_pair } else { None };
            let per_pair = requested_impressions.or(setting.entry.impressions_per_pair).map_or(4_000, |count| count.0);
            pairs(arms) * context.scaled(per_pair, 300)
        }
        Play::Live => truth_comparisons(context.effort(arms, false), arms),
    }
}

/// Comparisons of pairs that the truth of `arms` rankers takes with this effort.
pub(crate) fn truth_comparisons(effort: Effort, arms: usize) -> u64 {
    effort.coarse * pairs(arms) + effort.budget / 2 + effort.fine * arms as u64
}

fn pairs(arms: usize) -> u64 {
    (arms * arms.saturating_sub(1) / 2) as u64
}
