//! Playing the runs of a [`ExperimentPlan`] that are missing, setting by setting.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result};
use bandits::structure::{lower_bound, theory};
use output::numbers::with_unit;
use output::progress::Progress;
use rayon::prelude::*;
use simulation::runs::{RunPlan, batches_of_runs, ensure_room_for_runs, jobs_of};
use simulation::seed_text::{SeedSubject, seed_text};

use crate::experiment::config::expand::{self, Setting};
use crate::experiment::config::validate::require_key;
use crate::experiment::config::{Bound, Experiment};
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::Environment;
use crate::experiment::experiment_data::{Effort, ExperimentData};
use crate::experiment::kinds::SeriesNames;
use crate::experiment::kinds::cell_runs::CellRuns;
use crate::experiment::kinds::plan::{Checkpoints, ExperimentPlan, Groups};
use crate::experiment::kinds::run_curves::{add_run_curves, run_metrics};
use crate::experiment::opened_setting::{OpenedSetting, SettingInfo};
use crate::experiment::run_store::{self, RunRecord};
use crate::experiment::series::{Metric, Point, Series};
use output::shards::Cell;
use studies::results::label;

/// # Errors
/// When the file lacks a key that every kind of experiment with algorithms needs.
pub(super) fn check(experiment: &Experiment) -> Result<()> {
    require_key(experiment, !experiment.algorithms.is_empty(), "algorithms")?;
    require_key(experiment, experiment.runs.is_some(), "runs")
}

/// The names of all series that [`measure`] may return.
pub(super) fn series_names(experiment: &Experiment, groups: &Groups) -> Result<SeriesNames> {
    let mut settings = Vec::new();
    for setting in &experiment.settings {
        settings.extend(groups.sizes().iter().map(|&size| groups.setting_name(&setting.name, size)));
    }
    settings.dedup();
    let algorithms: Vec<String> = expand::algorithms(&experiment.algorithms)?.iter().map(label).collect();
    let bounds = experiment.draw.bounds.iter().map(|bound| bound.curve().to_owned());
    let with_bounds: Vec<String> = algorithms.iter().cloned().chain(bounds).collect();
    let curves = |metric| if metric == Metric::Regret { with_bounds.clone() } else { algorithms.clone() };
    let metrics = run_metrics(experiment.draw.suboptimal).map(|metric| (metric, curves(metric))).collect();
    Ok(SeriesNames { settings, metrics })
}

/// Plays the missing runs of all settings and returns their curves.
pub(super) fn measure(
    context: &ExperimentContext,
    experiment: &Experiment,
    plan: &ExperimentPlan,
) -> Result<ExperimentData> {
    let mut data = ExperimentData::default();
    for setting in &experiment.settings {
        measure_setting(context, experiment, plan, setting, &mut data)
            .with_context(|| format!("setting {:?}", setting.name))?;
    }
    Ok(data)
}

fn measure_setting(
    context: &ExperimentContext,
    experiment: &Experiment,
    plan: &ExperimentPlan,
    setting: &Setting,
    data: &mut ExperimentData,
) -> Result<()> {
    let start = Instant::now();
    let base = OpenedSetting::open(context, setting, plan.seed)?;
    data.work.preparing += start.elapsed().as_secs_f64();
    let mut truths = Vec::new();
    for &size in plan.groups.sizes() {
        let start = Instant::now();
        let environments = group_environments(context, plan, &base, size)?;
        data.work.preparing += start.elapsed().as_secs_f64();
        let Some(environments) = environments else {
            let rankers = with_unit(size.unwrap_or_default() as u64, "ranker");
            truths.push(format!("left out: no random set of {rankers} has a Condorcet winner"));
            continue;
        };
        if context.sharing.only_prepares() {
            continue;
        }
        let cells = play_cells(context, plan, &environments, &setting.name, &mut data.work)?;
        if !context.sharing.is_complete() {
            continue;
        }
        let name = plan.groups.setting_name(&setting.name, size);
        let x = plan.groups.x(size);
        add_run_curves(plan, &cells, environments.len(), &name, x, &mut data.series);
        if x.is_none() {
            for bound in &experiment.draw.bounds {
                match bound_series(plan, &environments[0], *bound, &name) {
                    Ok(series) => data.series.extend(series),
                    Err(error) => truths.push(format!("without a bound: {error:#}")),
                }
            }
        }
        truths.push(match &environments[..] {
            [one] => one.truth.clone(),
            several => {
                let sets = with_unit(several.len() as u64, "random set");
                format!("{sets} of {}, each with its own best ranker", with_unit(several[0].arms() as u64, "ranker"))
            }
        });
    }
    data.settings.push(SettingInfo {
        setting: setting.name.clone(),
        source: base.source.clone(),
        arms: base.arms(),
        about: base.subject(),
        truth: truths.join("; "),
    });
    Ok(())
}

/// The environments of a group; none where no random set has the Condorcet winner that it should.
fn group_environments(
    context: &ExperimentContext,
    plan: &ExperimentPlan,
    base: &OpenedSetting,
    size: Option<usize>,
) -> Result<Option<Vec<Environment>>> {
    match (size, &plan.subsets) {
        (Some(size), Some(subsets)) => {
            // In order, one at a time: which sets are drawn must not depend on threads.
            let subset_number = |number| base.subset(context, size, number, subsets.with_condorcet_winner);
            (0..subsets.count).map(subset_number).collect()
        }
        _ => Ok(Some(vec![base.environment(context)?])),
    }
}

