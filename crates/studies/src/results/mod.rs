//! The outputs of a study: curves and runs as CSV, a summary as JSON, a figure (`curves` and `look`), and a table to
//! read ([`table`]); the configuration that accompanies them (`config`), and what studies on matrices play on
//! (`environment`).
//!
//! Everything except `timings.json` depends on the configuration and the seed alone, so
//! `diff -r` of two results folders shows whether they agree.

mod answers;
mod captions;
mod config;
mod curves;
mod environment;
mod evidence;
mod kept_curves;
mod palette;
mod played_runs;
mod presentation;
mod print_format;
mod print_options;
mod regret_basis;
mod table;

use anyhow::Result;
use bandits::registry::{Spec, entries};
use bandits::{Arm, RegretKind};
use letor_io::FeatureId;
use serde::Serialize;
use simulation::arm_names::ArmNames;
use simulation::runs::{RunResult, StudyPlan};

use crate::report::{Content, ReportFile};

pub use self::answers::{MeanAnswers, answers_note};
pub use self::captions::{live_caption, named_caption, regret_per_step, report};
pub use self::config::{AlgorithmNames, BanditConfig, LiveConfig, VERSION};
use self::curves::figure;
pub use self::curves::{bands, curves, logs};
pub use self::environment::ensure_two_arms;
pub use self::environment::{Environment, NamedMatrix, Phase, PreparedEnvironment};
pub use self::evidence::{EvidenceSummary, Quantiles, evidence_table};
pub use self::kept_curves::{FILE as KEPT_CURVES, KeptCurves, npz, quantile};
pub use self::palette::palette;
pub use self::played_runs::PlayedRuns;
pub use self::presentation::{Axes, Presentation, SpreadKind};
pub use self::print_format::Format;
pub use self::print_options::{DENSITY, LegendChoice, Length, LetterSize, PrintChoices};
pub use self::regret_basis::{RegretBasis, notes};
pub use self::table::{distorted_note, settled_note, table};

/// Mean and spread over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
pub struct SampleSummary {
    /// Mean over runs.
    pub mean: f64,
    /// Standard deviation of a run; 0 for a single run.
    pub standard_deviation: f64,
    /// Standard error of the mean; 0 for a single run.
    pub standard_error: f64,
    /// Smallest run.
    pub min: f64,
    /// Largest run.
    pub max: f64,
}

impl SampleSummary {
    /// The spread of `values`, which must not be empty.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        Self {
            mean,
            standard_deviation,
            standard_error: standard_deviation / n.sqrt(),
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// An arm that some runs recommend at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecommendedArm {
    /// The arm among those played, 0-based; null for runs that recommend none.
    pub arm: Option<u32>,
    /// Its feature, of feature rankers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<FeatureId>,
    /// The name that it was given; absent if no arm was given one, null beside others with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Option<String>>,
    /// Its number in the matrix, where not all arms of that are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm_in_matrix: Option<Arm>,
    /// Its name in tables.
    pub label: String,
    /// Number of runs that recommend it.
    pub runs: usize,
}

impl RecommendedArm {
    /// Its name for narrow tables: the name that it was given, or its feature alone, which identifies a ranker, too.
    fn short_name(&self, names: &ArmNames) -> String {
        match (self.arm.and_then(|arm| names.given_name(arm as usize)), self.feature) {
            (Some(given), _) => given.to_owned(),
            (None, Some(feature)) => format!("feature {}", feature.0),
            (None, None) => self.label.clone(),
        }
    }
}

/// One algorithm's outcome.
#[derive(Debug, Clone, Serialize)]
pub struct AlgorithmSummary {
    /// Its name with all parameters.
    pub algorithm: String,
    /// Its name with the parameters that differ from their defaults, as in tables.
    pub label: String,
    /// Steps per run.
    pub steps: u64,
    /// Runs.
    pub runs: usize,
    /// Cumulative regret after the last step.
    pub regret: SampleSummary,
    /// The arms recommended at the end, most often recommended first.
    pub recommended: Vec<RecommendedArm>,
    /// Share of runs that recommend a best arm; null if every arm is optimal.
    pub share_recommending_best: Option<f64>,
    /// What the outcomes prove, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceSummary>,
    /// What became of the answers, for runs with late answers: means over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<MeanAnswers>,
    /// What regret measures, and on what data.
    #[serde(flatten)]
    pub measured: RegretBasis,
}

