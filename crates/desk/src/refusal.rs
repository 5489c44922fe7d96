//! Errors of the parser in one line.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use ranktypes::text::escaped;

use crate::failure::Failure;

/// Why arguments were refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The flags or words that it is about, without their values: `--runs`.
    pub about: Vec<String>,
    /// The value that was refused, as it was given.
    pub value: Option<String>,
    /// The error and what was expected, in one line.
    pub text: String,
    /// Why the value was refused, by its own parser.
    pub reason: Option<String>,
}

impl Refusal {
    /// Whether an error of the parser refuses something; else it is help or a version that was asked for.
    #[must_use]
    pub fn is_one(error: &clap::Error) -> bool {
        error.use_stderr()
    }

    /// The error of arguments of `command`.
    #[must_use]
    pub fn of(error: &clap::Error, command: &Command) -> Self {
        let error_text = ErrorText(error);
        let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::PriorArg];
        let about = kinds.iter().flat_map(|kind| error_text.texts(*kind));
        let about = about.filter_map(|flag| flag.split([' ', '=']).next().map(str::to_owned)).collect();
        let reason = std::error::Error::source(error).map(|source| escaped(&source.to_string()).into_owned());
        let reason = reason.or_else(|| error_text.expected());
        let text = error_text.in_words(reason.as_deref(), command);
        Self { kind: error.kind(), about, value: error_text.single_text(ContextKind::InvalidValue), text, reason }
    }

    /// Whether it is about the flag or word `name`.
    #[must_use]
    pub fn is_about(&self, name: &str) -> bool {
        self.about.iter().any(|about| about == name)
    }

    /// The failure, after a `hint` what to do, if there is one better than to look at the help.
    #[must_use]
    pub fn failure(self, hint: &str) -> Failure {
        Failure::usage(&format!("{}{hint} (see --help)", self.text))
    }

    /// The reason for the refusal and the value, for callers that name the flag themselves; the whole text if no value was refused.
    #[must_use]
    pub fn explanation(&self) -> String {
        match (&self.reason, &self.value) {
            (Some(reason), Some(value)) if !reason.contains(", found ") => format!("{reason}, found {value}"),
            (Some(reason), _) => reason.clone(),
            (None, _) => self.text.clone(),
        }
    }

    /// The same for callers that have keywords, `stop_when=0.95`, instead of flags.
    #[must_use]
    pub fn in_keywords(self) -> String {
        match &self.about[..] {
            [flag, ..] if self.reason.is_some() => in_keywords(&format!("{flag}: {}", self.explanation())),
            [flag, other] if self.kind == ErrorKind::ArgumentConflict => {
                in_keywords(&format!("{flag} and {other} exclude each other; leave one of them out"))
            }
            _ => in_keywords(&self.text),
        }
    }
}

/// A message about flags as one about keywords: `--stop-when 0.95` as `stop_when=0.95`, `--credit-ties` as `credit_ties`.
#[must_use]
pub fn in_keywords(message: &str) -> String {
    let mut text = String::new();
    let mut remaining = message;
    while let Some(dashes) = remaining.find("--") {
        let (prefix, suffix) = (&remaining[..dashes], &remaining[dashes + 2..]);
        let length = suffix.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(suffix.len());
        let begins_word = prefix.chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || c == '-'));
        text += prefix;
        remaining = if begins_word && suffix.starts_with(|c: char| c.is_ascii_lowercase()) {
            text += &suffix[..length].replace('-', "_");
            // A number that follows is its value.
            let value = suffix[length..]
                .strip_prefix(' ')
                .filter(|remaining| remaining.starts_with(|c: char| c.is_ascii_digit()));
            text += if value.is_some() { "=" } else { "" };
            value.unwrap_or(&suffix[length..])
        } else {
            text += "--";
            suffix
        };
    }
    text + remaining
}

/// The parser's message of an error.
struct ErrorText<'a>(&'a clap::Error);

