//! The command line: one file per command. Exit code 2 for what was asked wrongly, 1 for what failed.

mod backup;
mod check;
#[cfg(feature = "drive")]
mod demo;
#[cfg(feature = "drive")]
mod drive;
mod export;
mod keys;
mod logging;
mod replay;
mod serve;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};

use crate::store::{Access, Store};

/// Serves experiments: who meets, mixed lists, clicks, verdicts
///
/// Everything is in one file, the store. `serve` makes it; the other commands look at it or change its keys, also while a server
/// runs.
#[derive(Debug, Parser)]
#[command(name = "rankduel-server", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    #[cfg(feature = "drive")]
    Demo(demo::Demo),
    Keys(keys::Keys),
    Check(check::Check),
    Replay(replay::Replay),
    Backup(backup::Backup),
    Export(export::Export),
    #[cfg(feature = "drive")]
    Drive(Box<drive::Drive>),
}

/// The store of a command.
#[derive(Debug, Args)]
struct StoreFlag {
    /// The store
    #[arg(long, value_name = "FILE", env = "RANKDUEL_STORE")]
    store: PathBuf,
}

impl StoreFlag {
    fn open(&self, access: Access) -> Result<Store> {
        Ok(Store::open(&self.store, access)?)
    }
}

/// Something was asked wrongly: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// A command has printed what is wrong: exit code 1, and nothing more to say.
#[derive(Debug, thiserror::Error)]
#[error("problems were found")]
struct Found;

/// Runs the command of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and versions end well; everything else has the exit code 2.
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return if error.print().is_ok() { ExitCode::from(code) } else { ExitCode::FAILURE };
        }
    };
    let done = match cli.command {
        Command::Serve(command) => command.run(),
        #[cfg(feature = "drive")]
        Command::Demo(command) => command.run(),
        Command::Keys(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Backup(command) => command.run(),
        Command::Export(command) => command.run(),
        #[cfg(feature = "drive")]
        Command::Drive(command) => command.run(),
    };
    let Err(error) = done else { return ExitCode::SUCCESS };
    if error.is::<Found>() {
        return ExitCode::FAILURE;
    }
    let is_pipe = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    if error.downcast_ref().is_some_and(is_pipe) {
        return ExitCode::SUCCESS;
    }
    // Where not even standard error can be written, nobody can read the message.
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    if error.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// Prints a line to standard output.
fn print(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Writes a file that was not there.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let mut file = new_file(path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))
}

/// A file that was not there.
fn new_file(path: &Path) -> Result<File> {
    let file = File::create_new(path);
    file.with_context(|| format!("{} cannot be made; name a file that is not there", path.display()))
}
