//! The command line: one file per command, and the flags that commands share in `args`.

mod algorithms;
mod analyse;
pub(crate) mod args;
mod bandit;
mod cache;
mod compare;
mod datasets;
mod distortion;
mod experiment;
mod inspect;
mod live;
pub(crate) mod matrix_file;
mod print;
mod proxy;
mod report;
mod sensitivity;
mod study;

use std::ffi::OsString;
use std::fmt;
use std::panic::{catch_unwind, resume_unwind};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::print::{NotPrinted, eprintln};
use crate::output::interrupt;
use crate::output::usage::UsageError;

/// Find the best of many rankers from user clicks, at the lowest cost to the users.
///
/// Without a command, sim runs a live simulation: dueling bandits choose rankers, their result lists are interleaved
/// or multileaved into the one list that a simulated user sees, the clicks decide which ranker won, and regret
/// measures the cost of the search. Without any flags it runs on a built-in look-alike of MSLR-WEB30K, prints a table
/// and writes curves, a summary and a figure to a folder in results/.
#[derive(Debug, Parser)]
#[command(name = "sim", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    live: live::Live,
}

const EXAMPLES: &str = "\
Examples:
  sim                                              the default: a look-alike of MSLR-WEB30K
  sim --dataset ylr1 --click navigational          a registered data set (cargo xtask fetch-datasets)
  sim --dataset MQ2008/ --click perfect            a folder of LETOR files (or the files, comma-separated)
  sim --algorithms rucb:alpha=0.51,mergerucb --steps 1e7 --runs 20
  sim bandit --matrix P.txt --steps 1e7            the same loop on a preference matrix
  sim proxy --dataset MQ2008/ --out P.npy          a preference matrix from a data set
  sim analyse --matrix P.npy                       its winners, cycles, gaps and bounds, with figures";

// The help of a command is the doc comment of its struct: a comment on the variant would replace it.
#[derive(Debug, Subcommand)]
enum Command {
    /// List the algorithms with their parameters and defaults
    Algorithms,
    Analyse(analyse::Analyse),
    Bandit(bandit::Bandit),
    Cache(cache::CacheCommand),
    Compare(compare::Compare),
    /// List the registered data sets and preference matrices, and whether they are installed
    Datasets,
    Inspect(inspect::Inspect),
    Distortion(distortion::DistortionCommand),
    Experiment(experiment::ExperimentCommand),
    Sensitivity(sensitivity::Sensitivity),
    Report(report::Report),
    Proxy(proxy::Proxy),
}

/// Parses the command line and runs the command. The exit code is 2 for wrong usage and 1 for failures, each with one
/// line on standard error. A closed pipe ends the process quietly.
#[must_use]
pub fn main() -> ExitCode {
    interrupt::install();
    match catch_unwind(|| run_with(std::env::args_os())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            eprintln!("{failure}");
            failure.exit_code.into()
        }
        Err(panic) => match panic.downcast::<NotPrinted>() {
            Ok(closed) => closed.exit_code().into(),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Why `sim` stops: one line for the user, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// 2 for wrong usage, 1 for everything else.
    pub exit_code: u8,
    /// The line, without `error: `.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}

impl std::error::Error for Failure {}

/// Runs `sim` with these arguments, the first of which is the name of the program. Prints results as [`main`] does, but
/// returns the error instead of printing it.
///
/// # Errors
/// For wrong usage and for failures of the command.
pub fn run_with(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<(), Failure> {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(refusal(&error)),
        Err(help) => {
            return help.print().map_err(|error| resume_unwind(Box::new(NotPrinted(error))));
        }
    };
    cli.run().map_err(|error| {
        let usage = error.chain().any(|cause| cause.is::<UsageError>());
        Failure { exit_code: if usage { WRONG_USAGE } else { 1 }, message: format!("{error:#}") }
    })
}

/// The command line as clap describes it, e.g. to render the help of all commands.
#[must_use]
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

impl Cli {
    fn run(self) -> anyhow::Result<()> {
        match self.command {
            None => self.live.run(),
            Some(Command::Algorithms) => algorithms::run(),
            Some(Command::Analyse(command)) => command.run(),
            Some(Command::Bandit(command)) => command.run(),
            Some(Command::Cache(command)) => command.run(),
            Some(Command::Compare(command)) => command.run(),
            Some(Command::Datasets) => datasets::run(),
            Some(Command::Inspect(command)) => command.run(),
            Some(Command::Distortion(command)) => command.run(),
            Some(Command::Experiment(command)) => command.run(),
            Some(Command::Report(command)) => command.run(),
            Some(Command::Sensitivity(command)) => command.run(),
            Some(Command::Proxy(command)) => command.run(),
        }
    }
}

/// The exit code for wrong usage, the same as that of clap.
const WRONG_USAGE: u8 = 2;

/// An error of clap as one line.
fn refusal(error: &clap::Error) -> Failure {
    let message = one_line(&error.to_string());
    // The usual cause is a pattern that the shell expanded: `--dataset *.txt`.
    let file = message.split('\'').find(|word| Path::new(word).is_file());
    let hint = file.map_or("", |_| "; separate several files with commas");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    Failure { exit_code: WRONG_USAGE, message: format!("{message}{hint} (see --help)") }
}

/// Checks that `sim` accepts these arguments, without running anything.
///
/// # Errors
/// What `sim` would print, in one line.
pub fn check<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    match Cli::try_parse_from(["sim"].into_iter().chain(arguments)) {
        Err(error) if error.use_stderr() => Err(one_line(&error.to_string())),
        _ => Ok(()),
    }
}

/// The paragraphs of a message of clap as one line, without the usage at its end.
fn one_line(message: &str) -> String {
    let said = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = said.take_while(|line| !line.starts_with("Usage: ") && !line.starts_with("For more information"));
    said.fold(String::new(), |before, line| match before.as_str() {
        "" => line.to_owned(),
        before if before.ends_with(':') || line.starts_with('[') => format!("{before} {line}"),
        before => format!("{before}; {line}"),
    })
}
