//! Turns runs into curves: a point has the values of all runs in all environments.

use crate::experiment::kinds::cell_runs::CellRuns;
use crate::experiment::kinds::plan::ExperimentPlan;
use crate::experiment::series::{Metric, Point, Series};
use studies::results::label;

/// The metrics of runs; shares of steps only where `suboptimal` steps are counted.
pub(super) fn run_metrics(suboptimal: bool) -> impl Iterator<Item = Metric> {
    let share_metrics = if suboptimal { &[Metric::Suboptimal, Metric::WithoutBest][..] } else { &[] };
    [Metric::Regret, Metric::Accuracy].into_iter().chain(share_metrics.iter().copied())
}

/// The values of all runs at one checkpoint.
struct CheckpointValues {
    step: u64,
    regret: Vec<f64>,
    /// 1 where the best is recommended, else 0.
    accuracy: Vec<f64>,
    /// The share of steps since the checkpoint before that compare suboptimal rankers.
    suboptimal: Vec<f64>,
    /// The share of those steps that do not compare the best at all.
    without_best: Vec<f64>,
}

impl CheckpointValues {
    fn at_checkpoint(plan: &ExperimentPlan, cells: &[&CellRuns<'_>], index: usize) -> Self {
        let checkpoints = &cells[0].checkpoints;
        let runs = || cells.iter().flat_map(|cell| cell.store.by_number.range(..plan.runs).map(|(_, run)| run));
        Self {
            step: checkpoints[index],
            regret: runs().map(|run| run.regret[index]).collect(),
            accuracy: runs().map(|run| f64::from(u8::from(run.right[index]))).collect(),
            suboptimal: runs().filter_map(|run| window_share(&run.suboptimal, checkpoints, index)).collect(),
            without_best: runs().filter_map(|run| window_share(&run.without_best, checkpoints, index)).collect(),
        }
    }

    fn values_of(&self, metric: Metric) -> &[f64] {
        match metric {
            Metric::Accuracy => &self.accuracy,
            Metric::Suboptimal => &self.suboptimal,
            Metric::WithoutBest => &self.without_best,
            _ => &self.regret,
        }
    }
}

/// Adds the curves of `setting` to `all`. `cells` has one entry for each of `environments` environments, algorithm and horizon, in this
/// order of nesting. Where curves do not run against time, `x` replaces the step.
pub(super) fn add_run_curves(
    plan: &ExperimentPlan,
    cells: &[CellRuns<'_>],
    environments: usize,
    setting: &str,
    x: Option<f64>,
    all_series: &mut Vec<Series>,
) {
    for spec in &plan.algorithms {
        let of_spec: Vec<&CellRuns<'_>> = cells.iter().filter(|cell| cell.spec == spec).collect();
        let horizons = of_spec.len() / environments.max(1);
        let mut checkpoints = Vec::new();
        for horizon in 0..horizons {
            let cells: Vec<&CellRuns<'_>> = of_spec.iter().skip(horizon).step_by(horizons).copied().collect();
            let values = |index| CheckpointValues::at_checkpoint(plan, &cells, index);
            checkpoints.extend((0..cells[0].checkpoints.len()).map(values));
        }
        for metric in run_metrics(plan.suboptimal) {
            let point = |values: &CheckpointValues| {
                Point::new(x.unwrap_or(values.step as f64), values.values_of(metric).to_vec())
            };
            let points: Vec<Point> = checkpoints.iter().map(point).filter(|point| !point.values.is_empty()).collect();
            add_series(all_series, Series { setting: setting.to_owned(), curve: label(spec), metric, points });
        }
    }
}

/// Adds a curve, or its points to the curve of the same name.
fn add_series(all_series: &mut Vec<Series>, series: Series) {
    let is_same_curve =
        |s: &&mut Series| s.setting == series.setting && s.curve == series.curve && s.metric == series.metric;
    match all_series.iter_mut().find(is_same_curve) {
        _ if series.points.is_empty() => {}
        Some(existing) => existing.points.extend(series.points),
        None => all_series.push(series),
    }
}

/// The share of the steps between two checkpoints that were counted.
fn window_share(counts: &[f64], checkpoints: &[u64], index: usize) -> Option<f64> {
    let count = counts.get(index)?;
    let (count_before, step_before) = if index == 0 { (0.0, 0) } else { (counts[index - 1], checkpoints[index - 1]) };
    Some((count - count_before) / (checkpoints[index] - step_before) as f64)
}
