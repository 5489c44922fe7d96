//! A setting with its data opened: where its environments come from.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use bandits::problems::{Problem, ProblemArena};
use bandits::{Arena, Arm, Generator, PreferenceMatrix, RegretKind, UtilityArena};
use letor_io::{Dataset, FeatureId, Names};
use output::input;
use output::numbers::{with_separators, with_unit};
use output::usage::usage;
use serde::{Deserialize, Serialize};
use simulation::arm_names::ArmNames;
use simulation::late_answers::LateAnswers;
use simulation::lists::ListSource;
use simulation::matrix::{matrix_checksum, prepare_problem};
use simulation::pairwise::estimate_matrix;
use simulation::prepared_site::PreparedSite;
use simulation::proxy::matrix_origin;
use simulation::sample::draw_first;
use simulation::seed;
use simulation::seed_text::{SeedSubject, seed_text};
use simulation::spec::SiteSpec;

use crate::experiment::config::Play;
use crate::experiment::config::expand::Setting;
use crate::experiment::context::{ExperimentContext, MOST_BYTES, Source};
use crate::experiment::environment::Environment;
use studies::results::ensure_two_arms;

/// A setting with its data opened and its rankers chosen, from which environments are made.
pub(crate) struct OpenedSetting {
    pub(crate) source: Source,
    content: Content,
    seed: u64,
    regret: Option<RegretKind>,
    late_answers: LateAnswers,
}

enum Content {
    Data { dataset: Arc<Dataset>, spec: Box<SiteSpec>, features: Vec<FeatureId> },
    Matrix { matrix: PreferenceMatrix, names: ArmNames, of: String },
    Utilities { arena: UtilityArena, of: String },
}

/// The description of a setting, for the summary.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettingInfo {
    /// Its name.
    pub setting: String,
    /// The data.
    pub source: Source,
    /// The number of rankers.
    pub arms: usize,
    /// The subject of comparison, in enough detail to recognise it.
    pub about: String,
    /// The reference of regret.
    pub truth: String,
}

/// Checks the names of problems and the preferences of a setting.
///
/// # Errors
/// With the name of the setting.
pub(crate) fn check(setting: &Setting) -> Result<()> {
    match setting.entry.play {
        Play::Problem => problem_content(setting).map(drop),
        Play::Live | Play::Proxy => Ok(()),
    }
}

impl OpenedSetting {
    /// Opens the data of `setting`; `seed` is the master seed.
    ///
    /// # Errors
    /// When data are missing or wrong.
    pub(crate) fn open(context: &ExperimentContext, setting: &Setting, seed: u64) -> Result<Self> {
        let source = context.source(setting)?;
        let content = match setting.entry.play {
            Play::Problem => problem_content(setting)?,
            Play::Proxy => proxy_content(context, setting, &source, seed)?,
            Play::Live => {
                let spec = site_spec(setting, &source);
                let dataset = context.open(&source, &spec)?;
                let features = spec.features(&dataset, seed)?;
                Content::Data { dataset, spec: Box::new(spec), features }
            }
        };
        Ok(Self { source, content, seed, regret: setting.entry.regret, late_answers: setting.late_answers.clone() })
    }

    /// The number of rankers.
    pub(crate) fn arms(&self) -> usize {
        match &self.content {
            Content::Data { features, .. } => features.len(),
            Content::Matrix { matrix, .. } => matrix.arms(),
            Content::Utilities { arena, .. } => arena.gaps().len(),
        }
    }

