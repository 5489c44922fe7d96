//! What a setting is played on, made ready: data opened, rankers chosen, the truth known.

use crate::output::cache::sha256_hex;
use crate::simulation::prepared::PreparedSite;
use crate::simulation::seed_text::{Seeded, seed_text};
use crate::simulation::spec::SiteSpec;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use bandits::problems::{Problem, Setting as ProblemSetting};
use bandits::registry::Spec;
use bandits::winners::condorcet_winners;
use bandits::{Arena, Arm, Generator, MatrixArena, PreferenceMatrix, RegretReference, UtilityArena};
use letor_io::{Dataset, FeatureId};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::experiment::config::expand::Setting;
use crate::experiment::config::{Play, RegretBy};
use crate::experiment::context::{ExperimentContext, Source};
use crate::experiment::run_store::RunRecord;
use crate::output::numbers::{counted, grouped};
use crate::output::progress::Progress;
use crate::simulation::arm_names::ArmNames;
use crate::simulation::live_arena::LiveArenas;
use crate::simulation::pairwise::estimate_matrix;
use crate::simulation::runs::{Arenas, Copies, RunPlan, play_runs};
use crate::simulation::seed;

/// A setting with its data opened and all its rankers at hand, from which environments are made.
pub(crate) struct OpenedSetting {
    pub(crate) source: Source,
    content: Content,
    seed: u64,
    regret: RegretBy,
}

enum Content {
    Data { dataset: Arc<Dataset>, spec: Box<SiteSpec>, features: Vec<FeatureId> },
    Matrix { matrix: PreferenceMatrix, names: ArmNames, of: String },
    Utilities { arena: UtilityArena, of: String },
}

/// A set of rankers, and how comparisons of them come out.
pub(crate) struct Environment {
    play: Playing,
    /// What regret is measured against, in a sentence.
    pub(crate) truth: String,
}

enum Playing {
    Live { prepared: Box<PreparedSite>, gaps: Vec<f64>, content: String },
    Matrix(Copies<MatrixArena>),
    Utilities(Copies<UtilityArena>),
}

/// What a setting was played on, for the summary.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettingInfo {
    /// Its name.
    pub setting: String,
    /// The data.
    pub source: Source,
    /// How many rankers.
    pub arms: usize,
    /// What is compared, so that a reader can tell whether it is the same.
    pub about: String,
    /// What regret is measured against.
    pub truth: String,
}

/// Whether the names in a setting are names.
pub(crate) fn check(setting: &Setting) -> Result<()> {
    match setting.entry.play {
        Play::Problem => of_problem(setting).map(drop),
        Play::Live | Play::Proxy => Ok(()),
    }
}

impl OpenedSetting {
    pub(crate) fn open(context: &ExperimentContext, setting: &Setting, seed: u64) -> Result<Self> {
        let source = context.source(setting)?;
        let content = match setting.entry.play {
            Play::Problem => of_problem(setting)?,
            Play::Proxy => of_proxy(context, setting, &source, seed)?,
            Play::Live => {
                let spec = site_spec(setting, &source);
                let dataset = context.open(&source, &spec)?;
                let features = spec.features(&dataset, seed)?;
                Content::Data { dataset, spec: Box::new(spec), features }
            }
        };
        Ok(Self { source, content, seed, regret: setting.entry.regret })
    }

