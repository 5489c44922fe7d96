//! What a setting is played on, made ready: data opened, rankers chosen, the truth known.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use bandits::problems::{Problem, Setting as ProblemSetting};
use bandits::registry::Spec;
use bandits::winners::condorcet_winners;
use bandits::{
    Arena, Arm, Choice, Generator, MatrixArena, Observer, PreferenceMatrix, Recorder, Regret, RegretReference,
    UtilityArena,
};
use clap::Parser;
use interleave::AnyInterleaving;
use letor_io::{Dataset, FeatureId};
use rand::RngExt;
use rankers::Gain;
use serde::{Deserialize, Serialize};

use crate::cli::args::{Laid, SiteOptions};
use crate::experiment::config::expand::Setting;
use crate::experiment::config::{Play, RegretBy};
use crate::experiment::context::{Session, Source};
use crate::experiment::run_store::RunRecord;
use crate::output;
use crate::output::numbers::{counted, grouped};
use crate::output::progress::Progress;
use crate::simulation::arm_names::ArmNames;
use crate::simulation::live_arena::LiveArenas;
use crate::simulation::pairwise::compare_pairs;
use crate::simulation::runs::{Arenas, Copies, play_runs};
use crate::simulation::seed;
use crate::simulation::truth::{Question, Truth};

/// A setting with its data opened and all its rankers at hand, from which stages are made.
pub(crate) struct Base {
    pub(crate) source: Source,
    content: Content,
    seed: u64,
    regret: RegretBy,
}

enum Content {
    Data { dataset: Arc<Dataset>, options: Box<SiteOptions>, features: Vec<FeatureId> },
    Matrix { matrix: PreferenceMatrix, names: ArmNames, of: String },
    Utilities { arena: UtilityArena, of: String },
}

/// A set of rankers, and how comparisons of them come out.
pub(crate) struct Stage {
    play: Playing,
    /// What regret is measured against, in a sentence.
    pub(crate) truth: String,
}

enum Playing {
    Live { laid: Box<Laid>, gaps: Vec<f64>, content: String },
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

/// The flags of a setting, read as the command line reads them.
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    site: SiteOptions,
}

/// The options that a setting's keys stand for.
pub(crate) fn options(setting: &Setting) -> Result<SiteOptions> {
    let entry = &setting.entry;
    let mut flags = vec!["sim".to_owned(), "--click".to_owned(), setting.click.clone()];
    let given = [
        ("split", entry.split.clone()),
        ("shown", entry.shown.map(|shown| shown.to_string())),
        ("rankers", entry.rankers.clone()),
        ("interleave", entry.interleave.clone()),
        ("multileave", entry.multileave.clone()),
        ("credit-ties", entry.credit_ties.clone()),
        ("ties", entry.ties.clone()),
        ("fractional-labels", entry.fractional_labels.clone()),
    ];
    for (flag, value) in given {
        flags.extend(value.into_iter().flat_map(|value| [format!("--{flag}"), value]));
    }
    if !entry.without.is_empty() {
        let list: Vec<String> = entry.without.iter().map(u32::to_string).collect();
        flags.extend(["--without".to_owned(), list.join(",")]);
    }
    let parsed = Flags::try_parse_from(flags).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ").replace("--", "");
        anyhow!("setting {:?}: {line}", setting.name)
    })?;
    Ok(parsed.site)
}

/// Whether the names in a setting are names.
pub(crate) fn check(setting: &Setting) -> Result<()> {
    match setting.entry.play {
        Play::Problem => of_problem(setting).map(drop),
        Play::Live | Play::Proxy => options(setting).map(drop),
    }
}

