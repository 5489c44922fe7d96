//! Maintenance tasks of this repository: `cargo xtask COMMAND`.
#![expect(clippy::print_stderr, reason = "talks to a person")]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{bench, compare_results, fetch_datasets};

/// Maintenance tasks of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    FetchDatasets(fetch_datasets::Arguments),
    Bench(bench::Arguments),
    CompareResults(compare_results::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::FetchDatasets(arguments) => fetch_datasets::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::CompareResults(arguments) => compare_results::run(&arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
