//! How long an experiment would take, from a few steps of each algorithm.

use anyhow::Result;
use bandits::registry::Spec;
use rayon::prelude::*;

use crate::experiment::config::expand::{self, Setting};
use crate::experiment::config::{Experiment, Kind, Play};
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::OpenedSetting;
use crate::experiment::kinds::regret::Plan;
use crate::output::progress::Progress;

/// What is to be done, and how long it may take.
#[derive(Debug, Clone, Default)]
pub struct Estimate {
    /// Settings, sets of rankers and algorithms: what runs are counted in.
    pub cells: u64,
    /// Runs in all.
    pub runs: u64,
    /// Steps in all.
    pub steps: u64,
    /// Seconds of one thread to play them.
    pub playing: f64,
    /// Comparisons of pairs for truths and matrices.
    pub comparisons: u64,
}

/// Seconds of one thread for one comparison of a pair in bulk.
const COMPARISON: f64 = 100e-9;
/// What a set of multileaved rankers costs for each impression and ranker.
const MULTILEAVING: f64 = 100e-9;

impl Estimate {
    /// Seconds of one thread.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.playing + self.comparisons as f64 * COMPARISON
    }
}

/// Estimates what `experiment` costs at the scale of `context`; `small` is a context of a small scale,
/// at which some steps are played to see how long they take. Cached runs are not taken off.
///
/// # Errors
/// As running the experiment.
pub fn estimate(context: &ExperimentContext, small: &ExperimentContext, experiment: &Experiment) -> Result<Estimate> {
    let mut total = Estimate::default();
    let played = matches!(experiment.kind, Kind::Regret | Kind::RegretAgainstRankers | Kind::Accuracy);
    for setting in expand::settings(&experiment.settings) {
        if played {
            of_setting(context, small, experiment, &setting, &mut total)?;
        } else if experiment.kind == Kind::Distortion {
            let sets = experiment.runs.map_or(30, |runs| runs.0);
            let each = context.scaled(experiment.multileavings.map_or(3_000, |count| count.0), 200);
            for &size in &experiment.sizes {
                total.cells += 1;
                total.runs += context.scaled(sets, 2);
                total.steps += context.scaled(sets, 2) * each;
                total.playing += (context.scaled(sets, 2) * each * (size as u64 + 10)) as f64 * MULTILEAVING;
            }
            total.comparisons += 70_000_000;
        } else if setting.entry.play == Play::Proxy {
            let arms = OpenedSetting::open(small, &setting, 1)?.arms();
            total.comparisons += comparisons(context, &setting, arms);
        }
    }
    Ok(total)
}

/// Comparisons of pairs behind a setting of `arms` rankers.
fn comparisons(context: &ExperimentContext, setting: &Setting, arms: usize) -> u64 {
    let pairs = (arms * arms.saturating_sub(1) / 2) as u64;
    match setting.entry.play {
        Play::Problem => 0,
        Play::Proxy => {
            let Ok(source) = context.source(setting) else { return 0 };
            if setting.entry.matrix.0.contains(&source.name) {
                return 0;
            }
            let asked = if source.lookalike { setting.entry.lookalike_interleavings } else { None };
            pairs * context.scaled(asked.or(setting.entry.interleavings).map_or(4_000, |count| count.0), 300)
        }
        Play::Live => {
            let effort = context.effort(arms, false);
            effort.coarse * pairs + effort.budget / 2 + effort.fine * arms as u64
        }
    }
}

fn of_setting(
    context: &ExperimentContext,
    small: &ExperimentContext,
    experiment: &Experiment,
    setting: &Setting,
    total: &mut Estimate,
) -> Result<()> {
    const STEPS: u64 = 20_000;
    let plan = Plan::new(context, experiment)?;
    let base = OpenedSetting::open(small, setting, plan.seed)?;
    let sets = plan.subsets.as_ref().map_or(1, |(_, count, _)| *count);
    match (&plan.subsets, setting.entry.play) {
        (Some((sizes, count, _)), Play::Live) => {
            for &size in sizes {
                let effort = context.effort(size, true);
                let pairs = (size * size.saturating_sub(1) / 2) as u64;
                total.comparisons += count * (effort.coarse * pairs + effort.budget / 2 + effort.fine * size as u64);
            }
        }
        _ => total.comparisons += comparisons(context, setting, base.arms()),
    }
    for group in plan.groups() {
        let environment = match (group, &plan.subsets) {
            // For its speed any set will do.
            (Some(size), Some(_)) => base.subset(small, size, 0, false)?,
            _ => Some(base.environment(small)?),
        };
        let Some(environment) = environment else { continue };
        let cost = |spec: &Spec| -> Result<f64> {
            let steps = plan.steps_a_stage(spec);
            let run = steps / plan.runs.max(1);
            let few = (run / 2).clamp(1, STEPS);
            let together: Vec<u64> = (0..plan.runs).take(environment.in_step()).map(|run| u64::MAX - run).collect();
            let seconds = |steps: u64| -> Result<f64> {
                let before = busy();
                let played = environment.play(spec, &[steps], (plan.seed, &together), false, &Progress::hidden())?;
                // Of a machine that has other work to do, only our share.
                let spent = before.and_then(|before| Some(busy()? - before));
                let seconds = || played.iter().map(|record| record.seconds).sum();
                Ok(spent.unwrap_or_else(seconds) / together.len().max(1) as f64)
            };
            // The first steps cost most: the rest is taken to go on like the second of two stretches.
            let (first, both) = (seconds(few)?, seconds(2 * few)?);
            let later = (both - first).max(0.0) / few as f64;
            Ok((both + later * run.saturating_sub(2 * few) as f64) * plan.runs as f64)
        };
        let costs = plan.algorithms.par_iter().map(cost).collect::<Result<Vec<f64>>>()?;
        for (spec, cost) in plan.algorithms.iter().zip(costs) {
            total.cells += sets;
            total.runs += sets * plan.runs * plan.checkpoints(spec).len() as u64;
            total.steps += sets * plan.steps_a_stage(spec);
            total.playing += sets as f64 * cost;
        }
    }
    Ok(())
}

/// Seconds that this thread has been at work, where the system tells.
fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}
