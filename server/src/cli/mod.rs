//! The command line: one file per command. [`desk`] has exit codes, and how errors look.

mod apply;
mod audit;
mod backup;
mod check;
#[cfg(feature = "drive")]
mod demo;
#[cfg(feature = "drive")]
mod drive;
mod export;
mod import;
mod judge;
mod keys;
mod logging;
mod migrate;
mod replay;
mod serve;

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use desk::failure::Failure;

use crate::store::{self, Access, Location, Store};
use crate::writer::Clock;

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
    Serve(Box<serve::Serve>),
    #[cfg(feature = "drive")]
    Demo(demo::Demo),
    Judge(Box<judge::Judge>),
    Apply(apply::Apply),
    Keys(keys::Keys),
    Check(check::Check),
    Replay(replay::Replay),
    Backup(backup::Backup),
    Migrate(migrate::Migrate),
    Audit(audit::Audit),
    Export(export::Export),
    Import(import::Import),
    #[cfg(feature = "drive")]
    Drive(Box<drive::Drive>),
}

/// The store of a command.
#[derive(Debug, Args)]
struct StoreFlag {
    /// The store: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(long, value_name = "FILE", env = "RANKDUEL_STORE", hide_env_values = true)]
    store: Location,
}

impl StoreFlag {
    fn open(&self, access: Access) -> Result<Store> {
        Ok(Store::open(&self.store, access)?)
    }
}

impl Command {
    /// Runs it, and returns the exit code.
    fn run(self) -> Result<u8> {
        // These end by themselves once they have answered all.
        let serves = matches!(self, Self::Serve(_) | Self::Judge(_));
        #[cfg(feature = "drive")]
        let serves = serves || matches!(self, Self::Demo(_));
        if !serves {
            output::interrupt::install();
        }
        match self {
            Self::Serve(command) => command.run(),
            #[cfg(feature = "drive")]
            Self::Demo(command) => command.run(),
            Self::Judge(command) => command.run(),
            Self::Apply(command) => command.run(),
            Self::Keys(command) => command.run(),
            Self::Check(command) => return command.run(),
            Self::Replay(command) => command.run(),
            Self::Backup(command) => command.run(),
            Self::Migrate(command) => command.run(),
            Self::Audit(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Import(command) => command.run(),
            #[cfg(feature = "drive")]
            Self::Drive(command) => command.run(),
        }?;
        Ok(0)
    }
}

/// Runs the command of this process.
#[must_use]
pub fn main() -> ExitCode {
    main_with(std::env::args_os()).into()
}

/// The same with these arguments, starting with the name of the program; returns the exit code.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    desk::exit_code_of(|| {
        let parsed = desk::parse(&mut Cli::command(), &arguments).map_err(|refusal| refusal.failure(""))?;
        let Some((Cli { command }, _)) = parsed else { return Ok(0) };
        command.run().map_err(|error| Failure::of(&error, |_| None))
    })
}

/// Records a command in the audit.
fn record_audit(store: &Store, what: &str, detail: &str) -> Result<()> {
    let [who, what, detail] = ["command", what, detail].map(str::to_owned);
    Ok(store.audit(&store::Audit { time: Clock::start().now(), who, what, detail })?)
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
