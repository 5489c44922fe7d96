//! The requests of studies of runs: settings as flags, each with its name, check and help in one place, and the plans made from them.
//! The command line and `rankduel.toml` parse these flags, Python and experiment files pass their settings as such.
//!
//! | in | is |
//! |---|---|
//! | this file | requests of whole studies, and their [`RunSettings`] and [`LiveSettings`] |
//! | `runs` | algorithms, steps, runs, how results are shown; what each is by default |
//! | `evidence`, `late`, `streams` | what outcomes prove; when they come; where impressions are drawn from |
//! | `horizons` | regret over time, or exploration until horizons |
//!
//! # How to add a setting
//!
//! A field with its `#[arg]` in the struct where it belongs, and what it changes. It then is a flag and a key of `rankduel.toml`, a
//! keyword in Python (the tests there require a line in `settings.py`), and, in [`LateRequest`], a key of `[[setting]]` in experiments.

mod evidence;
mod horizons;
mod late;
mod runs;
mod streams;

use anyhow::Result;
use bandits::RegretKind;
use bandits::registry::Spec;
use clap::Args;
use output::messages::{notes, warn};
use simulation::late_answers::LateAnswers;
use simulation::runs::StudyPlan;
use simulation::runs::evidence::EvidencePlan;
use simulation::seed::Streams;

use crate::notes::{late_note, of_algorithms};
use crate::results::{AlgorithmNames, Presentation};
use crate::runner::{Length, Size, Workplace};
use crate::site::TruthRequest;
pub use evidence::EvidenceRequest;
pub use horizons::HorizonsRequest;
pub use late::LateRequest;
pub use runs::{AxesChoice, RunRequest, StudyDefaults};
pub use streams::StreamRequest;

/// The request of runs on a matrix or a problem.
#[derive(Debug, Clone, Args)]
pub struct MatrixRequest {
    /// What is measured, and when.
    #[command(flatten)]
    pub horizons: HorizonsRequest,

    /// Algorithms, steps, runs.
    #[command(flatten)]
    pub run: RunRequest,

    /// What outcomes prove.
    #[command(flatten)]
    pub evidence: EvidenceRequest,

    /// When outcomes come.
    #[command(flatten)]
    pub late: LateRequest,
}

/// The request of live runs.
#[derive(Debug, Clone, Args)]
pub struct LiveRequest {
    /// Algorithms, steps, runs.
    #[command(flatten)]
    pub run: RunRequest,

    /// How well the ground truth should be known.
    #[command(flatten)]
    pub truth: TruthRequest,

    /// Where impressions are drawn from.
    #[command(flatten)]
    pub streams: StreamRequest,

    /// What outcomes prove.
    #[command(flatten)]
    pub evidence: EvidenceRequest,

    /// When outcomes come.
    #[command(flatten)]
    pub late: LateRequest,
}

/// The request of runs both live and on a matrix.
#[derive(Debug, Clone, Args)]
pub struct CompareRequest {
    /// Algorithms, steps, runs.
    #[command(flatten)]
    pub run: RunRequest,

    /// How well the ground truth should be known.
    #[command(flatten)]
    pub truth: TruthRequest,

    /// Where impressions are drawn from.
    #[command(flatten)]
    pub streams: StreamRequest,
}

impl MatrixRequest {
    /// The settings: those of the flags and otherwise `defaults`. `algorithms` are those of a caller who has them in another form than
    /// text.
    ///
    /// # Errors
    /// As wrong usage, for settings that exclude each other, or if a file of delays cannot be read.
    pub fn settings(&self, defaults: &StudyDefaults, seed: u64, algorithms: Option<Vec<Spec>>) -> Result<RunSettings> {
        let evidence = self.evidence.plan()?;
        self.horizons.check(evidence.is_some(), self.run.keep_curves)?;
        let steps = self.run.steps(defaults);
        let horizons = self.horizons.all_horizons(steps, self.run.checkpoints)?;
        let max_steps = horizons.as_ref().and_then(|all| all.last().copied()).unwrap_or(steps);
        let mut settings = self.run.settings(defaults, seed, algorithms);
        (settings.evidence, settings.late) = (evidence, self.late.answers_within(max_steps)?);
        if let Some(horizons) = horizons {
            settings.size.length = Length::Horizons(horizons);
        }
        Ok(settings)
    }
}

