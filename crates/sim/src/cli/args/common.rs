//! Flags of every command: seed, threads, output.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use output::numbers::{parse_above_zero, parse_count, parse_up_to};
use output::results_folder::{Existing, ResultsFolder};
use serde::Serialize;
use simulation::description::Effort;

use crate::cli::print::eprintln;

/// Where results go.
#[derive(Debug, Args)]
pub(in crate::cli) struct OutputArgs {
    /// Results folder [default: results/NAME, where NAME is made of the command, the data, the settings and, unless it is
    /// 1, the seed]
    ///
    /// Results of the same command with the same settings are extended: afterwards the folder holds all algorithms, and the
    /// larger number of runs and steps. Finished runs are not repeated. Other results are refused.
    #[arg(long, value_name = "FOLDER")]
    pub(in crate::cli) out: Option<PathBuf>,

    /// Start in an empty results folder: what it holds is moved to NAME.old-1, never deleted
    #[arg(long, alias = "again")]
    pub(in crate::cli) replace: bool,

    /// Print JSON instead of text
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl OutputArgs {
    /// Claims the results folder for the configuration `key`: the one given, or `usual`. Unless `quiet`, says what was
    /// moved aside and which folder was created for --out.
    pub(in crate::cli) fn claim(
        &self,
        usual: impl FnOnce() -> PathBuf,
        key: &impl Serialize,
        quiet: bool,
    ) -> Result<ResultsFolder> {
        let path = self.out.clone().unwrap_or_else(usual);
        let existing = if self.replace { Existing::MoveAside } else { Existing::SameKey };
        let folder = ResultsFolder::claim(&path, key, existing)?;
        if !quiet {
            if let Some(aside) = folder.moves_to() {
                eprintln!("{}", moves(&path, aside));
            }
            if let Some(parent) = folder.created_parent().filter(|_| self.out.is_some()) {
                eprintln!("created the folder {} for --out {}", parent.display(), path.display());
            }
        }
        Ok(folder)
    }
}

/// Where the results at `path` move.
pub(in crate::cli) fn moves(path: &Path, aside: &Path) -> String {
    format!("what {} holds moves to {} when the new results are complete", path.display(), aside.display())
}

/// Says that `out`, a folder of folders or a file's parents, will be created.
pub(in crate::cli) fn announce_missing(out: &Path) {
    let above = out.ancestors().filter(|above| !above.as_os_str().is_empty());
    if let Some(first) = above.take_while(|above| !above.exists()).last() {
        eprintln!("created the folder {} for --out", first.display());
    }
}

/// The cache of ground truths.
#[derive(Debug, Args)]
pub(in crate::cli) struct CacheArgs {
    /// Folder that keeps estimated ground truths (and, for experiments, runs and matrices) for later runs
    #[arg(long, value_name = "FOLDER", default_value = "results/.cache", help_heading = "Runs and results")]
    pub(in crate::cli) cache: PathBuf,
}

/// How well the ground truth is known, and where it is kept.
#[derive(Debug, Args)]
pub(in crate::cli) struct TruthArgs {
    /// Comparisons behind the ground truth, as a multiple of the default: 0.1 starts sooner, 10 resolves a winner that is
    /// called not resolved. Each effort is kept separately; steps and runs do not matter
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = 1.0,
        value_parser = parse_effort,
        help_heading = "Runs and results"
    )]
    truth_effort: f64,

    #[command(flatten)]
    pub(in crate::cli) cache: CacheArgs,
}

impl TruthArgs {
    /// The effort for `arms` rankers.
    pub(in crate::cli) fn effort(&self, arms: usize) -> Effort {
        Effort::for_arms(arms).times(self.truth_effort)
    }

    /// The part of a folder name for the effort; empty for the default.
    pub(in crate::cli) fn part(&self) -> String {
        if self.truth_effort == 1.0 { String::new() } else { format!("-truth-effort-{}", self.truth_effort) }
    }
}

/// A factor between a thousandth and a thousand.
fn parse_effort(text: &str) -> Result<f64, String> {
    match parse_above_zero(text)? {
        factor if (0.001..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a factor from 0.001 to 1000".to_owned()),
    }
}

/// Seed, threads and verbosity.
#[derive(Debug, Args)]
pub(in crate::cli) struct CommonArgs {
    /// The master seed; the same seed gives the same bytes for any number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    pub(in crate::cli) seed: u64,

    /// Threads [default: all cores; more than four per core (or 64) are not started]
    // Set for every command in one place, `cli::run`.
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// Hide progress bars and remarks
    #[arg(long)]
    pub(in crate::cli) quiet: bool,
}

impl CommonArgs {
    /// The part of a folder name for the seed; empty for the default seed.
    pub(in crate::cli) fn seeded(&self) -> String {
        if self.seed == 1 { String::new() } else { format!("-seed-{}", self.seed) }
    }
}
