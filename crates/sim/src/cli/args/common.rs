//! Flags of every command: seed, threads, output.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use output::numbers::{parse_count, parse_up_to};
use output::results_folder::{ExistingResults, ResultsFolder};
use serde::Serialize;
use studies::runner::claim_folder;

use crate::cli::shards::ShardArgs;

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
    #[arg(long)]
    pub(in crate::cli) replace: bool,

    /// Print JSON instead of text
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl OutputArgs {
    /// Claims the results folder for the configuration `key`: the given folder, or `default_folder`. Unless `quiet`, reports what was moved aside
    /// and which folder was created for --out.
    pub(in crate::cli) fn claim(
        &self,
        default_folder: impl FnOnce() -> PathBuf,
        key: &impl Serialize,
        quiet: bool,
    ) -> Result<ResultsFolder> {
        let path = self.out.clone().unwrap_or_else(default_folder);
        let existing = ExistingResults::from_flag(self.replace);
        claim_folder(&path, existing, self.out.is_some(), key, quiet)
    }
}

/// The folder that keeps ground truths, unless another is named.
pub(super) const CACHE: &str = "results/.cache";

/// The cache of ground truths.
#[derive(Debug, Args)]
pub(in crate::cli) struct CacheArgs {
    /// Folder that keeps estimated ground truths (and, for experiments, runs and matrices) for later runs
    #[arg(long, value_name = "FOLDER", default_value = CACHE, help_heading = "Runs and results")]
    pub(in crate::cli) cache: PathBuf,
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

/// Seed, threads, results and shares of studies of runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs and results")]
pub(in crate::cli) struct PlaceArgs {
    #[command(flatten)]
    pub(in crate::cli) common: CommonArgs,

    #[command(flatten)]
    pub(in crate::cli) output: OutputArgs,

    #[command(flatten)]
    pub(in crate::cli) shard: ShardArgs,
}

/// Tests of algorithms against each other.
#[derive(Debug, Args)]
#[command(next_help_heading = "What outcomes prove")]
pub(in crate::cli) struct ComparisonArgs {
    /// Also say which algorithms differ in regret, pair by pair; `rankduel significance` does it for finished studies, in
    /// LaTeX and other formats
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) compare_algorithms: bool,
}
