//! The command line: one file per command, and the flags that commands share in `args`.

mod algorithms;
mod analyse;
pub(crate) mod args;
mod bandit;
mod bench;
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
mod proxy;
mod report;
mod serve;
mod shards;
mod study;

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use bandits::MatrixError;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
pub use desk::failure::{Failure, FailureKind};
use desk::refusal::Refusal;
use desk::{eprintln, print};
use output::interrupt;
use output::program;
use output::usage::usage;
use ranktypes::text::escaped;
use simulation::spec::SpecError;
use studies::distortion::DistortionStudy;
use studies::sensitivity::SensitivityStudy;

use self::args::defaults::{self, AddedFlag};
pub use self::datasets::gets_data_as;
pub use self::shards::invocation;

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
    Bench(bench::Bench),
    Board(board::BoardCommand),
    Cache(cache::CacheCommand),
    Cite(help::cite::Cite),
    Compare(compare::Compare),
    Completions(help::generate::Completions),
    Datasets(datasets::Datasets),
    Demo(serve::Demo),
    Distortion(study::SiteStudyArgs<DistortionStudy>),
    Draw(draw::Draw),
    Experiment(experiment::ExperimentCommand),
    Export(export::Export),
    Inspect(inspect::Inspect),
    Judge(serve::Judge),
    Live(live::Live),
    Man(help::generate::Man),
    Merge(shards::merge::Merge),
    Next(next::Next),
    Power(evidence::power::Power),
    Proxy(proxy::Proxy),
    Report(report::Report),
    Sensitivity(study::SiteStudyArgs<SensitivityStudy>),
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
    if let Some(program) = arguments.first() {
        program::set_name(program);
    }
    desk::exit_code_of(|| run_with(arguments).map(|()| 0))
}

/// The path of the program that this is the command line of, where that is not the file of the process.
static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();

/// Sets the absolute path of the program, which the jobs of `submit` call. For programs that run in an interpreter; the first call counts.
pub fn set_program_path(program: PathBuf) {
    let _ = PROGRAM_PATH.set(program);
}

