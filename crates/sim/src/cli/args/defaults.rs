//! `rankduel.toml` in the working folder: flags that need not be repeated. Keys are the long names of flags; those at the top
//! are for every command that has the flag, those in a table, e.g. `[bandit]`, for that command (`[live]`: also `rankduel` without
//! a command). Flags on the command line win.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use clap::{Arg, ArgAction, Command};
use output::usage::usage;
use ranktypes::spec::nearest;
use ranktypes::text::escaped;
use toml::de::{DeTable, DeValue};

/// The name of the file.
pub(in crate::cli) const DEFAULTS_FILE: &str = "rankduel.toml";
/// A name under which nothing is read any more: flags that are passed over without a word would change results.
const FORMER_DEFAULTS_FILE: &str = "sim.toml";
/// The command that is meant without one.
const LIVE_COMMAND: &str = "live";

/// A flag that the file adds to the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct AddedFlag {
    /// The argument, e.g. `--steps=1e5`.
    pub(in crate::cli) argument: String,
    /// Its line in the file.
    pub(in crate::cli) line: usize,
}

/// Inserts the flags of `rankduel.toml`, if that is in the working folder, into `arguments` of `command`, and returns those
/// that were added.
///
/// # Errors
/// If the file cannot be read, has the name that it had before, or has a key that is not a flag, with its line and the flag that was probably meant.
pub(in crate::cli) fn add_defaults(command: &Command, arguments: &mut Vec<OsString>) -> Result<Vec<AddedFlag>> {
    let asks_for_help = |word: &OsString| ["-h", "--help", "-V", "--version"].iter().any(|help| word == help);
    if arguments.iter().any(asks_for_help) {
        return Ok(Vec::new());
    }
    match output::input::read_file_text(Path::new(DEFAULTS_FILE), 1 << 20) {
        Ok(text) => {
            insert_from_text(command, arguments, &text).map_err(|error| usage(format!("{DEFAULTS_FILE}{error}")))
        }
        Err(error) if error.kind() == ErrorKind::NotFound && Path::new(FORMER_DEFAULTS_FILE).exists() => Err(usage(
            format!("{FORMER_DEFAULTS_FILE} is not read; rename it to {DEFAULTS_FILE}, or move it out of this folder"),
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("failed to read {DEFAULTS_FILE}")),
    }
}

fn insert_from_text(command: &Command, arguments: &mut Vec<OsString>, text: &str) -> Result<Vec<AddedFlag>> {
    let error_at = |span: Range<usize>, message: String| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        anyhow!(", line {line}: {}", escaped(&message))
    };
    let parsed = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        error_at(error.span().unwrap_or_default(), message)
    })?;
    let subcommand = arguments.get(1).and_then(|word| word.to_str());
    let subcommand = subcommand.and_then(|name| command.find_subcommand(name));
    let (target, insert_at) = subcommand.map_or((command, 1), |command| (command, 2));
    let target_table = subcommand.map_or(LIVE_COMMAND, |command| command.get_name());
    let flags_on_line = flags_among(target, &arguments[arguments.len().min(insert_at)..]);

    let mut added_flags: Vec<(&Arg, AddedFlag)> = Vec::new();
    let mut take = |key: &str, value: &DeValue<'_>, span: Range<usize>| -> Result<()> {
        let Some(flag) = flag(target, key) else { return Ok(()) };
        let argument = argument_of_value(flag, key, value).map_err(|message| error_at(span.clone(), message))?;
        let line = text[..span.start].matches('\n').count() + 1;
        // A key of the command's own table replaces the one at the top.
        added_flags.retain(|(known_names, _)| known_names.get_id() != flag.get_id());
        if let Some(argument) = argument
            && !flags_on_line.iter().any(|flags_on_line| are_exclusive(target, flags_on_line, flag))
        {
            added_flags.push((flag, AddedFlag { argument, line }));
        }
        Ok(())
    };
    let (tables, top): (Vec<_>, Vec<_>) =
        parsed.get_ref().iter().partition(|(_, value)| matches!(value.get_ref(), DeValue::Table(_)));
    let all_commands = || std::iter::once(command).chain(command.get_subcommands());
    for (key, value) in top {
        let name = key.get_ref().as_ref();
        if !all_commands().any(|command| flag(command, name).is_some()) {
            let known_names = all_commands().flat_map(flags).filter_map(Arg::get_long);
            return Err(error_at(key.span(), unknown_name_error("key", name, known_names, &flags_are_listed())));
        }
        take(name, value.get_ref(), key.span())?;
    }
    for (key, value) in tables {
        let name = key.get_ref().as_ref();
        let owner = if name == LIVE_COMMAND { Some(command) } else { command.find_subcommand(name) };
        let Some(owner) = owner else {
            let known_names = command.get_subcommands().map(Command::get_name);
            return Err(error_at(
                key.span(),
                unknown_name_error("table", name, known_names, "expected `live` or a command"),
            ));
        };
        let DeValue::Table(table) = value.get_ref() else { continue };
        for (key, value) in table.iter() {
            let flag_name = key.get_ref().as_ref();
            if flag(owner, flag_name).is_none() {
                let known_names = flags(owner).filter_map(Arg::get_long);
                let message = unknown_name_error("key", flag_name, known_names, &flags_are_listed());
                return Err(error_at(key.span(), format!("[{name}]: {message}")));
            }
            if name == target_table {
                take(flag_name, value.get_ref(), key.span())?;
            }
        }
    }
    let mut added: Vec<AddedFlag> = added_flags.into_iter().map(|(_, added)| added).collect();
    added.sort_by_key(|added| added.line);
    let insert_at = insert_at.min(arguments.len());
    arguments.splice(insert_at..insert_at, added.iter().map(|added| OsString::from(&added.argument)));
    Ok(added)
}