    /// The preference matrix, of settings that have one.
    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        match &self.content {
            Content::Matrix { matrix, .. } => Some(matrix),
            _ => None,
        }
    }

    /// The names of the arms.
    pub(crate) fn names(&self) -> ArmNames {
        match &self.content {
            Content::Matrix { names, .. } => names.clone(),
            Content::Data { dataset, features, .. } => {
                let names = dataset.feature_names();
                let columns = features.iter().map(|feature| feature.0 as usize - 1);
                ArmNames::features(features.clone()).with_user_names(names.and_then(|names| names.subset(columns)))
            }
            Content::Utilities { .. } => ArmNames::NUMBERS,
        }
    }

    /// The data set, of live settings.
    pub(crate) fn dataset(&self) -> Option<&Dataset> {
        match &self.content {
            Content::Data { dataset, .. } => Some(dataset),
            _ => None,
        }
    }

    /// The subject of comparison, in a phrase.
    pub(crate) fn subject(&self) -> String {
        match &self.content {
            Content::Data { dataset, .. } => format!(
                "live on {}: {}, {}, checksum {}",
                dataset.name(),
                with_unit(dataset.queries() as u64, "query"),
                with_unit(dataset.documents() as u64, "document"),
                dataset.checksum()
            ),
            Content::Matrix { of, matrix, .. } => format!("{of}, checksum {}", &matrix_checksum(matrix, true)[..16]),
            Content::Utilities { of, .. } => of.clone(),
        }
    }

    /// The environment of all rankers.
    ///
    /// # Errors
    /// When the truth cannot be kept.
    pub(crate) fn environment(&self, context: &ExperimentContext) -> Result<Environment> {
        let all_arms: Vec<usize> = (0..self.arms()).collect();
        Ok(self.environment_of_arms(context, &all_arms, false)?.0)
    }

    /// The environment of the random set `number` of `size` rankers. With `with_winner`, sets are drawn
    /// until one has a Condorcet winner; none if none of 100 has one.
    ///
    /// # Errors
    /// When there are fewer rankers than `size`, or the truth cannot be kept.
    pub(crate) fn subset(
        &self,
        context: &ExperimentContext,
        size: usize,
        number: u64,
        with_winner: bool,
    ) -> Result<Option<Environment>> {
        const TRIES: u64 = 100;
        ensure!(size <= self.arms(), usage(format!("sizes: cannot draw a set of {size} rankers from {}", self.arms())));
        let cell = seed_text(SeedSubject::Subset { size, arms: self.arms() });
        for attempt in 0..TRIES {
            let mut generator = seed::generator(self.seed, &cell, number, &format!("arms {attempt}"));
            let arms = draw_arms(self.arms(), size, &mut generator);
            let (environment, has_winner) = self.environment_of_arms(context, &arms, true)?;
            if has_winner || !with_winner {
                return Ok(Some(environment));
            }
        }
        Ok(None)
    }

    /// The environment of these arms, and whether they have a Condorcet winner.
    fn environment_of_arms(
        &self,
        context: &ExperimentContext,
        arms: &[usize],
        subset: bool,
    ) -> Result<(Environment, bool)> {
        let (environment, has_winner) = match &self.content {
            Content::Utilities { arena, of } => {
                ensure!(
                    arms.len() == arena.gaps().len(),
                    usage("utilities have no random subsets: choose a smaller problem")
                );
                (Environment::of_utilities(arena.clone(), of, self.regret)?, true)
            }
            Content::Matrix { matrix, names, .. } => {
                let chosen: Vec<Arm> = arms.iter().map(|&arm| Arm::at(arm)).collect();
                let matrix = matrix.subset(&chosen)?;
                ensure_two_arms(&matrix, "the matrix")?;
                Environment::of_matrix(matrix, &names.subset(arms), self.regret)?
            }
            Content::Data { dataset, spec, features } => {
                let features = arms.iter().map(|&arm| features[arm]).collect();
                // Random sets of rankers are many, and each is small.
                let lists = if subset { &ListSource::InMemory } else { &context.lists };
                let prepared = spec.prepare_rankers(Arc::clone(dataset), features, self.seed, lists)?;
                Environment::of_site(context, prepared, self.seed, subset, self.regret)?
            }
        };
        Ok((environment.with_late(&self.late_answers), has_winner))
    }
}

/// The site of a setting; without the split on look-alikes, which have none.
pub(crate) fn site_spec(setting: &Setting, source: &Source) -> SiteSpec {
    let mut spec = setting.spec.clone();
    if source.lookalike {
        spec.reading.split = None;
    }
    spec
}

fn problem_content(setting: &Setting) -> Result<Content> {
    if !setting.entry.preferences.is_empty() {
        let matrix = PreferenceMatrix::from_rows(&setting.entry.preferences)
            .with_context(|| format!("setting {:?}: preferences", setting.name))?;
        let description = "the preferences in the file".to_owned();
        return Ok(Content::Matrix { matrix, names: ArmNames::NUMBERS, of: description });
    }
    let name = setting.problem.as_deref().unwrap_or_default();
    let problem: Problem = name.parse().with_context(|| format!("setting {:?}", setting.name))?;
    let description = problem.to_string();
    Ok(match prepare_problem(&problem)? {
        ProblemArena::Matrix(matrix) => Content::Matrix { matrix, names: ArmNames::NUMBERS, of: description },
        ProblemArena::Utilities(arena) => Content::Utilities { arena, of: description },
    })
}

