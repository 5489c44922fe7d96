//! What is asked of any study of runs, and the same as JSON.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use bandits::RegretKind;
use bandits::registry::Spec;
use output::numbers::{with_separators, with_unit};
use output::tell::{caution, notes};
use output::usage::usage;
use serde::Deserialize;
use simulation::late_answers::LateAnswers;
use simulation::runs::StudyPlan;
use simulation::runs::evidence::EvidencePlan;
use simulation::seed::Streams;

use crate::notes::{of_algorithms, of_late};
use crate::results::{Axes, Look, SpreadKind};
use crate::runner::{Length, Size, Workplace};
use crate::site::TruthRequest;

/// What is asked of any study of runs: algorithms, how often and how long they run, and what is recorded.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// Algorithms, runs, and their length.
    pub size: Size,
    /// The algorithms that were asked for, once the place has added its own to those of the size.
    pub asked: Vec<Spec>,
    /// The master seed.
    pub seed: u64,
    /// What regret measures; `None` for the usual kind.
    pub regret: Option<RegretKind>,
    /// Which evidence is gathered, if any.
    pub evidence: Option<EvidencePlan>,
    /// How late answers come.
    pub late: LateAnswers,
    /// How the study is drawn and tabulated.
    pub look: Look,
}

/// What is asked of live runs.
#[derive(Debug, Clone)]
pub struct LiveRequest {
    /// Algorithms, runs, and what is recorded.
    pub run: RunRequest,
    /// Where impressions are drawn from.
    pub streams: Streams,
    /// How well the ground truth should be known.
    pub truth: TruthRequest,
}

impl RunRequest {
    /// The plan of these runs.
    #[must_use]
    pub fn plan(&self) -> StudyPlan {
        let Size { algorithms, runs, length } = self.size.clone();
        let (steps, checkpoints) = (length.steps(), length.checkpoints());
        StudyPlan { algorithms, steps, runs, seed: self.seed, checkpoints, evidence: self.evidence }
    }

    /// The names of the algorithms, with all parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.size.algorithms.iter().map(Spec::canonical).collect()
    }

    /// The places of the algorithms in the order in which they are shown: what was asked for first, then what a folder held.
    pub(crate) fn shown(&self) -> Vec<usize> {
        let is_new =
            |at: &usize| !self.asked.iter().any(|spec| spec.canonical() == self.size.algorithms[*at].canonical());
        let mut order: Vec<usize> = (0..self.size.algorithms.len()).collect();
        order.sort_by_key(is_new);
        order
    }

    /// Warns of what is asked for among `arms` arms, and joins it with what `place` holds.
    ///
    /// # Errors
    /// Those of [`Size::extended`].
    pub fn extend(&mut self, place: &Workplace, arms: usize) -> Result<()> {
        let (quiet, algorithms) = (place.quiet(), &self.size.algorithms);
        of_algorithms(algorithms).iter().for_each(|text| caution(quiet, text));
        notes(quiet, of_late(&self.late, algorithms, arms, self.size.length.steps()));
        self.asked.clone_from(algorithms);
        self.size = self.size.clone().extended(place)?;
        // Those that an earlier call kept would lack the runs of this one.
        self.look.keep_curves |= place.has(crate::results::KEPT_CURVES);
        Ok(())
    }
}

/// A request as JSON, for callers whose settings are named values. All but the runs and the seed may be absent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
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

