//! What a caller asks of a study: algorithms, and settings as JSON with the names of the arguments in Python.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bandits::RegretKind;
use bandits::registry::{Outside, Spec};
use output::numbers::{with_separators, with_unit};
use output::usage::usage;
use pyo3::prelude::*;
use serde::Deserialize;
use sim::results::{Axes, Look, SpreadKind};
use simulation::late_answers::LateAnswers;
use simulation::runs::StudyPlan;
use simulation::runs::evidence::EvidencePlan;
use simulation::seed::Streams;

use crate::call::{exception, wrong};
use crate::own::{OwnAlgorithm, Raised};

/// The arguments, which Python has checked for their types; absent ones have their defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    steps: u64,
    runs: u64,
    seed: u64,
    checkpoints: Option<u32>,
    regret: Option<String>,
    axes: Option<String>,
    spread: Option<String>,
    evidence: Option<f64>,
    stop_when: Option<f64>,
    margin: Option<f64>,
    #[serde(default)]
    give_up: bool,
    delay: Option<String>,
    batch: Option<u64>,
    lost: Option<f64>,
    streams: Option<String>,
    truth_effort: Option<f64>,
    cache: Option<PathBuf>,
    horizons: Option<Vec<u64>>,
}

/// How well the ground truth of live runs should be known, and where it is kept beyond the object of the site.
#[derive(Debug, Clone)]
pub(crate) struct TruthArgs {
    pub(crate) effort: f64,
    pub(crate) cache: Option<PathBuf>,
}

impl TruthArgs {
    pub(crate) fn new(effort: f64, cache: Option<PathBuf>) -> PyResult<Self> {
        match (0.001..=1000.0).contains(&effort) {
            true => Ok(Self { effort, cache }),
            false => Err(wrong(format!("truth_effort: expected a factor from 0.001 to 1000, found {effort}"))),
        }
    }
}

/// What a study needs from its caller.
pub(crate) struct Asked {
    pub(crate) algorithms: Vec<Spec>,
    pub(crate) steps: u64,
    pub(crate) runs: u64,
    /// Per decade.
    pub(crate) checkpoints: u32,
    /// Ascending; where runs explore until each of them.
    pub(crate) horizons: Vec<u64>,
    pub(crate) seed: u64,
    pub(crate) regret: Option<RegretKind>,
    pub(crate) look: Look,
    pub(crate) evidence: Option<EvidencePlan>,
    pub(crate) late: LateAnswers,
    pub(crate) streams: Streams,
    pub(crate) truth: TruthArgs,
    /// What a policy of the caller's raised.
    pub(crate) own: Raised,
}

impl Asked {
    /// Reads the settings as the command line does. An algorithm is its text, or a class of policies.
    pub(crate) fn new(algorithms: &[Bound<'_, PyAny>], settings: &str) -> PyResult<Self> {
        let settings: Settings = serde_json::from_str(settings).map_err(|error| {
            // The place in the JSON text, which the caller never saw, says nothing.
            wrong(error.to_string().split(" at line ").next().unwrap_or_default())
        })?;
        let own = Raised::default();
        let algorithms = read_algorithms(algorithms, &own)?;
        let mut horizons = settings.horizons.clone().unwrap_or_default();
        horizons.sort_unstable();
        horizons.dedup();
        let steps = horizons.last().copied().unwrap_or(settings.steps);
        let checkpoints = settings.checkpoints.unwrap_or(10);
        let counts = [("steps", steps), ("runs", settings.runs), ("checkpoints", checkpoints.into())];
        for (name, value) in counts.into_iter().chain(horizons.first().map(|&first| ("horizons", first))) {
            at_least_one(name, value)?;
        }
        let late = settings.late(steps).map_err(|error| exception(&error))?;
        let evidence = settings.evidence()?;
        if evidence.is_some() && !late.is_none() {
            return Err(wrong(
                "evidence and stop_when count outcomes when they are drawn; leave them or delay, batch and lost out",
            ));
        }
        Ok(Self {
            steps,
            runs: settings.runs,
            checkpoints,
            seed: settings.seed,
            regret: settings.regret.as_deref().map(str::parse).transpose().map_err(wrong)?,
            look: Look {
                axes: axes(settings.axes.as_deref().unwrap_or("log-x"))?,
                spread: settings.spread.as_deref().map(spread).transpose()?,
                speed: false,
                keep_curves: false,
            },
            streams: streams(settings.streams.as_deref().unwrap_or("sequential"))?,
            truth: TruthArgs::new(settings.truth_effort.unwrap_or(1.0), settings.cache)?,
            algorithms,
            horizons,
            evidence,
            late,
            own,
        })
    }

    pub(crate) fn plan(&self) -> StudyPlan {
        StudyPlan {
            algorithms: self.algorithms.clone(),
            steps: self.steps,
            runs: self.runs,
            seed: self.seed,
            checkpoints: bandits::log_spaced(self.steps, self.checkpoints),
            evidence: self.evidence,
        }
    }
}

impl Settings {
    fn evidence(&self) -> PyResult<Option<EvidencePlan>> {
        let Some((name, level)) = (match (self.evidence, self.stop_when) {
            (Some(_), Some(_)) => return Err(wrong("stop_when gathers evidence too; leave evidence out")),
            (None, Some(level)) => Some(("stop_when", level)),
            (level, None) => level.map(|level| ("evidence", level)),
        }) else {
            return match (self.margin, self.give_up) {
                (Some(_), _) => Err(wrong(
                    "margin says how much worse than the best a stated arm may be; add stop_when=0.95 or evidence=0.95",
                )),
                (None, true) => Err(wrong("give_up belongs to stop_when; add stop_when=0.95")),
                (None, false) => Ok(None),
            };
        };
        if !(level > 0.0 && level < 1.0) {
            return Err(wrong(format!("{name}: expected a confidence between 0 and 1, e.g. 0.95, found {level}")));
        }
        let margin = self.margin.unwrap_or(0.0);
        if !(0.0..0.5).contains(&margin) {
            return Err(wrong(format!("margin: expected a share from 0 to below 0.5, e.g. 0.01, found {margin}")));
        }
        if self.give_up && self.stop_when.is_none() {
            return Err(wrong("give_up belongs to stop_when; replace evidence by stop_when"));
        }
        Ok(Some(EvidencePlan { level, margin, stops: self.stop_when.is_some(), gives_up: self.give_up }))
    }

