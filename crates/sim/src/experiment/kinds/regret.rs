//! Experiments in which algorithms play: which runs there are, playing those that are missing, and
//! the curves made of them.

use crate::simulation::seed_text::{Seeded, seed_text};
use std::time::Instant;

use anyhow::{Context, Result};
use bandits::log_spaced;
use bandits::registry::Spec;
use bandits::structure::{lower_bound, theory};
use rayon::prelude::*;

use crate::experiment::config::expand::{self, Setting};
use crate::experiment::config::{Bound, Experiment, Kind};
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::{Environment, OpenedSetting, SettingInfo};
use crate::experiment::kinds::collect::collect;
use crate::experiment::measured::{Measured, Work};
use crate::experiment::run_store::{RunRecord, RunStore};
use crate::experiment::series::{Point, Series};
use crate::output::numbers::counted;
use crate::output::progress::Progress;
use crate::results::label;
use crate::simulation::runs::crews;

/// What is played in every setting, scaled.
pub(crate) struct Plan {
    pub(crate) algorithms: Vec<Spec>,
    pub(crate) runs: u64,
    /// The checkpoints of a run; one run of several where an algorithm must know its horizon.
    pub(crate) reads: Reads,
    pub(crate) seed: u64,
    suboptimal: bool,
    /// Sizes of random sets of rankers, and how many; none for all rankers.
    pub(crate) subsets: Option<(Vec<usize>, u64, bool)>,
}

/// When runs are read off.
pub(crate) enum Reads {
    /// Regret on the way to a single end.
    Curve(Vec<u64>),
    /// At each of these horizons.
    Horizons(Vec<u64>),
}

impl Plan {
    pub(crate) fn new(context: &ExperimentContext, experiment: &Experiment) -> Result<Self> {
        let runs = context.scaled(experiment.runs.map_or(1, |runs| runs.0), 2);
        let reads = if experiment.kind == Kind::Accuracy {
            let mut horizons: Vec<u64> = experiment.horizons.iter().map(|horizon| horizon.0).collect();
            let last = horizons.iter().copied().max().unwrap_or(1);
            let most = context.scaled(last, 1_000);
            horizons.retain(|&horizon| horizon <= most);
            Reads::Horizons(if horizons.is_empty() { vec![most] } else { horizons })
        } else {
            let steps = context.scaled(experiment.steps.context("steps")?.0, 2_000);
            let last_only = experiment.kind == Kind::RegretAgainstRankers;
            Reads::Curve(if last_only {
                vec![steps]
            } else {
                let mut points = log_spaced(steps, experiment.checkpoints.unwrap_or(10));
                // The second half tells whether regret still grows as fast as time.
                points.push(steps / 2);
                points.sort_unstable();
                points.dedup();
                points.retain(|&point| point > 0);
                points
            })
        };
        let subsets = experiment
            .subsets
            .as_ref()
            .map(|subsets| (subsets.sizes.clone(), context.scaled(subsets.count, 2), subsets.with_condorcet_winner));
        Ok(Self {
            algorithms: expand::algorithms(&experiment.algorithms)?,
            runs,
            reads,
            seed: experiment.seed.unwrap_or(1),
            suboptimal: experiment.draw.suboptimal,
            subsets,
        })
    }

    /// The runs of `spec`, each by its checkpoints.
    pub(crate) fn checkpoints(&self, spec: &Spec) -> Vec<Vec<u64>> {
        match &self.reads {
            Reads::Curve(points) => vec![points.clone()],
            Reads::Horizons(horizons) => spec.runs_for(horizons),
        }
    }

    /// Steps of all runs in one environment.
    pub(crate) fn steps_a_stage(&self, spec: &Spec) -> u64 {
        self.checkpoints(spec).iter().filter_map(|points| points.last()).sum::<u64>() * self.runs
    }

    /// The groups that are played one after another: all rankers, or the sets of one size.
    pub(crate) fn groups(&self) -> Vec<Option<usize>> {
        match &self.subsets {
            None => vec![None],
            Some((sizes, ..)) => sizes.iter().copied().map(Some).collect(),
        }
    }

    /// The environments of a group; none where no random set has the Condorcet winner that it should.
    fn environments(
        &self,
        context: &ExperimentContext,
        base: &OpenedSetting,
        group: Option<usize>,
    ) -> Result<Option<Vec<Environment>>> {
        match (group, &self.subsets) {
            (Some(size), Some((_, count, with_winner))) => {
                // In order, each by itself: which sets are drawn must not depend on threads.
                (0..*count).map(|number| base.subset(context, size, number, *with_winner)).collect()
            }
            _ => Ok(Some(vec![base.environment(context)?])),
        }
    }
}

/// One cell: a environment, an algorithm, checkpoints.
pub(crate) struct Job<'a> {
    environment: &'a Environment,
    pub(crate) spec: &'a Spec,
    /// When its runs are read off.
    pub(crate) points: Vec<u64>,
    pub(crate) cell: RunStore,
}

pub(crate) fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<Measured> {
    let plan = Plan::new(context, experiment)?;
    let mut measured = Measured::default();
    for setting in expand::settings(&experiment.settings) {
        in_setting(context, experiment, &plan, &setting, &mut measured)
            .with_context(|| format!("setting {:?}", setting.name))?;
    }
    Ok(measured)
}