/// The flags that a file may set.
fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|flag| flag.get_long().is_some_and(|name| name != "help" && name != "version"))
}

/// The flag with this long name.
fn flag<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    flags(command).find(|flag| flag.get_long() == Some(name))
}

/// The flags among `arguments`.
fn flags_among<'a>(command: &'a Command, arguments: &[OsString]) -> Vec<&'a Arg> {
    let arguments = arguments.iter().filter_map(|word| word.to_str()?.strip_prefix("--"));
    arguments.filter_map(|word| flag(command, word.split('=').next().unwrap_or(word))).collect()
}

/// Whether `first_flag` on the command line leaves no place for `second_flag`: it is the same flag, or they exclude each other.
fn are_exclusive(command: &Command, first_flag: &Arg, second_flag: &Arg) -> bool {
    let conflict = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).iter().any(|arg| arg.get_id() == b.get_id());
    let one_of_a_group = command.get_groups().any(|group| {
        let has = |flag: &Arg| group.get_args().any(|id| id == flag.get_id());
        // A group of its own mode contains one flag at most; `derive` makes groups of all flags of a struct, too.
        !group.clone().is_multiple() && has(first_flag) && has(second_flag)
    });
    first_flag.get_id() == second_flag.get_id()
        || conflict(first_flag, second_flag)
        || conflict(second_flag, first_flag)
        || one_of_a_group
}

/// `value` as an argument; `None` for a switch that is off.
fn argument_of_value(flag: &Arg, key: &str, value: &DeValue<'_>) -> Result<Option<String>, String> {
    let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
    match (value, is_switch) {
        (DeValue::Boolean(on), true) => Ok(on.then(|| format!("--{key}"))),
        (_, true) => Err(format!("{key}: expected true or false")),
        (DeValue::Array(list), false) => {
            let items: Option<Vec<String>> = list.iter().map(|value| value_text(value.get_ref())).collect();
            let items = items.ok_or_else(|| format!("{key}: expected a list of texts or numbers"))?;
            Ok(Some(format!("--{key}={}", items.join(","))))
        }
        (value, false) => match value_text(value) {
            Some(word) => Ok(Some(format!("--{key}={word}"))),
            None => Err(format!("{key}: expected a text or a number")),
        },
    }
}

/// A single value as the command line has it.
fn value_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Where a user finds the flags.
fn flags_are_listed() -> String {
    format!("`{} COMMAND --help` lists the flags", output::program::name())
}

fn unknown_name_error<'a>(
    noun: &str,
    name: &str,
    known_names: impl Iterator<Item = &'a str>,
    fallback: &str,
) -> String {
    let hint = nearest(name, known_names).map_or_else(|| fallback.to_owned(), |near| format!("did you mean `{near}`?"));
    format!("unknown {noun} `{name}`; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments after the name of the program, with those of a file with this text.
    fn with(text: &str, arguments: &str) -> Result<String, String> {
        let mut all: Vec<OsString> =
            std::iter::once("rankduel").chain(arguments.split_whitespace()).map(Into::into).collect();
        let mut command = crate::cli::command();
        command.build();
        insert_from_text(&command, &mut all, text).map_err(|error| error.to_string())?;
        let words: Vec<&str> = all[1..].iter().map(|word| word.to_str().expect("text")).collect();
        Ok(words.join(" "))
    }

    const TEXT: &str = "seed = 7\nthreads = 2\nrankers = [1, 5, 9]\n\n[live]\nsteps = \"1e4\"\njson = true\n\n[bandit]\nsteps = \
                        2e4\nmatrix = \"P.npy\"\nquiet = false\n";

    #[test]
    fn keys_become_flags_of_the_command_called() {
        assert_eq!(with(TEXT, "").unwrap(), "--seed=7 --threads=2 --rankers=1,5,9 --steps=1e4 --json");
        assert_eq!(with(TEXT, "--runs 3").unwrap(), "--seed=7 --threads=2 --rankers=1,5,9 --steps=1e4 --json --runs 3");
        // bandit has no --rankers; its table is its own.
        assert_eq!(with(TEXT, "bandit").unwrap(), "bandit --seed=7 --threads=2 --steps=2e4 --matrix=P.npy");
        assert_eq!(with(TEXT, "live").unwrap(), "live --seed=7 --threads=2 --rankers=1,5,9 --steps=1e4 --json");
        assert_eq!(with(TEXT, "datasets").unwrap(), "datasets");
        assert_eq!(with("seed = 1\n[live]\nseed = 2", "").unwrap(), "--seed=2");
    }

    #[test]
    fn flags_of_the_command_line_win() {
        assert_eq!(with(TEXT, "--seed 1 --steps=5").unwrap(), "--threads=2 --rankers=1,5,9 --json --seed 1 --steps=5");
        // A matrix and a problem exclude each other.
        let found = with(TEXT, "bandit --problem cyclic").unwrap();
        assert_eq!(found, "bandit --seed=7 --threads=2 --steps=2e4 --problem cyclic");
    }

    #[test]
    fn wrong_keys_are_named_with_their_line() {
        for (text, expected) in [
            ("seed = 1\nstesp = 5", ", line 2: unknown key `stesp`; did you mean `steps`?"),
            ("[bandti]\nsteps = 5", ", line 1: unknown table `bandti`; did you mean `bandit`?"),
            ("[bandit]\n\nrankers = 5", ", line 3: [bandit]: unknown key `rankers`"),
            ("seed = ", ", line 1: "),
            ("quiet = 1", ", line 1: quiet: expected true or false"),
            ("seed = true", ", line 1: seed: expected a text or a number"),
            ("help = true", ", line 1: unknown key `help`"),
        ] {
            let error = with(text, "").unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
