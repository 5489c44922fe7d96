//! Flags of a study: algorithms, steps, runs.

use std::str::FromStr;

use anyhow::Result;
use bandits::log_spaced;
use bandits::registry::Spec;
use clap::Args;

use super::common::{CommonArgs, OutputArgs};
use super::regret::RegretArgs;
use crate::cli::print::eprintln;
use crate::output::numbers::{parse_positive, parse_up_to};
use crate::simulation::runs::StudyPlan;

/// The algorithms, and how long and how often they run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs and results")]
pub(in crate::cli) struct RunArgs {
    /// The algorithms, with parameters, e.g. `rucb:alpha=0.51,mergerucb:p=4` (`sim algorithms` lists all) [default:
    /// mergerucb,rucb,rmed1,mdb,random; for compare only the dueling ones]
    #[arg(long, value_name = "NAME[:KEY=VALUE...],...")]
    algorithms: Option<Algorithms>,

    /// Steps (impressions) per run, e.g. 100000 or 1e7
    ///
    /// Algorithms count duels in 32 bits, so no arm may take part in more than 4.29e9 of them.
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = parse_positive)]
    pub(in crate::cli) steps: u64,

    /// Runs per algorithm
    #[arg(long, value_name = "N", default_value = "5", value_parser = parse_positive)]
    pub(in crate::cli) runs: u64,

    /// Checkpoints per decade of steps [default: 10]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 1000>)]
    pub(in crate::cli) checkpoints: Option<u32>,

    #[command(flatten)]
    pub(in crate::cli) regret: RegretArgs,

    #[command(flatten)]
    pub(in crate::cli) common: CommonArgs,

    #[command(flatten)]
    pub(in crate::cli) output: OutputArgs,
}

impl RunArgs {
    /// The plan with the default algorithms.
    pub(in crate::cli) fn plan(&self) -> StudyPlan {
        self.plan_of(&["mergerucb", "rucb", "rmed1", "mdb", "random"])
    }

    /// The plan, with the algorithms `usual` unless others are given.
    pub(in crate::cli) fn plan_of(&self, usual: &[&str]) -> StudyPlan {
        let usual = || usual.iter().map(|name| name.parse().expect("a registered name")).collect();
        let algorithms = self.algorithms.as_ref().map_or_else(usual, |named| named.0.clone());
        if !self.common.quiet {
            print_warnings(&algorithms);
        }
        StudyPlan {
            algorithms,
            steps: self.steps,
            runs: self.runs,
            seed: self.common.seed,
            checkpoints: log_spaced(self.steps, self.checkpoints.unwrap_or(10)),
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

/// Warns of parameters that no theory covers and of those without effect.
fn print_warnings(algorithms: &[Spec]) {
    for warning in algorithms.iter().filter_map(Spec::warning) {
        eprintln!("warning: {warning}");
    }
}