impl Settings {
    /// The settings in a JSON object.
    ///
    /// # Errors
    /// As wrong usage, if one is unknown, missing, or of another type.
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|error| {
            // The place in the text, which the caller never saw, says nothing.
            usage(error.to_string().split(" at line ").next().unwrap_or_default().to_owned())
        })
    }

    /// The request for these algorithms. If there are horizons, they are its length.
    ///
    /// # Errors
    /// As wrong usage, naming the setting, or if a file of delays cannot be read.
    pub fn run(&self, algorithms: Vec<Spec>) -> Result<RunRequest> {
        let mut horizons = self.horizons.clone().unwrap_or_default();
        horizons.sort_unstable();
        horizons.dedup();
        let steps = horizons.last().copied().unwrap_or(self.steps);
        let counts = [("steps", steps), ("runs", self.runs), ("checkpoints", self.checkpoints.unwrap_or(1).into())];
        for (name, value) in counts.into_iter().chain(horizons.first().map(|&first| ("horizons", first))) {
            ensure!(value > 0, usage(format!("{name}: expected at least 1, found 0")));
        }
        let late = self.late(steps)?;
        let evidence = self.evidence()?;
        ensure!(
            evidence.is_none() || late.is_none(),
            usage("evidence and stop_when count outcomes when they are drawn; leave them or delay, batch and lost out")
        );
        let length =
            if horizons.is_empty() { Length::Steps(steps, self.checkpoints) } else { Length::Horizons(horizons) };
        Ok(RunRequest {
            asked: algorithms.clone(),
            size: Size { algorithms, runs: self.runs, length },
            seed: self.seed,
            regret: self.regret.as_deref().map(str::parse).transpose().map_err(usage)?,
            evidence,
            late,
            look: Look {
                axes: self.axes.as_deref().map_or(Ok(Axes::Usual), axes)?,
                spread: self.spread.as_deref().map(spread).transpose()?,
                speed: false,
                keep_curves: false,
            },
        })
    }

    /// The request for these algorithms live.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn live(&self, algorithms: Vec<Spec>) -> Result<LiveRequest> {
        let truth = TruthRequest { effort: self.truth_effort.unwrap_or(1.0), cache: self.cache.clone() };
        truth.check()?;
        let streams = streams(self.streams.as_deref().unwrap_or("sequential"))?;
        Ok(LiveRequest { run: self.run(algorithms)?, streams, truth })
    }

    fn evidence(&self) -> Result<Option<EvidencePlan>> {
        let Some((name, level)) = (match (self.evidence, self.stop_when) {
            (Some(_), Some(_)) => bail!(usage("stop_when gathers evidence too; leave evidence out")),
            (None, Some(level)) => Some(("stop_when", level)),
            (level, None) => level.map(|level| ("evidence", level)),
        }) else {
            ensure!(
                self.margin.is_none(),
                usage(
                    "margin says how much worse than the best a stated arm may be; add stop_when=0.95 or evidence=0.95"
                )
            );
            ensure!(!self.give_up, usage("give_up belongs to stop_when; add stop_when=0.95"));
            return Ok(None);
        };
        ensure!(
            level > 0.0 && level < 1.0,
            usage(format!("{name}: expected a confidence between 0 and 1, e.g. 0.95, found {level}"))
        );
        let margin = self.margin.unwrap_or(0.0);
        ensure!(
            (0.0..0.5).contains(&margin),
            usage(format!("margin: expected a share from 0 to below 0.5, e.g. 0.01, found {margin}"))
        );
        ensure!(
            !self.give_up || self.stop_when.is_some(),
            usage("give_up belongs to stop_when; replace evidence by stop_when")
        );
        Ok(Some(EvidencePlan { level, margin, stops: self.stop_when.is_some(), gives_up: self.give_up }))
    }

    fn late(&self, steps: u64) -> Result<LateAnswers> {
        ensure!(self.batch != Some(0), usage("batch: expected at least 1, found 0"));
        if let Some(lost) = self.lost.filter(|lost| !(0.0..1.0).contains(lost)) {
            bail!(usage(format!("lost: expected a probability below 1, such as 0.1, found {lost}")));
        }
        let late = LateAnswers::new(self.delay.as_deref(), self.batch, self.lost)?;
        let first = late.first();
        let name = if self.delay.is_some() { "delay" } else { "batch" };
        ensure!(
            first < steps || late.is_none(),
            usage(format!(
                "{name}: the first answer comes after impression {}, and runs have {}; choose more steps",
                with_separators(first),
                with_unit(steps, "step")
            ))
        );
        Ok(late)
    }
}

fn axes(text: &str) -> Result<Axes> {
    match text {
        "linear" => Ok(Axes::Linear),
        "log-x" => Ok(Axes::LogX),
        "log" => Ok(Axes::Log),
        other => Err(usage(format!("axes: expected linear, log-x or log, found {other:?}"))),
    }
}

fn spread(text: &str) -> Result<SpreadKind> {
    match text {
        "se" => Ok(SpreadKind::StandardError),
        "sd" => Ok(SpreadKind::StandardDeviation),
        "range" => Ok(SpreadKind::Range),
        other => Err(usage(format!("spread: expected se, sd or range, found {other:?}"))),
    }
}

fn streams(text: &str) -> Result<Streams> {
    match text {
        "sequential" => Ok(Streams::Sequential),
        "keyed" => Ok(Streams::Keyed),
        other => Err(usage(format!("streams: expected sequential or keyed, found {other:?}"))),
    }
}