impl ErrorText<'_> {
    /// The texts of a kind, as they are.
    fn texts(&self, kind: ContextKind) -> Vec<&str> {
        match self.0.get(kind) {
            Some(ContextValue::String(text)) => vec![text],
            Some(ContextValue::Strings(all)) => all.iter().map(String::as_str).collect(),
            _ => vec![],
        }
    }

    fn single_text(&self, kind: ContextKind) -> Option<String> {
        self.texts(kind).first().map(|text| (*text).to_owned())
    }

    /// The texts of a kind for a message of one line.
    fn quoted_texts(&self, kind: ContextKind) -> Vec<String> {
        self.texts(kind).into_iter().map(|text| escaped(text).into_owned()).collect()
    }

    fn word(&self, kind: ContextKind) -> String {
        self.quoted_texts(kind).into_iter().next().unwrap_or_default()
    }

    fn number(&self, kind: ContextKind) -> isize {
        match self.0.get(kind) {
            Some(ContextValue::Number(number)) => *number,
            _ => 0,
        }
    }

    fn in_words(&self, reason: Option<&str>, command: &Command) -> String {
        let about = self.word(ContextKind::InvalidArg);
        let value = self.word(ContextKind::InvalidValue);
        match self.0.kind() {
            ErrorKind::UnknownArgument => {
                let near = self.suggestion();
                let elsewhere = if near.is_empty() { of_commands(&about, command) } else { near };
                format!("unexpected argument '{about}' found{elsewhere}")
            }
            ErrorKind::InvalidSubcommand => {
                let subcommand = self.word(ContextKind::InvalidSubcommand);
                format!("unrecognized subcommand '{subcommand}'{}", self.suggestion())
            }
            ErrorKind::InvalidValue if value.is_empty() => {
                let expected = reason.map_or_else(String::new, |reason| format!("; {reason}"));
                format!("a value is required for '{about}' but none was supplied{expected}")
            }
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                format!("invalid value '{value}' for '{about}'{reason}{}", self.suggestion())
            }
            ErrorKind::TooManyValues => format!("unexpected value '{value}' for '{about}'; no more were expected"),
            ErrorKind::TooFewValues => {
                let [min_values, value_count] = [ContextKind::MinValues, ContextKind::ActualNumValues].map(|kind| self.number(kind));
                format!("expected at least {min_values} values of '{about}', found {value_count}")
            }
            ErrorKind::WrongNumberOfValues => {
                let kinds = [ContextKind::ExpectedNumValues, ContextKind::ActualNumValues];
                let [expected, value_count] = kinds.map(|kind| self.number(kind));
                format!("expected {expected} values of '{about}', found {value_count}")
            }
            ErrorKind::NoEquals => format!("expected an equals sign after '{about}'"),
            // A word where only flags are expected is taken for a command.
            ErrorKind::ArgumentConflict if about.is_empty() => {
                format!("unexpected argument '{}' found", self.word(ContextKind::InvalidSubcommand))
            }
            ErrorKind::ArgumentConflict => self.conflict(&about),
            ErrorKind::MissingRequiredArgument => {
                let missing_arguments = self.quoted_texts(ContextKind::InvalidArg).join(", ");
                format!("the following required arguments were not provided: {missing_arguments}")
            }
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let names = command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
                format!("no command was given; expected {}", alternatives(&names.map(str::to_owned).collect::<Vec<_>>()))
            }
            ErrorKind::InvalidUtf8 => {
                "invalid UTF-8 was detected in one or more arguments; names of files must be UTF-8: rename the file, or give the \
                 folder that holds it"
                    .to_owned()
            }
            // Errors that we make ourselves have a text alone.
            _ => {
                let text = self.0.to_string();
                let first_line = text.lines().next().unwrap_or_default();
                escaped(first_line.strip_prefix("error: ").unwrap_or(first_line)).into_owned()
            }
        }
    }

    fn conflict(&self, about: &str) -> String {
        let other_arguments = self.quoted_texts(ContextKind::PriorArg);
        match &other_arguments[..] {
            [other] if other == about => format!("the argument '{about}' cannot be used multiple times"),
            [] => format!("the argument '{about}' cannot be used with one or more of the other arguments given"),
            other_arguments => format!("the argument '{about}' cannot be used with '{}'", other_arguments.join("', '")),
        }
    }

    /// The values that there are, if they can be listed.
    fn expected(&self) -> Option<String> {
        let valid_values = self.quoted_texts(ContextKind::ValidValue);
        (!valid_values.is_empty()).then(|| format!("expected {}", alternatives(&valid_values)))
    }

    /// The name that was probably meant.
    fn suggestion(&self) -> String {
        let kinds = [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand];
        // The most similar is the last.
        let near = kinds.into_iter().filter_map(|kind| self.quoted_texts(kind).pop()).next();
        near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
    }
}