/// Plays the missing runs of every algorithm in these environments.
fn play_cells<'a>(
    context: &ExperimentContext,
    plan: &'a ExperimentPlan,
    environments: &'a [Environment],
    name: &str,
    work: &mut Effort,
) -> Result<Vec<CellRuns<'a>>> {
    let arms = environments.iter().map(Environment::arms).max().unwrap_or(0);
    let in_step = environments.first().map_or(1, Environment::runs_in_step);
    let all_runs = plan.runs.saturating_mul(environments.len() as u64);
    ensure_room_for_runs(&plan.algorithms, arms, all_runs, plan.checkpoints.steps().len(), in_step)?;
    let mut cells = Vec::new();
    for environment in environments {
        let measured_seed = environment.seed_text();
        for spec in &plan.algorithms {
            for checkpoints in plan.checkpoints(spec) {
                let text = seed_text(SeedSubject::Cell {
                    measured: &measured_seed,
                    algorithm: spec,
                    checkpoints: &checkpoints,
                    seed: plan.seed,
                    suboptimal: plan.suboptimal,
                });
                let store = run_store::open(&context.cache, &context.sharing, &text, checkpoints.len())?;
                cells.push(CellRuns { environment, spec, checkpoints, store });
            }
        }
    }
    // Ordered by run, then by algorithm: threads end at about the same time, and the shares of shards are alike.
    let mut missing_runs: Vec<(usize, u64)> =
        (0..plan.runs).flat_map(|run| (0..cells.len()).map(move |cell_index| (cell_index, run))).collect();
    if let Some(shard) = context.sharing.share.shard() {
        missing_runs = jobs_of(shard, missing_runs);
        let owned: BTreeSet<(usize, u64)> = missing_runs.iter().copied().collect();
        for (cell_index, cell) in cells.iter_mut().enumerate() {
            cell.store.by_number.retain(|run, _| owned.contains(&(cell_index, *run)));
        }
    }
    missing_runs.retain(|(cell_index, run)| !cells[*cell_index].store.by_number.contains_key(run));
    if let (Some(parts), Some((cell_index, run))) = (context.sharing.share.parts(), missing_runs.first()) {
        return Err(parts.incomplete_error(&format!("run {run} of {} in {name}", label(cells[*cell_index].spec))));
    }
    let total: u64 = missing_runs.iter().filter_map(|&(cell_index, _)| cells[cell_index].checkpoints.last()).sum();
    let progress = Progress::new(name, total, context.quiet);
    let played = batches_of_runs(missing_runs, in_step)
        .par_iter()
        .with_max_len(1)
        .map(|(cell_index, runs)| {
            let cell = &cells[*cell_index];
            let run_plan = RunPlan {
                algorithm: cell.spec,
                steps: cell.checkpoints.last().copied().unwrap_or(0),
                seed: plan.seed,
                checkpoints: &cell.checkpoints,
                count_suboptimal: plan.suboptimal,
                evidence: None,
            };
            let records = cell.environment.play(&run_plan, runs, &progress)?;
            for record in &records {
                cell.store.append(record)?;
            }
            Ok(records.into_iter().map(|record| (*cell_index, record)).collect())
        })
        .collect::<Result<Vec<Vec<(usize, RunRecord)>>>>()?
        .concat();
    progress.finish();
    work.played += played.len() as u64;
    for (cell_index, record) in played {
        cells[cell_index].store.by_number.insert(record.run, record);
    }
    if context.sharing.share.shard().is_some() {
        let mut finished = context.sharing.cells.borrow_mut();
        for store in cells.iter().map(|cell| &cell.store).filter(|store| !store.by_number.is_empty()) {
            finished.push(Cell::new(store.subject().to_owned(), store.by_number.values())?);
        }
    }
    for cell in &cells {
        let seconds: f64 = cell.store.by_number.range(..plan.runs).map(|(_, record)| record.seconds).sum();
        let steps = cell.checkpoints.last().copied().unwrap_or(0) * plan.runs;
        work.add(name, &label(cell.spec), seconds, steps);
    }
    Ok(cells)
}

/// A bound on regret as a series; none without a matrix or a curve over time.
fn bound_series(
    plan: &ExperimentPlan,
    environment: &Environment,
    bound: Bound,
    setting: &str,
) -> Result<Option<Series>> {
    let Some(matrix) = environment.matrix() else { return Ok(None) };
    let Checkpoints::Curve(steps) = &plan.checkpoints else { return Ok(None) };
    let bound_at: Box<dyn Fn(f64) -> f64> = match bound {
        Bound::Lower => {
            let slope = lower_bound(matrix).context("the lower bound needs a Condorcet winner")?.regret;
            Box::new(move |step| slope * libm::log(step))
        }
        Bound::Mergerucb => {
            let spec = plan.algorithms.iter().find(|spec| spec.entry().name == "mergerucb");
            let canonical = spec.context("the bound needs mergerucb among the algorithms")?.canonical();
            let parameter = |key: &str| -> Option<f64> {
                canonical.split(':').find_map(|part| part.strip_prefix(key)?.strip_prefix('=')?.parse().ok())
            };
            let (alpha, p, delta) = (parameter("alpha"), parameter("p"), parameter("delta"));
            let (Some(alpha), Some(p), Some(delta)) = (alpha, p, delta) else {
                anyhow::bail!("the bound needs alpha, p and delta of mergerucb");
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
            let theory_bound = theory::merge_rucb_with_probability(matrix, alpha, p as usize, delta)?;
            Box::new(move |step| theory_bound.at(step))
        }
    };
    let points = steps.iter().map(|&step| Point::single(step as f64, bound_at(step as f64))).collect();
    Ok(Some(Series { setting: setting.to_owned(), curve: bound.curve().to_owned(), metric: Metric::Regret, points }))
}
