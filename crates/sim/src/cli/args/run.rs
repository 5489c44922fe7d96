//! Flags of a study: algorithms, steps, runs.

use std::str::FromStr;

use anyhow::Result;
use bandits::registry::Spec;
use clap::{Args, ValueEnum};
use output::numbers::{parse_positive, parse_up_to};
use simulation::late_answers::LateAnswers;
use simulation::runs::ensure_room_for_runs;
use simulation::runs::evidence::EvidencePlan;

use super::common::{CommonArgs, OutputArgs};
use super::regret::RegretArgs;
use crate::cli::shards::ShardArgs;
use studies::request::RunRequest;
use studies::results::{Axes, Look, SpreadKind};
use studies::runner::{Length, Size};

/// The algorithms, and how long and how often they run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs and results")]
pub(in crate::cli) struct RunArgs {
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
    pub(in crate::cli) checkpoints: Option<u32>,

    /// The axes of the figure [default: log-x; of bandit and compare log; of a live run without --dataset linear]
    #[arg(long, value_name = "AXES", value_enum)]
    axes: Option<AxesArg>,

    /// The spread over runs in the table and the figure [default: se; with fewer than five runs range]
    #[arg(long, value_name = "SPREAD", value_enum)]
    spread: Option<SpreadArg>,

    /// Add a column with the steps per second and thread to the table; timings.json always has them
    #[arg(long)]
    timings: bool,

    /// Keep the curves of all runs, in curves.npz: an array of NumPy per algorithm, with a row per run and a column per
    /// checkpoint; `rankduel draw --spread quantile` needs them
    #[arg(long)]
    pub(in crate::cli) keep_curves: bool,

    #[command(flatten)]
    pub(in crate::cli) regret: RegretArgs,

    #[command(flatten)]
    pub(in crate::cli) common: CommonArgs,

    #[command(flatten)]
    pub(in crate::cli) output: OutputArgs,

    #[command(flatten)]
    pub(in crate::cli) shard: ShardArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum AxesArg {
    /// Linear steps and regret
    Linear,
    /// Logarithmic steps
    LogX,
    /// Logarithmic steps and regret
    Log,
}

impl From<AxesArg> for Axes {
    fn from(axes: AxesArg) -> Self {
        match axes {
            AxesArg::Linear => Self::Linear,
            AxesArg::LogX => Self::LogX,
            AxesArg::Log => Self::Log,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SpreadArg {
    /// Standard error of the mean
    Se,
    /// Standard deviation of a run
    Sd,
    /// Smallest and largest run
    Range,
}

impl From<SpreadArg> for SpreadKind {
    fn from(spread: SpreadArg) -> Self {
        match spread {
            SpreadArg::Se => Self::StandardError,
            SpreadArg::Sd => Self::StandardDeviation,
            SpreadArg::Range => Self::Range,
        }
    }
}

/// What a study plays and shows unless flags say otherwise.
#[derive(Debug)]
pub(in crate::cli) struct StudyDefaults {
    algorithms: &'static [&'static str],
    steps: u64,
    runs: u64,
    axes: Axes,
}

impl StudyDefaults {
    /// Studies of data or a matrix of the user.
    pub(in crate::cli) const STUDY: Self = Self {
        algorithms: &["mergerucb", "rucb", "rmed1", "mdb", "random"],
        steps: 1_000_000,
        runs: 5,
        axes: Axes::Usual,
    };
    /// The same without algorithms that choose sets.
    pub(in crate::cli) const DUELS: Self =
        Self { algorithms: &["mergerucb", "rucb", "rmed1", "random"], ..Self::STUDY };
    /// A first look, on the default data set: a few seconds, in which most algorithms find the best ranker.
    pub(in crate::cli) const FIRST: Self = Self {
        algorithms: &["random", "rucb", "mergerucb", "rmed1", "dts", "self-sparring", "mdb"],
        steps: 200_000,
        runs: 10,
        axes: Axes::Linear,
    };
    /// The same without algorithms that choose sets.
    pub(in crate::cli) const FIRST_DUELS: Self = Self {
        algorithms: &["random", "rucb", "mergerucb", "rmed1", "dts", "self-sparring"],
        axes: Axes::Usual,
        ..Self::FIRST
    };
}

impl RunArgs {
    /// Steps per run.
    pub(in crate::cli) fn steps(&self, usual: &StudyDefaults) -> u64 {
        self.steps.unwrap_or(usual.steps)
    }

    /// What is asked for: what the flags say and otherwise `usual`.
    pub(in crate::cli) fn request(
        &self,
        usual: &StudyDefaults,
        late: LateAnswers,
        evidence: Option<EvidencePlan>,
    ) -> RunRequest {
        let algorithms = self.algorithms(usual);
        RunRequest {
            asked: algorithms.clone(),
            size: Size {
                algorithms,
                runs: self.runs.unwrap_or(usual.runs),
                length: Length::Steps(self.steps(usual), self.checkpoints),
            },
            seed: self.common.seed,
            regret: self.regret.given(),
            evidence,
            late,
            look: self.look(usual),
        }
    }

    /// The algorithms.
    pub(in crate::cli) fn algorithms(&self, usual: &StudyDefaults) -> Vec<Spec> {
        match &self.algorithms {
            Some(named) => named.0.clone(),
            None => usual.algorithms.iter().map(|name| name.parse().expect("a registered name")).collect(),
        }
    }

    /// Checks that memory has room for the runs among `arms` arms, before the arms are made.
    pub(in crate::cli) fn ensure_room(&self, usual: &StudyDefaults, arms: usize) -> Result<()> {
        ensure_room_for_runs(&self.algorithms(usual), arms, self.runs.unwrap_or(usual.runs), 1, 1)
    }

    /// How the study is drawn and tabulated.
    fn look(&self, usual: &StudyDefaults) -> Look {
        Look {
            axes: self.axes.map_or(usual.axes, Axes::from),
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
        let mut all: Vec<Spec> = Vec::new();
        for one in text.split(',') {
            let spec: Spec = one.parse()?;
            let known = all.iter().any(|before| before.canonical() == spec.canonical());
            anyhow::ensure!(!known, "{one} is given twice; give each algorithm once");
            all.push(spec);
        }
        Ok(Self(all))
    }
}