/// The best arms, the names of all arms, and how regret is measured.
pub struct Arms<'a> {
    /// All arms that count as the best; where preferences change, after the last step.
    pub winners: &'a [usize],
    /// Where preferences change: the same from the given steps on, the first of them 1. Otherwise empty.
    pub phases: &'a [(u64, Vec<usize>)],
    /// The names of all arms.
    pub names: &'a ArmNames,
    /// How regret is measured.
    pub measured: RegretBasis,
    /// By arm, how much worse than the best it is by that measure; empty where that is unknown or changes.
    pub gaps: &'a [f64],
    /// How sets of rankers are compared, if not by the pairs that regret is counted from.
    pub multileave: Option<&'a str>,
}

impl Arms<'_> {
    /// The same arms, with those that were the best at `step` as winners.
    fn at_step(&self, step: u64) -> Self {
        let current_phase = self.phases.partition_point(|&(from, _)| from <= step);
        let winners = self.phases[..current_phase].last().map_or(self.winners, |(_, winners)| winners);
        Self { winners, ..*self }
    }

    /// Whether `arm` is one of the best; `None` if every arm is, so that none is a finding.
    pub fn is_best(&self, arm: Option<Arm>) -> Option<bool> {
        let is_winner = arm.is_some_and(|arm| self.winners.contains(&arm.index()));
        Some(is_winner).filter(|_| !self.measured.every_arm_is_optimal)
    }

    /// Whether it is right to state that `arm` is no worse than the best by more than `margin`, a share of wins; `None` if every arm is the best.
    /// Gaps that are not shares of wins cannot be compared with the margin: then the best alone are right.
    pub fn is_within(&self, arm: Option<Arm>, margin: f64) -> Option<bool> {
        let gap = arm.and_then(|arm| self.gaps.get(arm.index())).filter(|_| self.measured.is_share_of_wins());
        self.is_best(arm).map(|best| best || gap.is_some_and(|gap| *gap <= margin))
    }

    /// The share of `recommended` that is one of the best; `None` if every arm is.
    pub fn share_of_best(&self, recommended: impl ExactSizeIterator<Item = Option<Arm>>) -> Option<f64> {
        let count = recommended.len() as f64;
        let correct: Option<Vec<bool>> = recommended.map(|arm| self.is_best(arm)).collect();
        correct.map(|correct| correct.into_iter().filter(|correct| *correct).count() as f64 / count)
    }

    /// The header of a table of runs: the columns `first_columns`, the recommended arm, its feature or its number in the
    /// matrix where it has one, its name if names were given, and whether it is one of the best.
    pub fn header(&self, first_columns: [&'static str; 4]) -> Vec<String> {
        let mut header = first_columns.map(str::to_owned).to_vec();
        header.push("recommended_arm".to_owned());
        header.extend(self.names.columns().map(|column| format!("recommended_{column}")));
        header.push("recommended_is_best".to_owned());
        header
    }

    /// The last columns of a row of that table.
    pub fn cells(&self, best: Option<Arm>) -> Vec<String> {
        let mut cells = vec![best.map_or_else(String::new, |arm| arm.0.to_string())];
        if self.names.column().is_some() {
            cells.push(best.map_or_else(String::new, |arm| self.names.number(arm.index())));
        }
        if self.names.user_names().is_some() {
            cells.push(best.and_then(|arm| self.names.cell(arm.index()).flatten()).unwrap_or_default());
        }
        cells.push(self.is_best(best).map_or_else(String::new, |best| best.to_string()));
        cells
    }
}