/// A published matrix, or else one estimated from impressions.
fn proxy_content(context: &ExperimentContext, setting: &Setting, source: &Source, seed: u64) -> Result<Content> {
    let entry = &setting.entry;
    if let Some(path) = entry.matrix.0.iter().find_map(|name| context.find_matrix(name)) {
        let bytes =
            input::read_file(&path, MOST_BYTES).with_context(|| format!("failed to read {}", path.display()))?;
        let (full_matrix, header) = PreferenceMatrix::with_names(&bytes)
            .with_context(|| format!("{} is not a preference matrix", path.display()))?;
        let known_names = || matrix_origin(&path, &full_matrix).names().cloned();
        let names = header.and_then(|names| Names::new(names).ok()).or_else(known_names);
        // Arm i of a matrix of feature rankers is feature i + 1.
        let spec = &setting.spec;
        let features = spec
            .rankers
            .resolve(names.as_ref())?
            .choose(full_matrix.arms() as u32, seed::seed(seed, "rankers", 0, "selection"))?;
        let kept_features = features.iter().filter(|feature| !entry.without.contains(&feature.0));
        let arms: Vec<Arm> = kept_features.map(|feature| Arm(feature.0 - 1)).collect();
        let matrix = full_matrix.subset(&arms)?;
        let names = names.and_then(|names| names.subset(arms.iter().map(|arm| arm.index())));
        let names = ArmNames::chosen(arms).with_user_names(names);
        return Ok(Content::Matrix {
            matrix,
            names,
            of: format!(
                "the matrix {}{}",
                source.name,
                if source.lookalike { ", estimated on synthetic data" } else { "" }
            ),
        });
    }
    let spec = site_spec(setting, source);
    let dataset = context.open(source, &spec)?;
    let features = spec.features(&dataset, seed)?;
    let prepared = spec.prepare_rankers(dataset, features, seed, &context.lists)?;
    let requested_impressions = if source.lookalike { entry.lookalike_impressions_per_pair } else { None };
    let interleavings = requested_impressions.or(entry.impressions_per_pair).map_or(4_000, |count| count.0);
    let interleavings = context.scaled(interleavings, 300);
    let matrix = estimated_matrix(context, &prepared, interleavings, seed)?;
    let description = format!(
        "a matrix of {} estimated from {} impressions per pair of {}, {} clicks",
        prepared.site.arms(),
        with_separators(interleavings),
        source.name,
        prepared.description.click.model
    );
    Ok(Content::Matrix { matrix, names: prepared.description.names(), of: description })
}

/// The estimated preference matrix of all rankers of a site, kept in the cache.
fn estimated_matrix(
    context: &ExperimentContext,
    prepared: &PreparedSite,
    interleavings: u64,
    seed: u64,
) -> Result<PreferenceMatrix> {
    let arms = prepared.site.arms();
    let text = SeedSubject::EstimatedMatrix { site: &prepared.description, comparisons: interleavings, seed };
    context.cache().file(
        ("proxy", "npy"),
        &seed_text(text),
        |bytes| PreferenceMatrix::from_bytes(bytes).ok().filter(|matrix| matrix.arms() == arms),
        PreferenceMatrix::to_npy,
        || estimate_matrix(&prepared.site, &prepared.methods.interleaving, interleavings, seed, context.quiet),
    )
}

/// `size` of the numbers below `arm_count`, drawn uniformly without replacement, in increasing order.
fn draw_arms(arm_count: usize, size: usize, generator: &mut Generator) -> Vec<usize> {
    let mut pool: Vec<usize> = (0..arm_count).collect();
    draw_first(&mut pool, size, generator);
    pool.truncate(size);
    pool.sort_unstable();
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_increasing_and_of_the_right_size() {
        let mut generator = seed::generator(1, "t", 0, "t");
        assert_eq!(draw_arms(4, 4, &mut generator), [0, 1, 2, 3]);
        let few = draw_arms(100, 5, &mut generator);
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]) && few.len() == 5);
    }
}
