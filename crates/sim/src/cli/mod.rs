//! The command line: one file per command, and the flags that commands share in `args`.

mod algorithms;
mod analyse;
pub(crate) mod args;
mod bandit;
mod board;
mod cache;
mod compare;
mod datasets;
mod draw;
mod evidence;
mod experiment;
mod export;
mod help;
mod inspect;
mod live;
mod logging;
mod next;
mod print;
mod proxy;
mod report;
mod serve;
mod shards;
mod study;

use std::ffi::OsString;
use std::fmt;
use std::panic::{catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use bandits::MatrixError;
use clap::{FromArgMatches, Parser, Subcommand};
use output::interrupt;
use output::memory::NoRoom;
use output::numbers::escaped;
use output::program;
use output::usage::{UsageError, usage};
use simulation::spec::SpecError;
use studies::distortion::DistortionStudy;
use studies::sensitivity::SensitivityStudy;

use self::args::defaults::{self, Added};
pub use self::datasets::gets_data_as;
use self::print::{NotPrinted, eprintln};
pub use self::shards::made;

/// Find the best of many rankers from user clicks, at the lowest cost to the users.
///
/// Without a command, rankduel does what `rankduel live` does, a live simulation: dueling bandits choose rankers, their result lists are interleaved
/// or multileaved into the one list that a simulated user sees, the clicks decide which ranker won, and regret
/// measures the cost of the search. Without any flags it runs on a built-in look-alike of MSLR-WEB30K, prints a table
/// and writes curves, a summary and a figure to a folder in results/.
///
/// A file rankduel.toml in the working folder holds flags that need not be repeated: `seed = 7` for every command that has
/// --seed, and in a table, e.g. [bandit] or [live] (also for rankduel without a command), for that command alone. Flags given here win.
#[derive(Parser)]
#[command(name = output::program::name(), version = env!("SIM_VERSION"), args_conflicts_with_subcommands = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    live: live::Live,
}

/// All commands, one line each.
macro_rules! commands {
    ($($name:ident($arguments:ty),)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($name($arguments),)+
        }

        impl Command {
            fn run(self) -> anyhow::Result<()> {
                match self {
                    $(Self::$name(command) => command.run(),)+
                }
            }
        }
    };
}

// The help of a command is the doc comment of its struct: a comment on the variant would replace it.
commands! {
    Algorithms(algorithms::Algorithms),
    Analyse(analyse::Analyse),
    Bandit(bandit::Bandit),
    Board(board::BoardCommand),
    Cache(cache::CacheCommand),
    Cite(help::cite::Cite),
    Compare(compare::Compare),
    Completions(help::generate::Completions),
    Datasets(datasets::Datasets),
    Demo(serve::Demo),
    Distortion(study::StudyOfSite<DistortionStudy>),
    Draw(draw::Draw),
    Experiment(experiment::ExperimentCommand),
    Export(export::Export),
    Inspect(inspect::Inspect),
    Live(live::Live),
    Man(help::generate::Man),
    Merge(shards::merge::Merge),
    Next(next::Next),
    Power(evidence::power::Power),
    Proxy(proxy::Proxy),
    Report(report::Report),
    Sensitivity(study::StudyOfSite<SensitivityStudy>),
    Serve(serve::Serve),
    Significance(evidence::significance::Significance),
    Status(shards::status::Status),
    Submit(shards::submit::Submit),
}

/// Parses the command line and runs the command. The exit code is 2 for wrong usage and 1 for failures, each with one
/// line on standard error. A closed pipe ends the process quietly.
#[must_use]
pub fn main() -> ExitCode {
    main_with(std::env::args_os()).into()
}

