//! Estimates of the time of runs, from a few steps of each algorithm.

use anyhow::Result;
use bandits::registry::Spec;
use output::progress::Progress;
use rayon::prelude::*;
use simulation::runs::RunPlan;

use crate::experiment::config::Play;
use crate::experiment::config::expand::Setting;
use crate::experiment::cost::{Estimate, EstimateRequest, comparisons, truth_comparisons};
use crate::experiment::environment::Environment;
use crate::experiment::kinds::plan::ExperimentPlan;
use crate::experiment::opened_setting::OpenedSetting;

/// The least number of timed steps, where runs are that long.
const TIMED_STEPS: u64 = 20_000;

/// Adds the runs of one setting to `total`: their number, their steps and, on request, their time.
pub(super) fn add(
    request: &EstimateRequest<'_>,
    plan: &ExperimentPlan,
    setting: &Setting,
    total: &mut Estimate,
) -> Result<()> {
    let EstimateRequest { context, small_context, .. } = request;
    let sets = plan.sets_per_group();
    for spec in plan.groups.sizes().iter().flat_map(|_| &plan.algorithms) {
        total.cells += sets;
        total.runs += sets * plan.runs * plan.checkpoints(spec).len() as u64;
        total.steps += sets * plan.steps_per_set(spec);
    }
    let Some(small_context) = small_context else { return Ok(()) };
    let base = OpenedSetting::open(small_context, setting, plan.seed)?;
    match (&plan.subsets, setting.entry.play) {
        (Some(subsets), Play::Live) => {
            let of_size = |&size: &usize| sets * truth_comparisons(context.effort(size, true), size);
            total.comparisons += subsets.sizes.iter().map(of_size).sum::<u64>();
        }
        _ => total.comparisons += comparisons(context, setting, base.arms()),
    }
    for &size in plan.groups.sizes() {
        let environment = match (size, &plan.subsets) {
            // Any set of this size will do to time it.
            (Some(size), Some(_)) => base.subset(small_context, size, 0, false)?,
            _ => Some(base.environment(small_context)?),
        };
        let Some(environment) = environment else { continue };
        let seconds = plan.algorithms.par_iter().map(|spec| seconds_of_runs(plan, &environment, spec));
        let seconds = seconds.collect::<Result<Vec<f64>>>()?;
        total.play_seconds += sets as f64 * seconds.iter().sum::<f64>();
    }
    Ok(())
}

/// Seconds of one thread for all runs of `spec` in one environment.
fn seconds_of_runs(plan: &ExperimentPlan, environment: &Environment, spec: &Spec) -> Result<f64> {
    let steps = plan.steps_per_set(spec) / plan.runs.max(1);
    let timed_steps = (steps / 2).clamp(1, TIMED_STEPS);
    // Runs that the experiment does not have.
    let numbers: Vec<u64> = (0..plan.runs).take(environment.runs_in_step()).map(|run| u64::MAX - run).collect();
    let seconds = |steps: u64| -> Result<f64> {
        let run_plan = RunPlan {
            algorithm: spec,
            steps,
            seed: plan.seed,
            checkpoints: &[steps],
            count_suboptimal: false,
            evidence: None,
        };
        let busy_before = busy_seconds();
        let played = environment.play(&run_plan, &numbers, &Progress::hidden())?;
        // Only our share of a machine that has other work.
        let spent = busy_before.and_then(|busy_before| Some(busy_seconds()? - busy_before));
        let seconds = || played.iter().map(|record| record.seconds).sum();
        Ok(spent.unwrap_or_else(seconds) / numbers.len().max(1) as f64)
    };
    // The first steps cost most: the rest is assumed to cost as much as the second of two stretches.
    let (first_seconds, both_seconds) = (seconds(timed_steps)?, seconds(2 * timed_steps)?);
    let later_seconds_per_step = (both_seconds - first_seconds).max(0.0) / timed_steps as f64;
    Ok((both_seconds + later_seconds_per_step * steps.saturating_sub(2 * timed_steps) as f64) * plan.runs as f64)
}

/// Seconds of CPU of this thread, where the system reports them.
fn busy_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}