/// Summarises the runs of each algorithm.
#[must_use]
pub fn summarise(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Vec<AlgorithmSummary> {
    plan.algorithms
        .iter()
        .zip(results)
        .map(|(spec, runs)| {
            let finals: Vec<f64> = runs.iter().map(|run| arms.measured.of(&run.final_regret())).collect();
            AlgorithmSummary {
                algorithm: spec.canonical(),
                label: label(spec),
                steps: plan.steps,
                runs: runs.len(),
                regret: SampleSummary::of(&finals),
                recommended: recommendation_counts(runs.iter().map(RunResult::final_recommendation), arms),
                share_recommending_best: arms.share_of_best(runs.iter().map(RunResult::final_recommendation)),
                evidence: EvidenceSummary::of(plan, spec, runs, arms),
                answers: MeanAnswers::of(runs),
                measured: arms.measured,
            }
        })
        .collect()
}

/// How often each arm occurs, most frequent first.
fn recommendation_counts(arms_of_runs: impl Iterator<Item = Option<Arm>>, arms: &Arms<'_>) -> Vec<RecommendedArm> {
    let mut recommended: Vec<RecommendedArm> = Vec::new();
    for best in arms_of_runs {
        let arm = best.map(|arm| arm.0);
        match recommended.iter_mut().find(|entry| entry.arm == arm) {
            Some(entry) => entry.runs += 1,
            None => {
                recommended.push(RecommendedArm {
                    arm,
                    feature: best.and_then(|arm| arms.names.feature(arm.index())),
                    name: best.and_then(|arm| arms.names.cell(arm.index())),
                    arm_in_matrix: best.and_then(|arm| arms.names.arm_in_matrix(arm.index())),
                    label: best.map_or_else(|| "none".to_owned(), |arm| arms.names.name(arm.index())),
                    runs: 1,
                });
            }
        }
    }
    recommended.sort_by_key(|entry| (std::cmp::Reverse(entry.runs), entry.arm));
    recommended
}

/// The prefix of names of policies in the Python package, which tables leave out.
const OF_PYTHON: &str = "python-";

/// An algorithm's name with the parameters that differ from its defaults, for tables and legends; one from outside as it calls itself.
#[must_use]
pub fn label(spec: &Spec) -> String {
    let entry = spec.entry();
    let canonical = spec.canonical();
    let changed_parameters =
        canonical.strip_prefix(entry.name).unwrap_or_default().split(':').skip(1).filter(|assignment| {
            !entry.parameters.iter().any(|parameter| *assignment == format!("{}={}", parameter.key, parameter.value))
        });
    std::iter::once(own_name(entry.name)).chain(changed_parameters).collect::<Vec<_>>().join(" ")
}

/// The [`label`] of the algorithm that results name in full, one from outside too.
#[must_use]
pub fn label_of(canonical: &str) -> String {
    canonical.parse::<Spec>().map_or_else(|_| own_name(canonical).to_owned(), |spec| label(&spec))
}

/// The name that a policy or a click model gives itself: without its version, and without `python-` unless an algorithm of the registry is
/// called so.
#[must_use]
pub fn own_name(name: &str) -> &str {
    let name_only = name.split_once(":version=").map_or(name, |(name_only, _)| name_only);
    let is_taken = |name: &str| entries().iter().any(|entry| entry.name == name);
    name_only.strip_prefix(OF_PYTHON).filter(|own| !is_taken(own)).unwrap_or(name_only)
}

/// The text of a figure.
#[derive(Debug, Clone)]
pub struct Caption {
    /// The title.
    pub title: String,
    /// The unit of time.
    pub x_label: String,
    /// How regret is measured.
    pub regret: String,
    /// A line under the figure: for synthetic data, and for a regret that measures nothing.
    pub note: Option<String>,
    /// How regret is drawn and tabulated.
    pub look: Presentation,
}

impl Caption {
    /// With `note` at the end of the title.
    #[must_use]
    pub fn with_note(mut self, note: Option<String>) -> Self {
        self.title.extend(note.map(|note| format!(", {note}")));
        self
    }
}

/// The files of a study: `curves.csv`, `runs.csv`, `summary.json`, the figure `regret`, `timings.json`, and, if the look keeps
/// them, `curves.npz`.
///
/// # Errors
/// If a table cannot be formatted.
pub fn files(
    plan: &StudyPlan,
    results: &[Vec<RunResult>],
    arms: &Arms<'_>,
    caption: &Caption,
) -> Result<Vec<ReportFile>> {
    let file = |name: &str, content| ReportFile { name: name.to_owned(), content };
    let mut files = vec![
        file("regret", Content::Lines(Box::new(figure(plan, results, arms.measured.kind, caption)))),
        file("curves.csv", Content::Table(curves_csv(plan, results, arms)?)),
        file("runs.csv", Content::Table(runs_csv(plan, results, arms)?)),
        file("summary.json", Content::json(&summarise(plan, results, arms))?),
    ];
    if caption.look.keep_curves {
        files.push(file(KEPT_CURVES, Content::Bytes(npz(plan, results, arms)?)));
    }
    files.push(file("timings.json", timings(plan, results)?));
    Ok(files)
}

/// The spread of cumulative regret of this kind at a checkpoint.
pub fn summary_at(runs: &[RunResult], checkpoint: usize, kind: RegretKind) -> SampleSummary {
    let values: Vec<f64> = runs.iter().map(|run| run.regret[checkpoint].value(kind)).collect();
    SampleSummary::of(&values)
}

/// The content of `curves.csv`: one row per algorithm and checkpoint.
///
/// # Errors
/// None in practice: every row is as long as the header.
pub fn curves_csv(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Result<Vec<u8>> {
    let mut header = vec![
        "algorithm",
        "step",
        "runs",
        "mean_regret",
        "standard_deviation",
        "standard_error",
        "min",
        "max",
        "mean_weak_regret",
        "mean_strong_regret",
        "share_recommending_best",
    ];
    header.extend(plan.evidence.map(|_| "share_stated"));
    header.push("label");
    let mut rows = Vec::new();
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        let mean = |value: &dyn Fn(&RunResult) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
        for (index, step) in plan.checkpoints.iter().enumerate() {
            let spread = summary_at(runs, index, arms.measured.kind);
            let mut row = vec![spec.canonical(), step.to_string(), runs.len().to_string()];
            let numbers = [
                spread.mean,
                spread.standard_deviation,
                spread.standard_error,
                spread.min,
                spread.max,
                mean(&|run| run.regret[index].weak),
                mean(&|run| run.regret[index].strong),
            ];
            row.extend(numbers.map(|value| value.to_string()));
            let share = arms.at_step(*step).share_of_best(runs.iter().map(|run| run.recommended[index]));
            row.push(share.map_or_else(String::new, |share| share.to_string()));
            row.extend(evidence::share_stated(runs, *step).map(|share| share.to_string()));
            row.push(label(spec));
            rows.push(row);
        }
    }
    output::csv(&header, rows)
}

/// The content of `runs.csv`: one row per run.
///
/// # Errors
/// None in practice: every row is as long as the header.
pub fn runs_csv(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Result<Vec<u8>> {
    let mut header = arms.header(["algorithm", "run", "step", "regret"]);
    header.extend(evidence::header(plan, arms));
    header.push("label".to_owned());
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut rows = Vec::new();
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        for (number, run) in runs.iter().enumerate() {
            let regret = arms.measured.of(&run.final_regret()).to_string();
            let mut row = vec![spec.canonical(), number.to_string(), plan.steps.to_string(), regret];
            row.extend(arms.cells(run.final_recommendation()));
            row.extend(evidence::cells(plan, spec, run, arms));
            row.push(label(spec));
            rows.push(row);
        }
    }
    output::csv(&header, rows)
}

/// Seconds and machine-dependent settings: the only file that differs between identical runs.
#[derive(Serialize)]
pub struct Timings {
    threads: usize,
    algorithms: Vec<AlgorithmTiming>,
}

impl Timings {
    /// From the name of each algorithm, the steps per run, and its runs.
    pub fn of<'a>(played: impl Iterator<Item = (String, u64, &'a [RunResult])>) -> Self {
        let algorithms = played
            .map(|(algorithm, steps, runs)| AlgorithmTiming {
                algorithm,
                seconds: runs.iter().map(|run| run.seconds).collect(),
                steps_per_second: rate(steps, runs),
            })
            .collect();
        Self { threads: rayon::current_num_threads(), algorithms }
    }

    /// The content of their file.
    ///
    /// # Errors
    /// None in practice: numbers always have a JSON form.
    pub fn content(&self) -> Result<Content> {
        Ok(Content::Timings(output::json_file(&serde_json::to_string_pretty(self)?)))
    }
}