/// The same for programs that do not have their arguments from the operating system; returns the exit code. The first
/// argument is the name of the program.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    interrupt::install();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(called) = arguments.first() {
        program::set(called);
    }
    match catch_unwind(|| run_with(arguments)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            print::failure(&failure.message);
            failure.exit_code
        }
        Err(panic) => match panic.downcast::<NotPrinted>() {
            Ok(closed) => closed.exit_code(),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// The path of the program that this is the command line of, where that is not the file of the process.
static CALLED_AS: OnceLock<PathBuf> = OnceLock::new();

/// Says that this is the command line of `program`, the absolute path of which the jobs of `submit` call. For programs that run
/// in an interpreter; the first call counts.
pub fn called_as(program: PathBuf) {
    let _ = CALLED_AS.set(program);
}

/// Runs the command line as [`run_with`] does, and returns what it would print on standard output.
///
/// # Errors
/// For wrong usage and for failures of the command.
pub fn captured(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<String, Failure> {
    let (ran, printed) = print::captured(|| run_with(arguments));
    ran.map(|()| printed)
}

/// What kind of failure ended a command, for front ends that have a type of error for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Something was asked wrongly.
    Usage,
    /// A file or data set is not there.
    NotFound,
    /// A file may not be read or written.
    Permission,
    /// A file could not be read or written for another reason.
    Io,
    /// There is not enough memory.
    Memory,
    /// What a file or table holds is wrong.
    Content,
    /// Anything else.
    Other,
}

impl FailureKind {
    fn of(error: &anyhow::Error, exit_code: u8) -> Self {
        use letor_io::ErrorKind as Data;
        use std::io::ErrorKind as Io;
        if error.chain().any(|cause| cause.is::<NoRoom>()) {
            return Self::Memory;
        }
        let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        let data = error.chain().find_map(|cause| cause.downcast_ref::<letor_io::Error>());
        match (io, data.map(letor_io::Error::kind)) {
            (Some(Io::NotFound), _) => Self::NotFound,
            (Some(Io::PermissionDenied), _) => Self::Permission,
            (_, Some(Data::Missing | Data::Unknown)) if exit_code != WRONG_USAGE => Self::NotFound,
            // These keep the text of the error alone.
            (_, Some(Data::Io)) if error.to_string().contains("(os error 2)") => Self::NotFound,
            (_, Some(Data::Io)) | (Some(_), None) => Self::Io,
            _ if exit_code == WRONG_USAGE => Self::Usage,
            (_, Some(_)) => Self::Content,
            _ if error.chain().any(|cause| cause.is::<MatrixError>()) => Self::Content,
            _ => Self::Other,
        }
    }
}

/// Why a command stops: one line for the user, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// 2 for wrong usage, 1 for everything else.
    pub exit_code: u8,
    /// The line, without `error: `.
    pub message: String,
}

