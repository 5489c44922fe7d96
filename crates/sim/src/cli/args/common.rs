//! Flags of every command: seed, threads, output.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::output::numbers::{parse_count, parse_up_to};

/// Where results go.
#[derive(Debug, Args)]
pub(in crate::cli) struct OutputArgs {
    /// Results folder; results of the same command in it are replaced, a folder of another command is refused
    /// [default: results/NAME, where NAME is made of the command, the data, the settings and, unless it is 1, the seed]
    #[arg(long, value_name = "FOLDER")]
    pub(in crate::cli) out: Option<PathBuf>,

    /// Print JSON instead of text
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// The cache of ground truths.
#[derive(Debug, Args)]
pub(in crate::cli) struct CacheArgs {
    /// Folder that keeps estimated ground truths (and, for experiments, runs and matrices) for later runs
    #[arg(long, value_name = "FOLDER", default_value = "results/.cache", help_heading = "Runs and results")]
    pub(in crate::cli) cache: PathBuf,
}

/// Seed, threads and verbosity.
#[derive(Debug, Args)]
pub(in crate::cli) struct CommonArgs {
    /// The master seed; the same seed gives the same bytes for any number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    pub(in crate::cli) seed: u64,

    /// Threads [default: all cores]
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

    /// Sets the number of threads of the process.
    pub(in crate::cli) fn apply(&self) -> Result<()> {
        Self::set_threads(self.threads)
    }

    /// Sets the number of threads of the process to `threads`, if given.
    pub(in crate::cli) fn set_threads(threads: Option<u16>) -> Result<()> {
        let Some(threads) = threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .context("failed to start the threads")
    }
}