#[derive(Serialize)]
struct AlgorithmTiming {
    algorithm: String,
    seconds: Vec<f64>,
    steps_per_second: f64,
}

/// Steps per second on one thread, over all runs.
#[must_use]
pub fn steps_per_second(plan: &StudyPlan, runs: &[RunResult]) -> f64 {
    rate(plan.steps, runs)
}

fn rate(steps: u64, runs: &[RunResult]) -> f64 {
    let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    (steps * runs.len() as u64) as f64 / seconds.max(1e-9)
}

fn timings(plan: &StudyPlan, results: &[Vec<RunResult>]) -> Result<Content> {
    let played = plan.algorithms.iter().zip(results);
    let timings = Timings::of(played.map(|(spec, runs)| (spec.canonical(), plan.steps, runs.as_slice())));
    timings.content()
}

#[cfg(test)]
mod tests {
    use bandits::{PolicyConfig, policies::rucb::RucbConfig};

    use super::*;

    #[test]
    fn labels_are_short_names() {
        let own = |arms| RucbConfig::default().policy(arms, None).expect("arms");
        for (name, expected) in [
            ("mine:version=2", "mine"),
            ("python-Ours:version=1", "Ours"),
            ("python-Ours", "Ours"),
            ("python-Ours:version=2", "Ours"),
            ("python-rucb:version=1", "python-rucb"),
        ] {
            assert_eq!(label(&Spec::own(name, own)), expected);
            assert_eq!(label_of(name), expected);
        }
        let of = |name: &str| label(&name.parse().expect("a name"));
        assert_eq!((of("rucb"), of("rucb:alpha=1")), ("rucb".to_owned(), "rucb alpha=1".to_owned()));
    }

    #[test]
    fn spread() {
        let spread = SampleSummary::of(&[1.0, 2.0, 3.0, 6.0]);
        assert!((spread.mean - 3.0).abs() < 1e-12);
        assert!((spread.standard_deviation - (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((spread.standard_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!((spread.min, spread.max), (1.0, 6.0));
        assert_eq!(SampleSummary::of(&[4.0]).standard_deviation, 0.0);
    }
}
