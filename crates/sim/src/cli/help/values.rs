//! The values that completions offer: names of algorithms, click models, methods, data sets and matrices; files; folders.
//!
//! Flags that take names are parsed by the libraries that define them, which clap cannot list. So their names are put into the command line
//! that completions are generated from, and into no other.

use bandits::problems;
use bandits::registry::entries;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clicks::ClickSpec;
use interleave::{AnyInterleaving, AnyMultileaving};
use letor_io::{lookalike, registry};

/// The script for a shell.
pub(super) fn completions(command: Command, shell: Shell, program: &str) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(command, shell), program, &mut script);
    if shell != Shell::Bash {
        return script;
    }
    // clap's script offers names or files, but a data set is either.
    let script = String::from_utf8_lossy(&script).into_owned();
    let with_data_names = [data_sets(), matrices()].into_iter().fold(script, |script, names| {
        let word_list = format!("compgen -W \"{}\"", names.join(" "));
        script.replace(&word_list, &word_list.replacen("compgen", "compgen -f", 1))
    });
    with_data_names.into_bytes()
}

fn with_names(command: Command, shell: Shell) -> Command {
    let command = command.mut_args(|argument| match names(argument.get_id().as_str(), shell) {
        Some(names) if argument.get_action().takes_values() => {
            // Help lists possible values, and completions have no room for it.
            argument.value_parser(PossibleValuesParser::new(names)).hide_possible_values(true)
        }
        _ => argument,
    });
    command.mut_subcommands(|command| with_names(command, shell))
}

/// The names that a flag takes, if it takes some.
fn names(id: &str, shell: Shell) -> Option<Vec<&'static str>> {
    Some(match id {
        "algorithms" | "names_of_algorithms" => entries().iter().map(|entry| entry.name).collect(),
        "policy" => ["auto", "top-two"].into_iter().chain(entries().iter().map(|entry| entry.name)).collect(),
        "goal" => vec!["best", "order", "uniform"],
        "click" => ClickSpec::presets().to_vec(),
        "interleave" => AnyInterleaving::NAMES.to_vec(),
        "multileave" | "methods" => AnyMultileaving::NAMES.to_vec(),
        "problem" => problems::names(),
        // Other shells complete files.
        "dataset" | "positional" if shell == Shell::Bash => data_sets(),
        "matrix" | "against" if shell == Shell::Bash => matrices(),
        _ => return None,
    })
}

fn data_sets() -> Vec<&'static str> {
    let registered = registry::all().iter().filter(|entry| entry.matrix.is_none());
    registered.map(|entry| entry.name.as_str()).chain(lookalike::names()).collect()
}

fn matrices() -> Vec<&'static str> {
    registry::all().iter().filter(|entry| entry.matrix.is_some()).map(|entry| entry.name.as_str()).collect()
}

/// `argument` with what shells may complete it with, which follows from the name of its value.
pub(super) fn with_hint(argument: Arg) -> Arg {
    let is_any = |known: &[&str]| {
        argument.get_value_names().is_some_and(|names| names.iter().any(|name| known.contains(&name.as_str())))
    };
    let hint = match () {
        () if is_any(&["FOLDER", "DIR"]) => ValueHint::DirPath,
        () if is_any(&["FILE", "FILE,...", "[NAME=]FILE,..."]) => ValueHint::FilePath,
        () if is_any(&["PATH", "DATASET", "NAME|PATH,...", "FILE|NAME", "FOLDER|FILE", "RESULTS"]) => {
            ValueHint::AnyPath
        }
        () => return argument,
    };
    argument.value_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_flags_that_exist_and_parse() {
        let command = crate::cli::command();
        let mut found = std::collections::BTreeSet::new();
        let mut commands = vec![command];
        while let Some(command) = commands.pop() {
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                let Some(names) = names(id, Shell::Bash) else { continue };
                found.insert(id.to_owned());
                assert!(!names.is_empty() && names.iter().all(|name| !name.contains(char::is_whitespace)), "{id}");
                if id == "click" {
                    assert!(names.iter().all(|name| name.parse::<ClickSpec>().is_ok()));
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
        let expected = [
            "against",
            "algorithms",
            "click",
            "dataset",
            "goal",
            "interleave",
            "matrix",
            "methods",
            "multileave",
            "names_of_algorithms",
            "policy",
            "positional",
            "problem",
        ];
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}