/// Which commands have the flag that was given without one.
fn of_commands(flag: &str, command: &Command) -> String {
    let name = flag.strip_prefix("--");
    let has = |command: &&Command| name.is_some() && command.get_arguments().any(|flag| flag.get_long() == name);
    let names: Vec<&str> = command.get_subcommands().filter(has).map(Command::get_name).take(4).collect();
    match &names[..] {
        [] | [_, _, _, _] => String::new(),
        names => format!("; {} has it", names.join(" or ")),
    }
}

/// `a, b or c`.
fn alternatives(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction};

    use super::*;

    fn command() -> Command {
        let number = Arg::new("runs").long("runs").value_name("N").value_parser(output::numbers::parse_positive);
        let axes = Arg::new("axes").long("axes").value_parser(["linear", "log"]).conflicts_with("plain");
        let plain = Arg::new("plain").long("plain").action(ArgAction::SetTrue);
        let needed = Command::new("play").arg(Arg::new("matrix").long("matrix").value_name("FILE").required(true));
        Command::new("program").args([number, axes, plain]).subcommand(needed)
    }

    fn refused(words: &[&str]) -> Refusal {
        let mut command = command();
        let error = command.try_get_matches_from_mut([&["program"], words].concat()).expect_err("a refusal");
        Refusal::of(&error, &command)
    }

    #[test]
    fn each_error_is_one_line_with_the_way_out() {
        for (words, text) in [
            (vec!["--rnus=3"], "unexpected argument '--rnus' found; did you mean '--runs'?"),
            (vec!["a\nb"], "unrecognized subcommand 'a\\nb'"),
            (vec!["--matrix=x"], "unexpected argument '--matrix' found; play has it"),
            (vec!["plya"], "unrecognized subcommand 'plya'; did you mean 'play'?"),
            (vec!["--runs=0"], "invalid value '0' for '--runs <N>': expected at least 1"),
            (vec!["--runs"], "a value is required for '--runs <N>' but none was supplied"),
            (
                vec!["--axes=linaer"],
                "invalid value 'linaer' for '--axes <axes>': expected linear or log; did you mean 'linear'?",
            ),
            (vec!["--axes=log", "--plain"], "the argument '--axes <axes>' cannot be used with '--plain'"),
            (vec!["--runs=1", "--runs=2"], "the argument '--runs <N>' cannot be used multiple times"),
            (vec!["play"], "the following required arguments were not provided: --matrix <FILE>"),
        ] {
            assert_eq!(refused(&words).text, text, "{words:?}");
        }
        let failure = refused(&["--runs=0"]).failure("; ask").to_string();
        assert_eq!(failure, "error: invalid value '0' for '--runs <N>': expected at least 1; ask (see --help)");
        assert!(refused(&["--runs=0"]).is_about("--runs") && !refused(&["--runs=0"]).is_about("--run"));
    }

    #[test]
    fn flags_become_keywords() {
        for (words, text) in [
            (vec!["--runs=0"], "runs: expected at least 1, found 0"),
            (vec!["--axes=lgo"], "axes: expected linear or log, found lgo"),
            (vec!["--axes=log", "--plain"], "axes and plain exclude each other; leave one of them out"),
        ] {
            assert_eq!(refused(&words).in_keywords(), text);
        }
        let message = "--tolerance is a share; add --stop-when 0.95, not --give-up -- or a--b";
        assert_eq!(in_keywords(message), "tolerance is a share; add stop_when=0.95, not give_up -- or a--b");
    }
}