    pub(crate) fn arms(&self) -> usize {
        match &self.content {
            Content::Data { features, .. } => features.len(),
            Content::Matrix { matrix, .. } => matrix.arms(),
            Content::Utilities { arena, .. } => arena.gaps().len(),
        }
    }

    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        match &self.content {
            Content::Matrix { matrix, .. } => Some(matrix),
            _ => None,
        }
    }

    /// What the arms of the matrix are called.
    pub(crate) fn names(&self) -> ArmNames {
        match &self.content {
            Content::Matrix { names, .. } => names.clone(),
            Content::Data { features, .. } => ArmNames::Features(features.clone()),
            Content::Utilities { .. } => ArmNames::Numbers,
        }
    }

    pub(crate) fn dataset(&self) -> Option<&Dataset> {
        match &self.content {
            Content::Data { dataset, .. } => Some(dataset),
            _ => None,
        }
    }

    /// What the rankers are, in a phrase.
    pub(crate) fn about(&self) -> String {
        match &self.content {
            Content::Data { dataset, .. } => format!(
                "live on {}: {}, {}, checksum {}",
                dataset.name(),
                counted(dataset.queries() as u64, "query"),
                counted(dataset.documents() as u64, "document"),
                dataset.checksum()
            ),
            Content::Matrix { of, matrix, .. } => format!("{of}, checksum {}", &sha256_hex(&matrix.to_text())[..16]),
            Content::Utilities { of, .. } => of.clone(),
        }
    }

    /// All rankers.
    pub(crate) fn environment(&self, context: &ExperimentContext) -> Result<Environment> {
        let all: Vec<usize> = (0..self.arms()).collect();
        Ok(self.of_arms(context, &all, false)?.0)
    }

    /// The random set `number` of `size` rankers, drawn again until it has a Condorcet winner if
    /// that is asked for; none where none of many draws has one.
    pub(crate) fn subset(
        &self,
        context: &ExperimentContext,
        size: usize,
        number: u64,
        with_winner: bool,
    ) -> Result<Option<Environment>> {
        const TRIES: u64 = 100;
        ensure!(size <= self.arms(), "a set of {size} rankers cannot be drawn from {}", self.arms());
        let cell = seed_text(Seeded::Subset { size, arms: self.arms() });
        for attempt in 0..TRIES {
            let mut generator = seed::generator(self.seed, &cell, number, &format!("arms {attempt}"));
            let arms = draw(self.arms(), size, &mut generator);
            let (environment, has_winner) = self.of_arms(context, &arms, true)?;
            if has_winner || !with_winner {
                return Ok(Some(environment));
            }
        }
        Ok(None)
    }

    /// The environment of these arms, and whether they have a Condorcet winner.
    fn of_arms(&self, context: &ExperimentContext, arms: &[usize], subset: bool) -> Result<(Environment, bool)> {
        match &self.content {
            Content::Utilities { arena, of } => {
                ensure!(arms.len() == arena.gaps().len(), "subsets of utilities are not drawn: name a smaller problem");
                let play = Playing::Utilities(Copies { arena: arena.clone(), content: seed_text(Seeded::Problem(of)) });
                Ok((Environment { play, truth: "the arm of the highest utility".to_owned() }, true))
            }
            Content::Matrix { matrix, names, .. } => {
                let chosen: Vec<Arm> = arms.iter().map(|&arm| Arm::at(arm)).collect();
                on_matrix(matrix.subset(&chosen)?, &names.subset(arms))
            }
            Content::Data { dataset, spec, features } => {
                let features = arms.iter().map(|&arm| features[arm]).collect();
                let prepared = spec.prepare_rankers(Arc::clone(dataset), features, self.seed)?;
                live(context, prepared, self.seed, subset, self.regret)
            }
        }
    }
}

/// The site of a setting, with the split left out where the look-alike has none.
pub(crate) fn site_spec(setting: &Setting, source: &Source) -> SiteSpec {
    let mut spec = setting.spec.clone();
    if source.lookalike {
        spec.reading.split = None;
    }
    spec
}

fn of_problem(setting: &Setting) -> Result<Content> {
    if !setting.entry.preferences.is_empty() {
        let matrix = PreferenceMatrix::from_rows(&setting.entry.preferences)
            .with_context(|| format!("setting {:?}: preferences", setting.name))?;
        let of = "the preferences in the file".to_owned();
        return Ok(Content::Matrix { matrix, names: ArmNames::Numbers, of });
    }
    let name = setting.problem.as_deref().unwrap_or_default();
    let problem: Problem = name.parse().with_context(|| format!("setting {:?}", setting.name))?;
    let of = problem.to_string();
    Ok(match problem.setting()? {
        ProblemSetting::Matrix(matrix) => Content::Matrix { matrix, names: ArmNames::Numbers, of },
        ProblemSetting::Utilities(arena) => Content::Utilities { arena, of },
    })
}