    fn late(&self, steps: u64) -> Result<LateAnswers> {
        let refuse = |text: String| Err(usage(text));
        if self.batch == Some(0) {
            return refuse("batch: expected at least 1, found 0".to_owned());
        }
        if let Some(lost) = self.lost.filter(|lost| !(0.0..1.0).contains(lost)) {
            return refuse(format!("lost: expected a probability below 1, such as 0.1, found {lost}"));
        }
        let late = LateAnswers::new(self.delay.as_deref(), self.batch, self.lost)?;
        let first = late.first();
        if first >= steps && !late.is_none() {
            let name = if self.delay.is_some() { "delay" } else { "batch" };
            return refuse(format!(
                "{name}: the first answer comes after impression {}, and runs have {}; choose more steps",
                with_separators(first),
                with_unit(steps, "step")
            ));
        }
        Ok(late)
    }
}

/// Refuses 0.
pub(crate) fn at_least_one(name: &str, value: u64) -> PyResult<()> {
    if value == 0 { Err(wrong(format!("{name}: expected at least 1, found 0"))) } else { Ok(()) }
}

fn read_algorithms(algorithms: &[Bound<'_, PyAny>], own: &Raised) -> PyResult<Vec<Spec>> {
    let mut specs: Vec<Spec> = Vec::new();
    for algorithm in algorithms {
        let spec: Spec = match algorithm.extract::<String>() {
            Ok(text) => text.parse().map_err(wrong)?,
            Err(_) => {
                let name = algorithm.call_method0("_name")?.extract()?;
                let class: Arc<dyn Outside> =
                    Arc::new(OwnAlgorithm::new(algorithm.clone().unbind(), name, own.clone()));
                class.into()
            }
        };
        if specs.iter().any(|known| known.canonical() == spec.canonical()) {
            return Err(wrong(format!("{spec} is given twice; give each algorithm once")));
        }
        specs.push(spec);
    }
    if specs.is_empty() { Err(wrong("algorithms: expected at least one, e.g. \"rucb\"")) } else { Ok(specs) }
}

fn axes(text: &str) -> PyResult<Axes> {
    match text {
        "linear" => Ok(Axes::Linear),
        "log-x" => Ok(Axes::LogX),
        "log" => Ok(Axes::Log),
        other => Err(wrong(format!("axes: expected linear, log-x or log, found {other:?}"))),
    }
}

fn spread(text: &str) -> PyResult<SpreadKind> {
    match text {
        "se" => Ok(SpreadKind::StandardError),
        "sd" => Ok(SpreadKind::StandardDeviation),
        "range" => Ok(SpreadKind::Range),
        other => Err(wrong(format!("spread: expected se, sd or range, found {other:?}"))),
    }
}

fn streams(text: &str) -> PyResult<Streams> {
    match text {
        "sequential" => Ok(Streams::Sequential),
        "keyed" => Ok(Streams::Keyed),
        other => Err(wrong(format!("streams: expected sequential or keyed, found {other:?}"))),
    }
}