impl Base {
    pub(crate) fn open(session: &Session, setting: &Setting, seed: u64) -> Result<Self> {
        let source = session.source(setting)?;
        let content = match setting.entry.play {
            Play::Problem => of_problem(setting)?,
            Play::Proxy => of_proxy(session, setting, &source, seed)?,
            Play::Live => {
                let options = site_options(setting, &source)?;
                let dataset = session.open(&source, &options)?;
                let features = options.rankers(&dataset, seed)?;
                Content::Data { dataset, options: Box::new(options), features }
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
            Content::Matrix { of, matrix, .. } => format!("{of}, checksum {}", &seed::key(&matrix.to_text())[..16]),
            Content::Utilities { of, .. } => of.clone(),
        }
    }

    /// All rankers.
    pub(crate) fn stage(&self, session: &Session) -> Result<Stage> {
        let all: Vec<usize> = (0..self.arms()).collect();
        Ok(self.of_arms(session, &all, false)?.0)
    }

    /// The random set `number` of `size` rankers, drawn again until it has a Condorcet winner if
    /// that is asked for; none where none of many draws has one.
    pub(crate) fn subset(
        &self,
        session: &Session,
        size: usize,
        number: u64,
        with_winner: bool,
    ) -> Result<Option<Stage>> {
        const TRIES: u64 = 100;
        ensure!(size <= self.arms(), "a set of {size} rankers cannot be drawn from {}", self.arms());
        let cell = format!("subset of {size} of {}", self.arms());
        for attempt in 0..TRIES {
            let mut generator = seed::generator(self.seed, &cell, number, &format!("arms {attempt}"));
            let arms = draw(self.arms(), size, &mut generator);
            let (stage, has_winner) = self.of_arms(session, &arms, true)?;
            if has_winner || !with_winner {
                return Ok(Some(stage));
            }
        }
        Ok(None)
    }

    /// The stage of these arms, and whether they have a Condorcet winner.
    fn of_arms(&self, session: &Session, arms: &[usize], subset: bool) -> Result<(Stage, bool)> {
        match &self.content {
            Content::Utilities { arena, of } => {
                ensure!(arms.len() == arena.gaps().len(), "subsets of utilities are not drawn: name a smaller problem");
                let play = Playing::Utilities(Copies { arena: arena.clone(), content: format!("problem {of}") });
                Ok((Stage { play, truth: "the arm of the highest utility".to_owned() }, true))
            }
            Content::Matrix { matrix, names, .. } => {
                let chosen: Vec<Arm> = arms.iter().map(|&arm| Arm::at(arm)).collect();
                on_matrix(matrix.subset(&chosen)?, &names.subset(arms))
            }
            Content::Data { dataset, options, features } => {
                let features = arms.iter().map(|&arm| features[arm]).collect();
                let laid = options.lay_out(dataset, features, self.seed)?;
                live(session, laid, dataset, self.seed, subset, self.regret)
            }
        }
    }
}

/// The options of a setting, with the split left out where the look-alike has none.
fn site_options(setting: &Setting, source: &Source) -> Result<SiteOptions> {
    let mut setting = setting.clone();
    if source.lookalike {
        setting.entry.split = None;
    }
    options(&setting)
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
fn of_proxy(session: &Session, setting: &Setting, source: &Source, seed: u64) -> Result<Content> {
    let entry = &setting.entry;
    if let Some(path) = entry.matrix.0.iter().find_map(|name| session.find_matrix(name)) {
        let bytes = std::fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let whole = PreferenceMatrix::from_bytes(&bytes)
            .with_context(|| format!("{} is not a preference matrix", path.display()))?;
        // Arm i of a matrix of feature rankers is feature i + 1.
        let selection: rankers::Selection = entry.rankers.as_deref().unwrap_or("all").parse()?;
        let features = selection.choose(whole.arms() as u32, seed::seed(seed, "rankers", 0, "selection"))?;
        let kept = features.iter().filter(|feature| !entry.without.contains(&feature.0));
        let arms: Vec<Arm> = kept.map(|feature| Arm(feature.0 - 1)).collect();
        let matrix = whole.subset(&arms)?;
        return Ok(Content::Matrix {
            matrix,
            names: ArmNames::chosen(arms),
            of: format!("the matrix {}", source.name),
        });
    }
    let options = site_options(setting, source)?;
    let dataset = session.open(source, &options)?;
    let features = options.rankers(&dataset, seed)?;
    let laid = options.lay_out(&dataset, features, seed)?;
    let asked = if source.lookalike { entry.lookalike_interleavings } else { None };
    let interleavings = asked.or(entry.interleavings).map_or(4_000, |count| count.0);
    let interleavings = session.scaled(interleavings, 300);
    let matrix = estimated(session, &laid, interleavings, seed)?;
    let of = format!(
        "a matrix of {} estimated from {} impressions a pair of {}, {} clicks",
        laid.site.arms(),
        grouped(interleavings),
        source.name,
        laid.description.click.model
    );
    Ok(Content::Matrix { matrix, names: laid.description.names(), of })
}

/// The preference matrix of all rankers of a site, kept in the cache.
fn estimated(session: &Session, laid: &Laid, interleavings: u64, seed: u64) -> Result<PreferenceMatrix> {
    let described = format!("proxy 2\n{}\n{interleavings}\nseed {seed}", laid.description.content());
    let path = session.cache.join(format!("proxy-{}.npy", &seed::key(&described)[..24]));
    if let Ok(bytes) = std::fs::read(&path)
        && let Ok(matrix) = PreferenceMatrix::from_bytes(&bytes)
        && matrix.arms() == laid.site.arms()
    {
        return Ok(matrix);
    }
    let arms = laid.site.arms();
    // Rankers with the same lists are even by nature, and need no impressions to tell.
    let alike = laid.site.rankings().duplicates();
    let pairs: Vec<(u32, u32)> = (0..arms)
        .flat_map(|low| (low + 1..arms).map(move |high| (low, high)))
        .filter(|&(low, high)| alike[low] != alike[high])
        .map(|(low, high)| (low as u32, high as u32))
        .collect();
    let progress = Progress::new("estimating preferences", pairs.len() as u64 * interleavings, session.quiet);
    let counts = match &laid.methods.interleaving {
        AnyInterleaving::Probabilistic(method) => {
            compare_pairs(&laid.site, method, &pairs, interleavings, seed, "proxy", &progress)
        }
        method => compare_pairs(&laid.site, method, &pairs, interleavings, seed, "proxy", &progress),
    };
    progress.finish();
    let mut entries = vec![0.5; arms * arms];
    for (&(low, high), count) in pairs.iter().zip(&counts) {
        let (low, high) = (low as usize, high as usize);
        entries[low * arms + high] = count.preference();
        entries[high * arms + low] = 1.0 - count.preference();
    }
    let matrix = PreferenceMatrix::new(arms, entries)?;
    output::create_folder(&session.cache)?;
    output::write_atomic(&path, &matrix.to_npy())?;
    Ok(matrix)
}

/// Regret is measured against the Condorcet winner or, where there is none, by Copeland score.
fn on_matrix(matrix: PreferenceMatrix, names: &ArmNames) -> Result<(Stage, bool)> {
    let winner = condorcet_winners(&matrix).first().copied();
    let truth = match winner {
        Some(winner) => format!("Condorcet winner: {}", names.name(winner.index())),
        None => "no Condorcet winner; regret is Copeland score lost".to_owned(),
    };
    let content = format!("matrix {}", seed::key(&matrix.to_text()));
    let against = if winner.is_some() { RegretReference::Condorcet } else { RegretReference::Copeland };
    let arena = MatrixArena::with_reference(matrix, against)?;
    Ok((Stage { play: Playing::Matrix(Copies { arena, content }), truth }, winner.is_some()))
}

fn live(
    session: &Session,
    laid: Laid,
    dataset: &Dataset,
    seed: u64,
    subset: bool,
    regret: RegretBy,
) -> Result<(Stage, bool)> {
    let content = laid.description.content();
    let ndcg = || Ok(laid.site.rankings().ndcg(dataset.labels(), 10, Gain::Exponential)?);
    let (gaps, described, has_winner) = match regret {
        RegretBy::Ndcg => {
            let ndcg = ndcg()?;
            let best = ndcg.iter().copied().fold(0.0, f64::max);
            let arm = ndcg.iter().position(|value| *value == best).unwrap_or(0);
            let described = format!("regret is nDCG@10 below that of {}", laid.description.label(arm));
            (ndcg.iter().map(|value| best - value).collect(), described, true)
        }
        RegretBy::Condorcet => {
            let truth = truth_of(session, &laid, seed, subset, ndcg)?;
            let described = truth.describe(|arm| laid.description.label(arm));
            let has_winner = truth.measure == crate::simulation::truth::Measure::Condorcet;
            (truth.gaps, described, has_winner)
        }
    };
    Ok((Stage { play: Playing::Live { laid: Box::new(laid), gaps, content }, truth: described }, has_winner))
}

/// The truth of a site, kept in the cache.
pub(crate) fn truth_of(
    session: &Session,
    laid: &Laid,
    seed: u64,
    subset: bool,
    ndcg: impl FnOnce() -> Result<Vec<f64>>,
) -> Result<Truth> {
    let effort = session.effort(laid.site.arms(), subset);
    let quiet = session.quiet || subset;
    let question = Question { site: &laid.site, method: &laid.pairwise, effort, seed, quiet };
    question.establish(&laid.description.truth_content(), &session.cache, ndcg)
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

impl Stage {
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
    pub(crate) fn described(&self) -> String {
        let content = match &self.play {
            Playing::Live { content, .. } => content,
            Playing::Matrix(copies) => &copies.content,
            Playing::Utilities(copies) => &copies.content,
        };
        let gaps: String = self.gaps().iter().map(|gap| format!("{:x},", gap.to_bits())).collect();
        format!("{content}\ngaps {}", seed::key(&gaps))
    }

    /// How many runs a thread had best play in step.
    pub(crate) fn in_step(&self) -> usize {
        match &self.play {
            Playing::Live { laid, gaps, content } => live_arenas(laid, gaps, content).in_step(),
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
        let how = How { spec, checkpoints, seed, runs, suboptimal, gaps: self.gaps(), progress };
        match &self.play {
            Playing::Live { laid, gaps, content } => how.play(&live_arenas(laid, gaps, content)),
            Playing::Matrix(copies) => how.play(copies),
            Playing::Utilities(copies) => how.play(copies),
        }
    }
}

fn live_arenas<'a>(laid: &'a Laid, gaps: &'a [f64], content: &str) -> LiveArenas<'a> {
    LiveArenas { site: &laid.site, methods: &laid.methods, gaps, content: content.to_owned() }
}

struct How<'a> {
    spec: &'a Spec,
    checkpoints: &'a [u64],
    seed: u64,
    runs: &'a [u64],
    suboptimal: bool,
    gaps: &'a [f64],
    progress: &'a Progress,
}

impl How<'_> {
    fn play<A: Arenas>(&self, arenas: &A) -> Result<Vec<RunRecord>> {
        let steps = self.checkpoints.last().copied().unwrap_or(0);
        let numbers = [steps, self.seed];
        let recorder = || Recorder::new(self.checkpoints.to_vec()).with_bests();
        if self.suboptimal {
            // A step is suboptimal when any arm of it costs anything.
            let cost: Vec<f64> = self.gaps.iter().map(|gap| f64::from(u8::from(*gap > 0.0))).collect();
            let both = |&run: &u64| {
                let steps = Recorder::new(self.checkpoints.to_vec());
                (run, Both { recorder: recorder(), steps, cost: cost.clone() })
            };
            let runs = self.runs.iter().map(both).collect();
            let (both, seconds) = play_runs(arenas, self.spec, numbers, runs, self.progress)?;
            let records = self.runs.iter().zip(&both);
            Ok(records.map(|(&run, both)| self.record(run, seconds, &both.recorder, both.steps.curve())).collect())
        } else {
            let runs = self.runs.iter().map(|&run| (run, recorder())).collect();
            let (recorders, seconds) = play_runs(arenas, self.spec, numbers, runs, self.progress)?;
            let records = self.runs.iter().zip(&recorders);
            Ok(records.map(|(&run, recorder)| self.record(run, seconds, recorder, &[])).collect())
        }
    }

    fn record(&self, run: u64, seconds: f64, recorder: &Recorder, counts: &[Regret]) -> RunRecord {
        let right = |best: &Option<Arm>| best.is_some_and(|arm| self.gaps[arm.index()] <= 0.0);
        RunRecord {
            run,
            seconds,
            regret: recorder.curve().iter().map(|regret| regret.average).collect(),
            right: recorder.bests().iter().map(right).collect(),
            // The worst arm of a step costs something; even the best of it does.
            suboptimal: counts.iter().map(|count| count.strong).collect(),
            without_best: counts.iter().map(|count| count.weak).collect(),
        }
    }
}

/// Keeps regret, and counts steps that compare others than the best.
struct Both {
    recorder: Recorder,
    steps: Recorder,
    cost: Vec<f64>,
}

impl Observer for Both {
    #[inline]
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.recorder.played(from, to, choice, gaps);
        self.steps.played(from, to, choice, &self.cost);
    }

    #[inline]
    fn next_report(&self) -> u64 {
        self.recorder.next_report()
    }

    fn report(&mut self, step: u64, best: Option<Arm>) {
        self.recorder.report(step, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::config::Experiment;
    use crate::experiment::config::expand::settings;

    #[test]
    fn keys_are_read_as_flags() {
        let text = "title = \"t\"\npaper = \"rcs\"\nfigure = \"f\"\nkind = \"structure\"\n[[setting]]\nname = \"s\"\n\
                    play = \"live\"\nlookalike = \"mq2008-lookalike:0.1\"\n";
        let of = |more: &str| options(&settings(&Experiment::parse(&format!("{text}{more}\n")).unwrap().settings)[0]);
        of("click = \"perfect\"\nrankers = \"alphabetical:10\"\nwithout = [3, 4]\ncredit-ties = \"same\"").unwrap();
        let error = of("click = \"prefect\"").unwrap_err().to_string();
        assert!(error.contains("setting \"s\"") && error.contains("prefect") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn draws_are_rising_and_whole() {
        let mut generator = seed::generator(1, "t", 0, "t");
        assert_eq!(draw(4, 4, &mut generator), [0, 1, 2, 3]);
        let few = draw(100, 5, &mut generator);
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]) && few.len() == 5);
    }
}
