//! Algorithms, steps and runs, and how results are shown.

use std::str::FromStr;

use anyhow::Result;
use bandits::RegretKind;
use bandits::registry::Spec;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use output::numbers::{parse_positive, parse_up_to};
use simulation::late_answers::LateAnswers;
use simulation::runs::ensure_room_for_runs;
use simulation::truth::regret_kind;

use super::RunSettings;
use crate::results::{Axes, Presentation, SpreadKind};
use crate::runner::{Length, Size};

/// The algorithms, and how long and how often they run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Runs and results")]
pub struct RunRequest {
    /// The algorithms, with parameters, e.g. `rucb:alpha=0.51,mergerucb:p=4` (`rankduel algorithms` lists all) [default:
    /// mergerucb,rucb,rmed1,mdb,random; of a live run without --dataset random,rucb,mergerucb,rmed1,dts,self-sparring,
    /// mdb; for compare only the dueling ones]
    #[arg(long, value_name = "NAME[:KEY=VALUE...],...")]
    algorithms: Option<Algorithms>,

    /// Steps (impressions) per run, e.g. 100000 or 1e7 [default: 1e6; of a live run without --dataset 2e5]
    ///
    /// Algorithms count duels in 32 bits, so no arm may take part in more than 4.29e9 of them.
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    steps: Option<u64>,

    /// Runs per algorithm [default: 5; of a live run without --dataset 10]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    runs: Option<u64>,

    /// Checkpoints per decade of steps [default: 10]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 1000>)]
    pub(crate) checkpoints: Option<u32>,

    /// The axes of the figure [default: log-x; of bandit and compare log; of a live run without --dataset linear]
    #[arg(long, value_name = "AXES", value_enum)]
    axes: Option<AxesChoice>,

    /// The spread over runs in the table and the figure [default: se; with fewer than five runs range]
    #[arg(long, value_name = "SPREAD", value_enum)]
    spread: Option<SpreadChoice>,

    /// Add a column with the steps per second and thread to the table; timings.json always has them
    #[arg(long)]
    timings: bool,

    /// Keep the curves of all runs, in curves.npz: an array of NumPy per algorithm, with a row per run and a column per
    /// checkpoint; `rankduel draw --spread quantile` needs them
    #[arg(long)]
    pub keep_curves: bool,

    /// What regret measures: condorcet (P that the best arm beats those played, minus 1/2), weak or strong (the same
    /// against the strongest or the weakest of those played), copeland, borda, von-neumann or ndcg [default: condorcet;
    /// without a Condorcet winner copeland on a matrix, ndcg live]
    ///
    /// A step costs the mean over the arms played, with weak and strong regret the smallest or the largest of their
    /// costs. copeland: how much smaller a share of the other arms an arm beats than the best arm; borda: how much lower
    /// its mean probability of beating another arm is; von-neumann: P that an arm drawn from the von Neumann winner, a
    /// lottery that no arm beats, beats it, minus 1/2; ndcg: nDCG@10 lost. condorcet, weak and strong need an arm that
    /// beats all others. A matrix has all kinds but ndcg; a live run, which estimates only the best ranker's row of the
    /// matrix, has condorcet, weak, strong and ndcg.
    ///
    /// Where every arm is optimal (by Copeland score e.g. in every cycle of three arms), regret measures nothing: the
    /// table, summary.json and the figure say so, and no recommendation counts as correct.
    ///
    /// The kind of regret changes no choice of an algorithm.
    #[arg(long, value_name = "KIND", value_parser = regret_kind_parser(), hide_possible_values = true)]
    regret: Option<RegretKind>,
}

/// Reads the name of a kind; help and completions list the names.
fn regret_kind_parser() -> impl clap::builder::TypedValueParser<Value = RegretKind> {
    let names = PossibleValuesParser::new(RegretKind::ALL.map(RegretKind::name));
    names.map(|name| name.parse().expect("one of the names"))
}

/// The axes of a figure.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum AxesChoice {
    /// Linear steps and regret
    Linear,
    /// Logarithmic steps
    LogX,
    /// Logarithmic steps and regret
    Log,
}

