//! `sim bandit --setting explore-then-exploit`: who is named at horizons, and at what cost.

use anyhow::Result;
use bandits::Arena;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Bandit, Copies, Description};
use crate::analysis::explore_then_exploit::{Exploration, explore_all, summarise, table, write};
use crate::cli::print::{eprintln, println};
use crate::cli::study_output::Outcome;
use crate::output;
use crate::output::numbers::{counted, parse_positive};
use crate::output::progress::Progress;
use crate::output::usage::usage;
use crate::results::Arms;

/// What counts, and when.
#[derive(Debug, Args)]
#[command(next_help_heading = "Setting")]
pub(super) struct SettingOptions {
    /// What counts: regret while it lasts, or at some horizons whether the arm then named is the best,
    /// and what finding it cost
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Setting::Ongoing)]
    setting: Setting,

    /// The horizons, as 1e3,1e4,1e5; algorithms that use their horizon are run again for each
    /// [default: 100, 1000, ... up to --steps]
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        value_parser = parse_positive,
        requires = "setting",
        conflicts_with_all = ["steps", "checkpoints"]
    )]
    horizons: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Setting {
    /// Regret, step by step
    Ongoing,
    /// Accuracy and regret at horizons
    ExploreThenExploit,
}

impl SettingOptions {
    /// The horizons to explore for, rising; none where regret is ongoing.
    pub(super) fn horizons(&self, steps: u64, checkpoints: Option<u32>) -> Result<Option<Vec<u64>>> {
        if self.setting == Setting::Ongoing {
            anyhow::ensure!(
                self.horizons.is_empty(),
                usage(
                    "--horizons goes with --setting explore-then-exploit; ongoing regret has --steps and --checkpoints"
                )
            );
            return Ok(None);
        }
        anyhow::ensure!(
            checkpoints.is_none(),
            usage("--checkpoints are points of curves; what is explored is read off at --horizons")
        );
        let mut horizons = self.horizons.clone();
        if horizons.is_empty() {
            horizons.extend((2..=15).map(|power| 10_u64.pow(power)).take_while(|&horizon| horizon < steps));
            horizons.push(steps);
        }
        horizons.sort_unstable();
        horizons.dedup();
        Ok(Some(horizons))
    }
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    setting: &'static str,
    version: &'static str,
    seed: u64,
    horizons: Vec<u64>,
    runs: u64,
    algorithms: Vec<String>,
    played_on: Description,
}

impl Bandit {
    /// Accuracy and regret at horizons.
    pub(super) fn explore<A: Arena + Clone + Sync>(
        &self,
        arenas: &Copies<A>,
        horizons: Vec<u64>,
        description: Description,
        arms: &Arms<'_>,
        outcome: &Outcome,
    ) -> Result<()> {
        let run = &self.run;
        let (algorithms, seed) = (run.plan().algorithms, run.common.seed);
        let plan = Exploration { algorithms, horizons, runs: run.runs, seed };
        let folder = self.folder("explore", &description);
        output::claim_folder(&folder, "bandit explore-then-exploit")?;
        let progress = Progress::new("exploring", plan.total_steps(), run.common.quiet);
        let results = explore_all(arenas, &plan, &progress)?;
        progress.finish();
        let config = Config {
            command: "bandit",
            setting: "explore-then-exploit",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            horizons: plan.horizons.clone(),
            runs: plan.runs,
            algorithms: plan.names(),
            played_on: description,
        };
        write(&folder, &config, &plan, &results, arms, &outcome.caption)?;
        if outcome.json {
            println!("{}", serde_json::to_string_pretty(&summarise(&plan, &results, arms))?);
        } else {
            println!("{}", outcome.truth);
            println!("{}", table(&plan, &results, arms));
            println!("{}; accuracy: share of runs that name the best arm at the horizon", counted(plan.runs, "run"));
            println!("regret of exploring until then: {}", outcome.caption.regret);
        }
        if !outcome.quiet {
            eprintln!(
                "results in {}: accuracy and regret (.png, .svg), horizons.csv, runs.csv, summary.json, config.json",
                folder.display()
            );
        }
        Ok(())
    }
}