fn in_setting(
    context: &ExperimentContext,
    experiment: &Experiment,
    plan: &Plan,
    setting: &Setting,
    measured: &mut Measured,
) -> Result<()> {
    let start = Instant::now();
    let base = OpenedSetting::open(context, setting, plan.seed)?;
    measured.work.preparing += start.elapsed().as_secs_f64();
    let mut truths = Vec::new();
    let groups = plan.groups();
    for &group in &groups {
        let start = Instant::now();
        let environments = plan.environments(context, &base, group)?;
        measured.work.preparing += start.elapsed().as_secs_f64();
        let Some(environments) = environments else {
            let size = group.unwrap_or_default();
            let rankers = counted(size as u64, "ranker");
            truths.push(format!("left out: random sets of {rankers}, none of which has a Condorcet winner"));
            continue;
        };
        let jobs = play(context, plan, &environments, &setting.name, &mut measured.work)?;
        let name = match group {
            Some(size) if groups.len() > 1 && experiment.kind != Kind::RegretAgainstRankers => {
                format!("{}, {size} rankers", setting.name)
            }
            _ => setting.name.clone(),
        };
        let x = group.filter(|_| experiment.kind == Kind::RegretAgainstRankers).map(|size| size as f64);
        collect(plan, &jobs, environments.len(), &name, x, &mut measured.series);
        if x.is_none() {
            for bound in &experiment.draw.bounds {
                match bounds(plan, &environments[0], *bound, &name) {
                    Ok(series) => measured.series.extend(series),
                    Err(error) => truths.push(format!("without a bound: {error:#}")),
                }
            }
        }
        truths.push(match &environments[..] {
            [one] => one.truth.clone(),
            several => {
                let sets = counted(several.len() as u64, "random set");
                format!("{sets} of {}, each its own", counted(several[0].arms() as u64, "ranker"))
            }
        });
    }
    measured.settings.push(SettingInfo {
        setting: setting.name.clone(),
        source: base.source.clone(),
        arms: base.arms(),
        about: base.about(),
        truth: truths.join("; "),
    });
    Ok(())
}

/// Plays what is missing of every cell of these environments.
fn play<'a>(
    context: &ExperimentContext,
    plan: &'a Plan,
    environments: &'a [Environment],
    name: &str,
    work: &mut Work,
) -> Result<Vec<Job<'a>>> {
    let mut jobs = Vec::new();
    for environment in environments {
        let measured = environment.seed_text();
        for spec in &plan.algorithms {
            for points in plan.checkpoints(spec) {
                let text = seed_text(Seeded::Cell {
                    measured: &measured,
                    algorithm: spec,
                    checkpoints: &points,
                    seed: plan.seed,
                    suboptimal: plan.suboptimal,
                });
                let cell = RunStore::open(&context.cache, &text, points.len());
                jobs.push(Job { environment, spec, points, cell });
            }
        }
    }
    let mut missing: Vec<(usize, u64)> =
        jobs.iter().enumerate().flat_map(|(at, job)| job.cell.missing(plan.runs).map(move |run| (at, run))).collect();
    // Runs first, then algorithms: threads end at about the same time.
    missing.sort_by_key(|&(at, run)| (run, at));
    let total: u64 = missing.iter().filter_map(|&(at, _)| jobs[at].points.last()).sum();
    let progress = Progress::new(name, total, context.quiet);
    let in_step = environments.first().map_or(1, Environment::in_step);
    let played = crews(missing, in_step)
        .par_iter()
        .with_max_len(1)
        .map(|(at, runs)| {
            let job = &jobs[*at];
            let records = job.environment.play(job.spec, &job.points, (plan.seed, runs), plan.suboptimal, &progress)?;
            for record in &records {
                job.cell.append(record)?;
            }
            Ok(records.into_iter().map(|record| (*at, record)).collect())
        })
        .collect::<Result<Vec<Vec<(usize, RunRecord)>>>>()?
        .concat();
    progress.finish();
    work.played += played.len() as u64;
    for (at, record) in played {
        jobs[at].cell.runs.insert(record.run, record);
    }
    for job in &jobs {
        let of_plan = job.cell.runs.range(..plan.runs);
        let seconds: f64 = of_plan.map(|(_, record)| record.seconds).sum();
        let steps = job.points.last().copied().unwrap_or(0) * plan.runs;
        work.add(name, &label(job.spec), seconds, steps);
    }
    Ok(jobs)
}

/// A bound on regret as a curve.
fn bounds(plan: &Plan, environment: &Environment, bound: Bound, setting: &str) -> Result<Option<Series>> {
    let Some(matrix) = environment.matrix() else { return Ok(None) };
    let Reads::Curve(points) = &plan.reads else { return Ok(None) };
    let at: Box<dyn Fn(f64) -> f64> = match bound {
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
            let found = theory::merge_rucb_with_probability(matrix, alpha, p as usize, delta)?;
            Box::new(move |step| found.at(step))
        }
    };
    let points = points.iter().map(|&step| Point { x: step as f64, values: vec![at(step as f64)] }).collect();
    Ok(Some(Series { setting: setting.to_owned(), curve: bound.curve().to_owned(), metric: "regret", points }))
}
