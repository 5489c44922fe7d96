//! The front desk of the three programs `rankduel`, `click-logs` and `rankduel-server`: the handling of arguments, output and errors around
//! the work itself, so that it is the same everywhere. Nothing about rankers, logs or servers.
//!
//! | module | holds |
//! |---|---|
//! | the crate's root | [`parse`] arguments or answer `--help`; run, and [end](exit_code_of) with an exit code |
//! | [`failure`] | why a command stops: one line, a kind, an exit code |
//! | [`refusal`] | an error of the parser as one line, made from its parts, not from its text |
//! | [`mod@print`] | standard output that may be closed or full; lines of errors |
//! | [`situations`] | for tests: errors of callers, and the output and exit code of a program |
//!
//! # Exit codes
//!
//! | code | means |
//! |---|---|
//! | 0 | done; with `--exit-code`: decided |
//! | 1 | something failed: data that are missing or damaged, a machine that lacks space or denies access |
//! | 2 | something was asked wrongly: flags, or the content of a file that is written as configuration |
//! | 3, 4 | with `--exit-code`: the verdict is open; it is not trusted |
//! | 130, 143 | stopped by Ctrl-C or `kill` |
//! | 141 | the reader closed the pipe: what was printed is not all |
//!
//! Each failure is one line on standard error: `error: `, what was expected, and a remedy; errors of usage end with `(see --help)`.
//! [`output::messages`] has the three levels of other lines.
//!
//! # How to add a program
//!
//! [`exit_code_of`] around all, [`parse`] for its arguments, [`Failure::of`](failure::Failure::of) for its errors, [`println!`] and
//! [`eprintln!`] for its lines; and its row in the table of [`situations`].

#![warn(clippy::self_named_module_files)]

pub mod failure;
pub mod print;
pub mod refusal;
#[cfg(unix)]
pub mod situations;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use clap::{ArgMatches, FromArgMatches};

use crate::failure::Failure;
use crate::print::NotPrinted;
use crate::refusal::Refusal;

/// Does `work` and returns the exit code of the process: the work's, or its failure's, which is printed.
pub fn exit_code_of(work: impl FnOnce() -> Result<u8, Failure>) -> u8 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(code)) => code,
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

/// Parses `arguments`, the first of them the name of the program; `None` if they asked for help or the version, which is printed.
///
/// # Errors
/// If they are not arguments of `command`.
pub fn parse<C: FromArgMatches>(
    command: &mut clap::Command,
    arguments: &[OsString],
) -> Result<Option<(C, ArgMatches)>, Refusal> {
    let parsed = command.try_get_matches_from_mut(with_joined_values(arguments.iter().cloned()));
    match parsed.and_then(|matches| Ok((C::from_arg_matches(&matches)?, matches))) {
        Ok(parsed) => Ok(Some(parsed)),
        Err(error) if Refusal::is_one(&error) => Err(Refusal::of(&error, command)),
        Err(help) => {
            answer(&help);
            Ok(None)
        }
    }
}

/// Prints help or the version.
fn answer(help: &clap::Error) {
    if print::is_captured() {
        print::write_line(format_args!("{}", help.render().to_string().trim_end()));
    } else if let Err(error) = help.print() {
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// The arguments, with a negative number after a flag as its value, `--runs=-3`: clap takes `-3` for a flag of its own.
fn with_joined_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_flag = |flag: &OsString| flag.to_str().is_some_and(|flag| flag.starts_with("--") && !flag.contains('='));
    let is_negative = |word: &OsString| {
        let number = word.to_str().and_then(|word| word.strip_prefix('-'));
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    };
    let mut joined_arguments: Vec<OsString> = Vec::new();
    for argument in arguments {
        match joined_arguments.last_mut() {
            Some(flag) if is_negative(&argument) && is_flag(flag) => {
                flag.push("=");
                flag.push(argument);
            }
            _ => joined_arguments.push(argument),
        }
    }
    joined_arguments
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[arg(long)]
        lost: f64,
        #[arg(long)]
        plain: bool,
    }

    #[test]
    fn a_negative_number_is_the_value_of_the_flag_before_it() {
        let mut command = <Cli as clap::CommandFactory>::command();
        let parsed = |words: &[&str], command: &mut clap::Command| {
            let words: Vec<OsString> = ["program"].iter().chain(words).map(Into::into).collect();
            parse::<Cli>(command, &words).map(|found| found.map(|(cli, _)| (cli.lost, cli.plain)))
        };
        assert_eq!(parsed(&["--lost", "-.5", "--plain"], &mut command), Ok(Some((-0.5, true))));
        assert_eq!(parsed(&["--lost=1"], &mut command), Ok(Some((1.0, false))));
        assert!(parsed(&["--lost", "-x"], &mut command).is_err());
    }
}
