//! Runs turned into curves: the values of a curve are those of all runs in all environments.

use crate::experiment::kinds::regret::{Job, Plan};
use crate::experiment::series::{Point, Series};
use crate::results::label;

/// What all runs came to at one step.
struct Reading {
    step: u64,
    regret: Vec<f64>,
    /// 1 where the best was named, else 0.
    accuracy: Vec<f64>,
    /// The share of steps since the reading before that compared others than the best.
    suboptimal: Vec<f64>,
    /// The share that did not compare the best at all.
    without_best: Vec<f64>,
}

/// Adds the curves of `setting` to `all`, made of the jobs of `environments` environments: environment by environment,
/// algorithm by algorithm, horizon by horizon. `x` takes the place of the step where curves run
/// against something else.
pub(crate) fn collect(
    plan: &Plan,
    jobs: &[Job<'_>],
    environments: usize,
    setting: &str,
    x: Option<f64>,
    all: &mut Vec<Series>,
) {
    for spec in &plan.algorithms {
        let of_spec: Vec<&Job<'_>> = jobs.iter().filter(|job| job.spec == spec).collect();
        let horizons = of_spec.len() / environments.max(1);
        let mut readings = Vec::new();
        for horizon in 0..horizons {
            let cells: Vec<&Job<'_>> = of_spec.iter().skip(horizon).step_by(horizons).copied().collect();
            readings.extend((0..cells[0].points.len()).map(|index| reading(plan, &cells, index)));
        }
        type Values = fn(&Reading) -> &Vec<f64>;
        let metrics: [(&'static str, Values); 4] = [
            ("regret", |reading| &reading.regret),
            ("accuracy", |reading| &reading.accuracy),
            ("suboptimal", |reading| &reading.suboptimal),
            ("without the best", |reading| &reading.without_best),
        ];
        for (metric, values) in metrics {
            let points: Vec<Point> = readings
                .iter()
                .map(|reading| Point { x: x.unwrap_or(reading.step as f64), values: values(reading).clone() })
                .filter(|point| !point.values.is_empty())
                .collect();
            add(all, Series { setting: setting.to_owned(), curve: label(spec), metric, points });
        }
    }
}

/// Adds a curve, or its points to the curve that there is.
fn add(all: &mut Vec<Series>, new: Series) {
    let same = |s: &&mut Series| s.setting == new.setting && s.curve == new.curve && s.metric == new.metric;
    match all.iter_mut().find(same) {
        _ if new.points.is_empty() => {}
        Some(series) => series.points.extend(new.points),
        None => all.push(new),
    }
}

fn reading(plan: &Plan, cells: &[&Job<'_>], index: usize) -> Reading {
    let points = &cells[0].points;
    let runs = || cells.iter().flat_map(|job| job.cell.runs.range(..plan.runs).map(|(_, run)| run));
    Reading {
        step: points[index],
        regret: runs().map(|run| run.regret[index]).collect(),
        accuracy: runs().map(|run| f64::from(u8::from(run.right[index]))).collect(),
        suboptimal: runs().filter_map(|run| window_share(&run.suboptimal, points, index)).collect(),
        without_best: runs().filter_map(|run| window_share(&run.without_best, points, index)).collect(),
    }
}

/// The share of the steps between two checkpoints that were counted.
fn window_share(counts: &[f64], points: &[u64], index: usize) -> Option<f64> {
    let count = counts.get(index)?;
    let (before, from) = if index == 0 { (0.0, 0) } else { (counts[index - 1], points[index - 1]) };
    Some((count - before) / (points[index] - from) as f64)
}