/// A published matrix, or one estimated from impressions.
fn of_proxy(context: &ExperimentContext, setting: &Setting, source: &Source, seed: u64) -> Result<Content> {
    let entry = &setting.entry;
    if let Some(path) = entry.matrix.0.iter().find_map(|name| context.find_matrix(name)) {
        let bytes = std::fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let whole = PreferenceMatrix::from_bytes(&bytes)
            .with_context(|| format!("{} is not a preference matrix", path.display()))?;
        // Arm i of a matrix of feature rankers is feature i + 1.
        let spec = &setting.spec;
        let features = spec.rankers.choose(whole.arms() as u32, seed::seed(seed, "rankers", 0, "selection"))?;
        let kept = features.iter().filter(|feature| !spec.without.contains(&feature.0));
        let arms: Vec<Arm> = kept.map(|feature| Arm(feature.0 - 1)).collect();
        let matrix = whole.subset(&arms)?;
        return Ok(Content::Matrix {
            matrix,
            names: ArmNames::chosen(arms),
            of: format!("the matrix {}", source.name),
        });
    }
    let spec = site_spec(setting, source);
    let prepared = spec.prepare(context.open(source, &spec)?, seed)?;
    let asked = if source.lookalike { entry.lookalike_interleavings } else { None };
    let interleavings = asked.or(entry.interleavings).map_or(4_000, |count| count.0);
    let interleavings = context.scaled(interleavings, 300);
    let matrix = estimated(context, &prepared, interleavings, seed)?;
    let of = format!(
        "a matrix of {} estimated from {} impressions a pair of {}, {} clicks",
        prepared.site.arms(),
        grouped(interleavings),
        source.name,
        prepared.description.click.model
    );
    Ok(Content::Matrix { matrix, names: prepared.description.names(), of })
}

/// The preference matrix of all rankers of a site, kept in the cache.
fn estimated(
    context: &ExperimentContext,
    prepared: &PreparedSite,
    interleavings: u64,
    seed: u64,
) -> Result<PreferenceMatrix> {
    let arms = prepared.site.arms();
    let text = Seeded::EstimatedMatrix { site: &prepared.description, comparisons: interleavings, seed };
    context.cache().file(
        ("proxy", "npy"),
        &seed_text(text),
        |bytes| PreferenceMatrix::from_bytes(bytes).ok().filter(|matrix| matrix.arms() == arms),
        PreferenceMatrix::to_npy,
        || Ok(estimate_matrix(&prepared.site, &prepared.methods.interleaving, interleavings, seed, context.quiet)?),
    )
}

/// Regret is measured against the Condorcet winner or, where there is none, by Copeland score.
fn on_matrix(matrix: PreferenceMatrix, names: &ArmNames) -> Result<(Environment, bool)> {
    let winner = condorcet_winners(&matrix).first().copied();
    let truth = match winner {
        Some(winner) => format!("Condorcet winner: {}", names.name(winner.index())),
        None => "no Condorcet winner; regret is Copeland score lost".to_owned(),
    };
    let content = seed_text(Seeded::Matrix(&sha256_hex(&matrix.to_text())));
    let against = if winner.is_some() { RegretReference::Condorcet } else { RegretReference::Copeland };
    let arena = MatrixArena::with_reference(matrix, against)?;
    Ok((Environment { play: Playing::Matrix(Copies { arena, content }), truth }, winner.is_some()))
}

fn live(
    context: &ExperimentContext,
    prepared: PreparedSite,
    seed: u64,
    subset: bool,
    regret: RegretBy,
) -> Result<(Environment, bool)> {
    let content = prepared.description.seed_text();
    let (gaps, described, has_winner) = match regret {
        RegretBy::Ndcg => {
            let ndcg = prepared.ndcg()?;
            let best = ndcg.iter().copied().fold(0.0, f64::max);
            let arm = ndcg.iter().position(|value| *value == best).unwrap_or(0);
            let described = format!("regret is nDCG@10 below that of {}", prepared.description.label(arm));
            (ndcg.iter().map(|value| best - value).collect(), described, true)
        }
        RegretBy::Condorcet => {
            let truth = context.truth(&prepared, seed, subset)?;
            let described = truth.describe(|arm| prepared.description.label(arm));
            let has_winner = truth.measure == crate::simulation::truth::Measure::Condorcet;
            (truth.gaps, described, has_winner)
        }
    };
    Ok((
        Environment { play: Playing::Live { prepared: Box::new(prepared), gaps, content }, truth: described },
        has_winner,
    ))
}