impl LiveRequest {
    /// The settings, as for [`MatrixRequest::settings`].
    ///
    /// # Errors
    /// As there, and for kinds of regret that a live run cannot measure.
    pub fn settings(&self, defaults: &StudyDefaults, seed: u64, algorithms: Option<Vec<Spec>>) -> Result<LiveSettings> {
        let Self { run, truth, streams, evidence, late } = self;
        let mut settings = LiveSettings::of(run, truth, streams, defaults, seed, algorithms)?;
        (settings.run.evidence, settings.run.late) = (evidence.plan()?, late.answers_within(run.steps(defaults))?);
        Ok(settings)
    }
}

impl CompareRequest {
    /// The settings, as for [`MatrixRequest::settings`].
    ///
    /// # Errors
    /// For kinds of regret that a live run cannot measure.
    pub fn settings(&self, defaults: &StudyDefaults, seed: u64, algorithms: Option<Vec<Spec>>) -> Result<LiveSettings> {
        LiveSettings::of(&self.run, &self.truth, &self.streams, defaults, seed, algorithms)
    }
}

/// Algorithms, how often and how long they run, and what is recorded.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Algorithms, runs, and their length.
    pub size: Size,
    /// The requested algorithms, once the place has added its own to those of the size.
    pub requested_algorithms: Vec<Spec>,
    /// The master seed.
    pub seed: u64,
    /// What regret measures; `None` for the usual kind.
    pub regret: Option<RegretKind>,
    /// Which evidence is gathered, if any.
    pub evidence: Option<EvidencePlan>,
    /// How late answers come.
    pub late: LateAnswers,
    /// How the study is drawn and tabulated.
    pub look: Presentation,
}

/// The same of live runs.
#[derive(Debug, Clone)]
pub struct LiveSettings {
    /// Algorithms, runs, and what is recorded.
    pub run: RunSettings,
    /// Where impressions are drawn from.
    pub streams: Streams,
    /// How well the ground truth should be known.
    pub truth: TruthRequest,
}

impl LiveSettings {
    /// Without evidence, and with answers in time.
    fn of(
        run: &RunRequest,
        truth: &TruthRequest,
        streams: &StreamRequest,
        defaults: &StudyDefaults,
        seed: u64,
        algorithms: Option<Vec<Spec>>,
    ) -> Result<Self> {
        run.check_live()?;
        Ok(Self { run: run.settings(defaults, seed, algorithms), streams: streams.streams(), truth: truth.clone() })
    }
}

impl RunSettings {
    /// The plan of these runs.
    #[must_use]
    pub fn plan(&self) -> StudyPlan {
        let Size { algorithms, runs, length } = self.size.clone();
        let (steps, checkpoints) = (length.steps(), length.checkpoints());
        StudyPlan { algorithms, steps, runs, seed: self.seed, checkpoints, evidence: self.evidence }
    }

    /// The algorithms, as `config.json` names them.
    #[must_use]
    pub fn algorithms(&self) -> AlgorithmNames {
        AlgorithmNames::of(&self.size.algorithms)
    }

    /// The places of the algorithms in the order in which they are shown: the requested ones first, then those of the folder.
    pub(crate) fn display_order(&self) -> Vec<usize> {
        let is_new = |at: &usize| {
            !self.requested_algorithms.iter().any(|spec| spec.canonical() == self.size.algorithms[*at].canonical())
        };
        let mut order: Vec<usize> = (0..self.size.algorithms.len()).collect();
        order.sort_by_key(is_new);
        order
    }

    /// Warns of problems of the request with `arms` arms, and joins it with what `place` holds.
    ///
    /// # Errors
    /// Those of [`Size::extended_by_folder`].
    pub fn extend(&mut self, place: &Workplace, arms: usize) -> Result<()> {
        let (quiet, algorithms) = (place.quiet(), &self.size.algorithms);
        of_algorithms(algorithms).iter().for_each(|text| warn(quiet, text));
        notes(quiet, late_note(&self.late, algorithms, arms, self.size.length.steps()));
        self.requested_algorithms.clone_from(algorithms);
        self.size = self.size.clone().extended_by_folder(place)?;
        // Those that an earlier call kept would lack the runs of this one.
        self.look.keep_curves |= place.has(crate::results::KEPT_CURVES);
        Ok(())
    }
}
