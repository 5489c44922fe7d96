//! Maintenance tasks of this repository, one module per command; `main.rs` dispatches.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "talks to a person")]

pub mod bench;
pub mod compare_results;
pub mod fetch_datasets;
pub mod fuzz;
pub mod pin;
pub mod publishable;
pub mod readme;
pub mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Maintenance tasks of this repository
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Arguments),
    CompareResults(compare_results::Arguments),
    FetchDatasets(fetch_datasets::Arguments),
    Fuzz(fuzz::Arguments),
    Pin(pin::Arguments),
    Publishable(publishable::Arguments),
    Readme(readme::Arguments),
    Tidy(tidy::Arguments),
}

impl Arguments {
    /// Runs the command; returns its exit code.
    ///
    /// # Errors
    /// When the command fails.
    pub fn run(&self) -> Result<ExitCode> {
        match &self.command {
            Command::Bench(arguments) => bench::run(arguments).map(|()| ExitCode::SUCCESS),
            Command::CompareResults(arguments) => compare_results::run(arguments),
            Command::FetchDatasets(arguments) => fetch_datasets::run(arguments),
            Command::Fuzz(arguments) => fuzz::run(arguments),
            Command::Pin(arguments) => pin::run(arguments),
            Command::Publishable(arguments) => publishable::run(arguments),
            Command::Readme(arguments) => readme::run(arguments),
            Command::Tidy(arguments) => tidy::run(arguments),
        }
    }
}
