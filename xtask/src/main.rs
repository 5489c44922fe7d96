//! Chores of this repository: `cargo xtask COMMAND`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talks to a person"
)]

mod fetch_datasets;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    FetchDatasets(fetch_datasets::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::FetchDatasets(arguments) => fetch_datasets::run(&arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