impl Failure {
    /// The failure of a command.
    #[must_use]
    pub fn of(error: &anyhow::Error) -> Self {
        let usage = error.chain().any(|cause| cause.is::<UsageError>() || cause.is::<SpecError>());
        // One line, whatever names of files and data the message quotes.
        let message = escaped(&format!("{error:#}")).into_owned();
        let exit_code = if usage { WRONG_USAGE } else { 1 };
        Self { kind: FailureKind::of(error, exit_code), exit_code, message }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}

impl std::error::Error for Failure {}

/// Runs the command line with these arguments, the first of which is the name of the program. Prints results as [`main`] does, but
/// returns the error instead of printing it.
///
/// # Errors
/// For wrong usage and for failures of the command.
pub fn run_with(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<(), Failure> {
    let mut arguments = joined(arguments.into_iter().map(Into::into));
    let verbosity = logging::taken(&mut arguments);
    // An interpreter that calls commands has logs of its own.
    if !print::is_captured() {
        logging::start(verbosity).map_err(|error| Failure::of(&error))?;
    }
    let mut command = command();
    command.build();
    gets_data_as(command.get_name());
    let added = defaults::add(&command, &mut arguments).map_err(|error| Failure::of(&error))?;
    let (cli, threads) = match parse(command, &arguments) {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => return Err(refusal(&error, &arguments, &added)),
        Err(help) => {
            if print::is_captured() {
                print::out(format_args!("{}", help.render().to_string().trim_end()));
                return Ok(());
            }
            return help.print().map_err(|error| resume_unwind(Box::new(NotPrinted(error))));
        }
    };
    let quiet = arguments.iter().any(|argument| argument == "--quiet");
    if !added.is_empty() && !quiet {
        let flags: Vec<&str> = added.iter().map(|added| added.argument.as_str()).collect();
        eprintln!("from {}: {}", defaults::FILE, escaped(&flags.join(" ")));
    }
    shards::invoked_with(&arguments);
    cli.run(threads).map_err(|error| Failure::of(&error))
}

/// Runs the command line with these arguments, which another command kept; `rankduel.toml` is in them already.
fn run_again(arguments: &[OsString]) -> anyhow::Result<()> {
    let (cli, threads) = parse(command(), arguments).map_err(|error| usage(one_line(&error.to_string())))?;
    shards::invoked_with(arguments);
    cli.run(threads)
}

/// The command line, parsed, and the value of `--threads`, if the command has that flag and it is given.
fn parse(mut command: clap::Command, arguments: &[OsString]) -> Result<(Cli, Option<u16>), clap::Error> {
    let matches = command.try_get_matches_from_mut(arguments)?;
    let of_command = matches.subcommand().map_or(&matches, |(_, of_command)| of_command);
    let threads = of_command.try_get_one::<u16>("threads").ok().flatten().copied();
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((cli, threads))
}

/// The command line as clap describes it, e.g. to render the help of all commands.
#[must_use]
pub fn command() -> clap::Command {
    help::dressed(<Cli as clap::CommandFactory>::command().bin_name(program::name())).arg(logging::flag())
}

impl Cli {
    fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        // These run other commands, which have threads of their own.
        if !matches!(self.command, Some(Command::Merge(_) | Command::Submit(_))) {
            output::threads::for_process(threads.map(usize::from))?;
        }
        match self.command {
            None => self.live.run(),
            Some(command) => command.run(),
        }
    }
}

/// The exit code for wrong usage, the same as that of clap.
const WRONG_USAGE: u8 = 2;

/// The arguments, with a negative number after a flag as its value, `--runs=-3`: clap takes `-3` for a flag of its own.
fn joined(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_flag = |flag: &OsString| flag.to_str().is_some_and(|flag| flag.starts_with("--") && !flag.contains('='));
    let is_negative = |word: &OsString| {
        let number = word.to_str().and_then(|word| word.strip_prefix('-'));
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    };
    let mut all: Vec<OsString> = Vec::new();
    for argument in arguments {
        match all.last_mut() {
            Some(flag) if is_negative(&argument) && is_flag(flag) => {
                flag.push("=");
                flag.push(argument);
            }
            _ => all.push(argument),
        }
    }
    all
}

/// An error of clap as one line.
fn refusal(error: &clap::Error, arguments: &[OsString], added: &[Added]) -> Failure {
    let mut message = error.to_string();
    // Line feeds of the user's would look like those of clap.
    let words = arguments.iter().filter_map(|argument| argument.to_str());
    for word in words.flat_map(|argument| argument.split([',', '='])).filter(|word| word.contains(char::is_control)) {
        message = message.replace(word, &escaped(word));
    }
    let message = one_line(&message);
    let file = message.split('\'').find(|word| Path::new(word).is_file());
    let mut message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    let mut hint = "";
    match file.and_then(|file| stray_file(file, arguments)) {
        _ if message.contains(" '--runs") => hint = "; --runs takes a number, TREC runs are given with --rankings",
        Some(stray) => message = stray,
        None if file.is_some() => hint = "; separate several files with commas",
        None if message.starts_with("invalid UTF-8") => {
            hint = "; names of files must be UTF-8: rename the file, or give the folder that holds it";
        }
        None if message.contains("not provided: --qrels") => {
            hint = "; runs need judgments, files of `query 0 document label`"
        }
        None => {}
    }
    // A flag of the file that the user did not type.
    let wrong = added.iter().find(|added| {
        let flag = added.argument.split('=').next().unwrap_or_default();
        message.contains(&format!("'{flag} ")) || message.contains(&format!("'{flag}'"))
    });
    let from = wrong.map_or_else(String::new, |added| format!("; it is in {}, line {}", defaults::FILE, added.line));
    Failure {
        kind: FailureKind::Usage,
        exit_code: WRONG_USAGE,
        message: format!("{}{hint}{from} (see --help)", escaped(&message)),
    }
}

/// What to say of a `file` among `arguments` that no flag takes; `None` if nobody knows where it belongs.
fn stray_file(file: &str, arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let at = words.iter().position(|word| *word == file)?;
    let command = words.get(1).and_then(|name| command().find_subcommand(name).cloned());
    let takes = |flag: &str| {
        let named = command.clone().unwrap_or_else(self::command);
        named.get_arguments().any(|argument| argument.get_long() == Some(flag))
    };
    // The usual cause is a pattern that the shell expanded: `--rankings *.run`.
    let before = words[..at].iter().rposition(|word| word.starts_with("--"));
    if let Some(before) = before {
        let (flag, first) = words[before].split_once('=').unwrap_or((words[before], ""));
        let listed = ["--dataset", "--rankings", "--qrels", "--scores"].contains(&flag);
        let given: Vec<&str> = [first].into_iter().chain(words[before + 1..at].iter().copied()).collect();
        let given: Vec<&str> = given.into_iter().filter(|word| !word.is_empty()).collect();
        let more = words[at..].iter().take_while(|word| !word.starts_with("--")).count();
        if listed && !given.is_empty() {
            let and = if more > 1 { ",..." } else { "" };
            return Some(format!(
                "found the file '{file}' after {flag} {given}: write {flag} {given},{file}{and}, or give their folder; separate \
                 several files with commas",
                given = given.join(",")
            ));
        }
    }
    let is_matrix = command.is_some() && takes("matrix") && !words.iter().any(|word| word.starts_with("--matrix"));
    is_matrix.then(|| format!("unexpected argument '{file}': give the matrix as --matrix {file}"))
}

/// Checks that the command line accepts these arguments, without running anything.
///
/// # Errors
/// What the command would print, in one line.
pub fn check<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let arguments: Vec<OsString> = [program::name()].into_iter().chain(arguments).map(Into::into).collect();
    match parse(command(), &arguments) {
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
