//! The command line: one file per command.

mod against;
mod conversions;
mod credit;
mod decide;
mod detail;
mod html;
mod inputs;
mod orders;
mod output_format;
mod rules;
mod set_aside;
mod simulate;
mod sql;
mod summary;
mod verify;

pub use summary::summary;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use desk::failure::{Failure, FailureKind};

use crate::error::LogError;

/// Who won, from your own logs: credit impressions and clicks once and rightly, and decide when to stop
///
/// `credit` joins clicks to the lists that were shown, credits each impression by the method that mixed it, and counts
/// everything that it sets aside. `decide` says who won, and since when, at a level that holds however often you look.
/// `simulate` writes logs whose truth is known. `sql` prints what `credit` does as SQL for a data warehouse.
#[derive(Debug, Parser)]
#[command(name = "click-logs", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// The help of a command is the doc comment of its struct.
#[derive(Debug, Subcommand)]
enum Command {
    Credit(credit::Credit),
    Decide(decide::Decide),
    Simulate(simulate::Simulate),
    Sql(sql::Sql),
    Verify(verify::Verify),
}

/// Parses the command line and runs the command. The exit code is 2 for wrong usage and 1 for failures, each with one line on
/// standard error; `decide --exit-code` has two more.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(main_with(std::env::args_os()))
}

/// Runs the command line with these arguments, starting with the program's name; returns the exit code.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    output::interrupt::install();
    desk::exit_code_of(|| run_arguments(&arguments.into_iter().collect::<Vec<_>>()))
}

fn run_arguments(arguments: &[OsString]) -> Result<u8, Failure> {
    let parsed = desk::parse(&mut command(), arguments).map_err(|refusal| refusal.failure(""))?;
    let Some((Cli { command }, _)) = parsed else { return Ok(0) };
    let ran = match command {
        Command::Credit(command) => command.run().map(|()| 0),
        Command::Decide(command) => command.run(),
        Command::Simulate(command) => command.run().map(|()| 0),
        Command::Sql(command) => command.run().map(|()| 0),
        Command::Verify(command) => command.run(),
    };
    let of_log = |error: &LogError| error.io_kind().map_or(FailureKind::Content, FailureKind::of_io);
    ran.map_err(|error| Failure::of(&error, |cause| cause.downcast_ref().map(of_log)))
}

/// The command line as clap describes it, e.g. to check commands in documents.
#[must_use]
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Makes `text` a file of a results folder.
fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    output::write_atomic(&folder.join(name), text.as_bytes())
}

/// Removes temporary files before a process that is asked to stop ends.
struct Stop {
    asked: std::sync::Mutex<Option<output::interrupt::SaveGuard>>,
    temporary: Vec<PathBuf>,
}

impl Stop {
    /// For these files and folders.
    fn new(temporary: Vec<PathBuf>) -> Self {
        Self { asked: std::sync::Mutex::new(Some(output::interrupt::saves_before_it_stops())), temporary }
    }

    /// Ends the process here if it was asked to stop. The files must not be in use.
    fn if_asked(&self) {
        let mut interrupt = self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if interrupt.as_ref().is_some_and(output::interrupt::SaveGuard::is_asked_to_stop) {
            for path in &self.temporary {
                // The next call removes what cannot be removed now.
                let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
            if let Some(interrupt) = interrupt.take() {
                interrupt.stop();
            }
        }
    }
}

/// A folder for temporary files, removed in the end.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new(within: &Path) -> Result<Self> {
        let path = within.join(format!(".click-logs-{}", std::process::id()));
        // Left by a killed process: the folder is named after a process that no longer exists.
        for entry in std::fs::read_dir(within).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let process =
                name.to_str().and_then(|name| name.strip_prefix(".click-logs-")).filter(|id| id.parse::<u32>().is_ok());
            if process.is_some_and(|id| !Path::new("/proc").join(id).exists() && Path::new("/proc/self").exists()) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        output::create_folder(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