/// Runs the command line as [`run_with`] does, and returns its standard output.
///
/// # Errors
/// For wrong usage and for failures of the command.
pub fn run_captured(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<String, Failure> {
    let (result, printed) = print::captured(|| run_with(arguments));
    result.map(|()| printed)
}

/// The failure of a command.
#[must_use]
pub fn failure(error: &anyhow::Error) -> Failure {
    Failure::of(error, library_failure)
}

/// The kind of an error of the libraries.
fn library_failure(cause: &(dyn Error + 'static)) -> Option<FailureKind> {
    use letor_io::ErrorKind as Data;
    if let Some(error) = cause.downcast_ref::<letor_io::Error>() {
        return Some(match (error.io_kind(), error.kind()) {
            (Some(kind), _) => FailureKind::of_io(kind),
            (None, Data::Io) => FailureKind::Io,
            (None, Data::Missing | Data::Unknown) => FailureKind::NotFound,
            _ => FailureKind::Content,
        });
    }
    match cause {
        cause if cause.is::<SpecError>() => Some(FailureKind::Usage),
        cause if cause.is::<MatrixError>() => Some(FailureKind::Content),
        _ => None,
    }
}

/// Runs the command line with these arguments, starting with the name of the program. Prints results as [`main`] does, but returns the
/// error instead of printing it.
///
/// # Errors
/// For wrong usage and for failures of the command.
pub fn run_with(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<(), Failure> {
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let verbosity = logging::take_verbosity(&mut arguments);
    // An interpreter that calls commands has logs of its own.
    if !print::is_captured() {
        logging::start(verbosity).map_err(|error| failure(&error))?;
    }
    let mut command = front_page();
    command.build();
    gets_data_as(command.get_name());
    let added = defaults::add_defaults(&command, &mut arguments).map_err(|error| failure(&error))?;
    let parsed = parse(command, &arguments).map_err(|refusal| explained(refusal, &arguments, &added))?;
    let Some((cli, threads)) = parsed else { return Ok(()) };
    let quiet = arguments.iter().any(|argument| argument == "--quiet");
    if !added.is_empty() && !quiet {
        let flags: Vec<&str> = added.iter().map(|added| added.argument.as_str()).collect();
        eprintln!("from {}: {}", defaults::DEFAULTS_FILE, escaped(&flags.join(" ")));
    }
    shards::invoked_with(&arguments);
    cli.run(threads).map_err(|error| failure(&error))
}

/// Runs the command line with these arguments, which another command kept; `rankduel.toml` is in them already.
fn run_again(arguments: &[OsString]) -> anyhow::Result<()> {
    let parsed = parse(command(), arguments).map_err(|refusal| usage(refusal.text))?;
    let Some((cli, threads)) = parsed else { return Ok(()) };
    shards::invoked_with(arguments);
    cli.run(threads)
}

/// The command line, parsed, and the value of `--threads`, if the command has that flag and it is given; `None` if arguments asked
/// for help, which is printed.
fn parse(mut command: clap::Command, arguments: &[OsString]) -> Result<Option<(Cli, Option<u16>)>, Refusal> {
    let Some((cli, matches)) = desk::parse(&mut command, arguments)? else { return Ok(None) };
    let of_command = matches.subcommand().map_or(&matches, |(_, of_command)| of_command);
    let threads = of_command.try_get_one::<u16>("threads").ok().flatten().copied();
    Ok(Some((cli, threads)))
}

/// The command line as clap describes it, e.g. to render the help of all commands.
#[must_use]
pub fn command() -> clap::Command {
    help::with_help(<Cli as clap::CommandFactory>::command().bin_name(program::name())).arg(logging::flag())
}

/// The same for `rankduel --help`: commands by purpose.
#[must_use]
pub fn front_page() -> clap::Command {
    help::with_groups(command())
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

/// The failure for refused arguments, with a remedy: most refusals are of a list of files in the wrong form.
fn explained(mut refusal: Refusal, arguments: &[OsString], added: &[AddedFlag]) -> Failure {
    if let Some(runs) = stray_runs(arguments) {
        refusal.text = format!(
            "unexpected argument '{}': two rankers are compared by `{} --rankings {} --qrels QRELS`, with judgments in QRELS",
            escaped(runs[0]),
            program::name(),
            escaped(&runs.join(","))
        );
        return refusal.failure("");
    }
    let is_unknown =
        matches!(refusal.kind, ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand | ErrorKind::ArgumentConflict);
    let file = refusal.about.iter().find(|word| is_unknown && Path::new(word).is_file());
    let hint = match file.map(|file| stray_file(file, arguments)) {
        // A command may have no such flag.
        _ if refusal.is_about("--runs") && (is_unknown || refusal.value.as_deref().is_some_and(names_a_file)) => {
            "; --runs takes a number, TREC runs are given with --rankings"
        }
        Some(Some(stray)) => {
            refusal.text = stray;
            ""
        }
        Some(None) => "; separate several files with commas",
        None if refusal.kind == ErrorKind::MissingRequiredArgument && refusal.is_about("--qrels") => {
            "; runs need judgments, files of `query 0 document label`"
        }
        None => "",
    };
    // A flag of the file that the user did not type.
    let wrong = { added.iter() }.find(|added| refusal.is_about(added.argument.split('=').next().unwrap_or_default()));
    let origin =
        wrong.map_or_else(String::new, |added| format!("; it is in {}, line {}", defaults::DEFAULTS_FILE, added.line));
    refusal.failure(&format!("{hint}{origin}"))
}

fn names_a_file(value: &str) -> bool {
    value.contains(['.', '/']) && value.parse::<f64>().is_err() || Path::new(value).is_file()
}

/// The words of `rankduel compare a.run b.run` and `rankduel a.run b.run`, if they seem to be TREC runs.
fn stray_runs(arguments: &[OsString]) -> Option<Vec<&str>> {
    let arguments_text: Vec<&str> = arguments.get(1..)?.iter().map_while(|word| word.to_str()).collect();
    let arguments_text = arguments_text
        .strip_prefix(&["compare"])
        .or_else(|| arguments_text.strip_prefix(&["live"]))
        .unwrap_or(&arguments_text);
    let runs: Vec<&str> = arguments_text.iter().copied().take_while(|word| !word.starts_with('-')).collect();
    let is_run = |word: &&str| {
        let name = word.strip_suffix(".gz").unwrap_or(word);
        [".run", ".res", ".trec"].iter().any(|ending| name.ends_with(ending))
    };
    (!runs.is_empty() && runs.iter().all(is_run)).then_some(runs)
}

/// The advice for a `file` among `arguments` that no flag takes; `None` if it could belong to none.
fn stray_file(file: &str, arguments: &[OsString]) -> Option<String> {
    let arguments_text: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let file_index = arguments_text.iter().position(|word| *word == file)?;
    let command = arguments_text.get(1).and_then(|name| command().find_subcommand(name).cloned());
    let accepts = |flag: &str| {
        let subcommand = command.clone().unwrap_or_else(self::command);
        subcommand.get_arguments().any(|argument| argument.get_long() == Some(flag))
    };
    // The usual cause is a pattern that the shell expanded: `--rankings *.run`.
    let flag_index = arguments_text[..file_index].iter().rposition(|word| word.starts_with("--"));
    if let Some(flag_index) = flag_index {
        let (flag, attached_value) =
            arguments_text[flag_index].split_once('=').unwrap_or((arguments_text[flag_index], ""));
        let takes_files = ["--dataset", "--rankings", "--qrels", "--scores"].contains(&flag);
        let values: Vec<&str> =
            [attached_value].into_iter().chain(arguments_text[flag_index + 1..file_index].iter().copied()).collect();
        let values: Vec<&str> = values.into_iter().filter(|word| !word.is_empty()).collect();
        let following = arguments_text[file_index..].iter().take_while(|word| !word.starts_with("--")).count();
        if takes_files && !values.is_empty() {
            let and = if following > 1 { ",..." } else { "" };
            return Some(format!(
                "found the file '{file}' after {flag} {values}: write {flag} {values},{file}{and}, or give their folder; separate \
                 several files with commas",
                values = values.join(",")
            ));
        }
    }
    let is_matrix =
        command.is_some() && accepts("matrix") && !arguments_text.iter().any(|word| word.starts_with("--matrix"));
    is_matrix.then(|| format!("unexpected argument '{file}': give the matrix as --matrix {file}"))
}

/// Checks that the command line accepts these arguments, without running anything.
///
/// # Errors
/// The message of the command, in one line.
pub fn check<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let arguments = [program::name()].into_iter().chain(arguments);
    let mut command = command();
    match command.try_get_matches_from_mut(arguments) {
        Err(error) if Refusal::is_one(&error) => Err(Refusal::of(&error, &command).text),
        _ => Ok(()),
    }
}