/// `size` of `all` numbers, rising.
fn draw(all: usize, size: usize, generator: &mut Generator) -> Vec<usize> {
    let mut pool: Vec<usize> = (0..all).collect();
    for chosen in 0..size {
        let from = generator.random_range(chosen..pool.len());
        pool.swap(chosen, from);
    }
    pool.truncate(size);
    pool.sort_unstable();
    pool
}

impl Environment {
    pub(crate) fn arms(&self) -> usize {
        self.gaps().len()
    }

    fn gaps(&self) -> &[f64] {
        match &self.play {
            Playing::Live { gaps, .. } => gaps,
            Playing::Matrix(copies) => copies.arena.gaps(),
            Playing::Utilities(copies) => copies.arena.gaps(),
        }
    }

    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        match &self.play {
            Playing::Matrix(copies) => Some(copies.arena.matrix()),
            _ => None,
        }
    }

    /// Everything a run depends on but the algorithm: content, and the gaps that regret is made of.
    pub(crate) fn seed_text(&self) -> String {
        let content = match &self.play {
            Playing::Live { content, .. } => content,
            Playing::Matrix(copies) => &copies.content,
            Playing::Utilities(copies) => &copies.content,
        };
        seed_text(Seeded::Measured { arenas: content, gaps: self.gaps() })
    }

    /// How many runs a thread had best play in step.
    pub(crate) fn in_step(&self) -> usize {
        match &self.play {
            Playing::Live { prepared, gaps, content } => live_arenas(prepared, gaps, content).in_step(),
            Playing::Matrix(copies) => copies.in_step(),
            Playing::Utilities(copies) => copies.in_step(),
        }
    }

    /// These runs of `spec`, read off at `checkpoints`, the last of which is their end.
    pub(crate) fn play(
        &self,
        spec: &Spec,
        checkpoints: &[u64],
        (seed, runs): (u64, &[u64]),
        suboptimal: bool,
        progress: &Progress,
    ) -> Result<Vec<RunRecord>> {
        let steps = checkpoints.last().copied().unwrap_or(0);
        let plan = RunPlan { algorithm: spec, steps, seed, checkpoints, count_suboptimal: suboptimal };
        let gaps = self.gaps();
        match &self.play {
            Playing::Live { prepared, gaps, content } => {
                records(&live_arenas(prepared, gaps, content), &plan, runs, gaps, progress)
            }
            Playing::Matrix(copies) => records(copies, &plan, runs, gaps, progress),
            Playing::Utilities(copies) => records(copies, &plan, runs, gaps, progress),
        }
    }
}

fn live_arenas<'a>(prepared: &'a PreparedSite, gaps: &'a [f64], content: &str) -> LiveArenas<'a> {
    LiveArenas { site: &prepared.site, methods: &prepared.methods, gaps, content: content.to_owned() }
}

/// Plays the runs with these numbers, and keeps what experiments need of them.
fn records<A: Arenas>(
    arenas: &A,
    plan: &RunPlan<'_>,
    numbers: &[u64],
    gaps: &[f64],
    progress: &Progress,
) -> Result<Vec<RunRecord>> {
    let right = |best: &Option<Arm>| best.is_some_and(|arm| gaps[arm.index()] <= 0.0);
    let runs = play_runs(arenas, plan, numbers, progress)?;
    let records = numbers.iter().zip(&runs).map(|(&number, run)| RunRecord {
        run: number,
        seconds: run.seconds,
        regret: run.regret.iter().map(|regret| regret.average).collect(),
        right: run.best.iter().map(right).collect(),
        // The worst arm of a step costs something; even the best of it does.
        suboptimal: run.suboptimal.iter().map(|count| count.strong).collect(),
        without_best: run.suboptimal.iter().map(|count| count.weak).collect(),
    });
    Ok(records.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_rising_and_whole() {
        let mut generator = seed::generator(1, "t", 0, "t");
        assert_eq!(draw(4, 4, &mut generator), [0, 1, 2, 3]);
        let few = draw(100, 5, &mut generator);
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]) && few.len() == 5);
    }
}