impl From<AxesChoice> for Axes {
    fn from(axes: AxesChoice) -> Self {
        match axes {
            AxesChoice::Linear => Self::Linear,
            AxesChoice::LogX => Self::LogX,
            AxesChoice::Log => Self::Log,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SpreadChoice {
    /// Standard error of the mean
    Se,
    /// Standard deviation of a run
    Sd,
    /// Smallest and largest run
    Range,
}

impl From<SpreadChoice> for SpreadKind {
    fn from(spread: SpreadChoice) -> Self {
        match spread {
            SpreadChoice::Se => Self::StandardError,
            SpreadChoice::Sd => Self::StandardDeviation,
            SpreadChoice::Range => Self::Range,
        }
    }
}

/// What a study plays and shows unless flags say otherwise.
#[derive(Debug)]
pub struct StudyDefaults {
    algorithms: &'static [&'static str],
    steps: u64,
    runs: u64,
    axes: Axes,
}

impl StudyDefaults {
    /// Studies of data or a matrix of the user.
    pub const STUDY: Self = Self {
        algorithms: &["mergerucb", "rucb", "rmed1", "mdb", "random"],
        steps: 1_000_000,
        runs: 5,
        axes: Axes::Usual,
    };
    /// The same without algorithms that choose sets.
    pub const DUELS: Self = Self { algorithms: &["mergerucb", "rucb", "rmed1", "random"], ..Self::STUDY };
    /// A first look, on the default data set: a few seconds, in which most algorithms find the best ranker.
    pub const FIRST_RUN: Self = Self {
        algorithms: &["random", "rucb", "mergerucb", "rmed1", "dts", "self-sparring", "mdb"],
        steps: 200_000,
        runs: 10,
        axes: Axes::Linear,
    };
    /// The same without algorithms that choose sets.
    pub const FIRST_DUELS: Self = Self {
        algorithms: &["random", "rucb", "mergerucb", "rmed1", "dts", "self-sparring"],
        axes: Axes::Usual,
        ..Self::FIRST_RUN
    };
}

impl RunRequest {
    /// Steps per run.
    #[must_use]
    pub fn steps(&self, defaults: &StudyDefaults) -> u64 {
        self.steps.unwrap_or(defaults.steps)
    }

    /// The settings, without evidence and with answers in time: those of the flags and otherwise `defaults`.
    pub(super) fn settings(&self, defaults: &StudyDefaults, seed: u64, algorithms: Option<Vec<Spec>>) -> RunSettings {
        let algorithms = algorithms.unwrap_or_else(|| self.algorithms(defaults));
        RunSettings {
            requested_algorithms: algorithms.clone(),
            size: Size {
                algorithms,
                runs: self.runs.unwrap_or(defaults.runs),
                length: Length::Steps { steps: self.steps(defaults), per_decade: self.checkpoints },
            },
            seed,
            regret: self.regret,
            evidence: None,
            late: LateAnswers::default(),
            look: self.look(defaults),
        }
    }

    /// The algorithms.
    #[must_use]
    pub fn algorithms(&self, defaults: &StudyDefaults) -> Vec<Spec> {
        match &self.algorithms {
            Some(list) => list.0.clone(),
            None => defaults.algorithms.iter().map(|name| name.parse().expect("a registered name")).collect(),
        }
    }

    /// Checks that memory has room for the runs among `arms` arms, before the arms are made.
    ///
    /// # Errors
    /// If it has not.
    pub fn ensure_room(&self, defaults: &StudyDefaults, arms: usize) -> Result<()> {
        ensure_room_for_runs(&self.algorithms(defaults), arms, self.runs.unwrap_or(defaults.runs), 1, 1)
    }

    /// Refuses kinds of regret that a live run cannot measure.
    ///
    /// # Errors
    /// As wrong usage.
    pub fn check_live(&self) -> Result<()> {
        regret_kind::check_live(self.regret)
    }

    /// The requested kind of regret, if any.
    #[must_use]
    pub fn regret(&self) -> Option<RegretKind> {
        self.regret
    }

    /// The part of a folder name for the kind of regret; empty for `default_kind`, the default.
    #[must_use]
    pub fn regret_suffix(&self, default_kind: RegretKind) -> String {
        self.regret.filter(|kind| *kind != default_kind).map_or_else(String::new, |kind| format!("-regret-{kind}"))
    }

    /// How the study is drawn and tabulated.
    fn look(&self, defaults: &StudyDefaults) -> Presentation {
        Presentation {
            axes: self.axes.map_or(defaults.axes, Axes::from),
            spread: self.spread.map(SpreadKind::from),
            speed: self.timings,
            keep_curves: self.keep_curves,
        }
    }
}

/// Distinct algorithms.
#[derive(Debug, Clone)]
struct Algorithms(Vec<Spec>);

impl FromStr for Algorithms {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut specs: Vec<Spec> = Vec::new();
        for text_of_one in text.split(',') {
            let spec: Spec = text_of_one.parse()?;
            let is_repeated = specs.iter().any(|earlier| earlier.canonical() == spec.canonical());
            anyhow::ensure!(!is_repeated, "{text_of_one} is given twice; give each algorithm once");
            specs.push(spec);
        }
        Ok(Self(specs))
    }
}
