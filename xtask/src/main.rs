//! Maintenance tasks of this repository: `cargo xtask COMMAND`.
#![expect(clippy::print_stderr, reason = "talks to a person")]

use std::process::ExitCode;

use clap::Parser as _;
use xtask::Arguments;

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
