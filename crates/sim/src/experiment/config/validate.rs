//! Checks beyond serde: required keys, and errors with the line of the file.

use anyhow::{Result, anyhow, bail, ensure};
use bandits::RegretKind;

use crate::experiment::config::{Experiment, KindName, PAPERS, Paper, Play, SettingEntry};

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The line, 1-based.
    pub line: Option<usize>,
    /// The column, 1-based.
    pub column: Option<usize>,
    /// The error.
    pub message: String,
}

impl FileError {
    /// The error of the TOML parser: with the key that was probably meant, or else with the setting and the key of the wrong value.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        let message = with_suggestion(error.message());
        let Some(span) = error.span() else { return Self { line: None, column: None, message } };
        let text_before = &text[..span.start.min(text.len())];
        let start_of_line = text_before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = Some(text_before[start_of_line..].chars().count() + 1);
        let message = match text_before[start_of_line..].split_once('=') {
            Some((key, _)) => format!("{}{}: {message}", setting_of(text, start_of_line), key.trim()),
            None => message,
        };
        Self { line: Some(line_of(text, span.start)), column, message }
    }

    /// An error without a place in the file, or of the section that begins at `line`.
    pub(crate) fn new(line: Option<usize>, message: String) -> Self {
        Self { line, column: None, message }
    }
}

impl std::fmt::Display for FileError {
    /// The end of an error line that begins with the path: `, line 7, column 1: unknown key`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, ", line {line}, column {column}: {}", self.message),
            (Some(line), None) => write!(f, ", line {line}: {}", self.message),
            (None, _) => write!(f, ": {}", self.message),
        }
    }
}

/// Checks that no text of the file, which reaches pages, figures and terminals, controls them: there are no control characters
/// but line feeds and tabs, and no line feeds in the title.
pub(super) fn printable(text: &str) -> Result<(), FileError> {
    fn control_character(key: &str, value: &toml::Value) -> Option<(String, char)> {
        match value {
            toml::Value::String(text) => {
                let is_strange =
                    |c: &char| c.is_control() && (key == "title" || key == "figure" || !matches!(c, '\n' | '\t'));
                text.chars().find(is_strange).map(|found| (key.to_owned(), found))
            }
            toml::Value::Array(values) => values.iter().find_map(|value| control_character(key, value)),
            toml::Value::Table(table) => table.iter().find_map(|(key, value)| control_character(key, value)),
            _ => None,
        }
    }
    let table: toml::Table = toml::from_str(text).map_err(|error| FileError::of_toml(text, &error))?;
    match table.iter().find_map(|(key, value)| control_character(key, value)) {
        None => Ok(()),
        Some((key, found)) => Err(FileError::new(
            None,
            format!("{key} contains the control character {}; expected printable text", found.escape_default()),
        )),
    }
}

/// `setting "live", ` for a line in the section of that setting; empty elsewhere.
fn setting_of(text: &str, start_of_line: usize) -> String {
    let is_header = |line: &&str| line.trim_start().starts_with('[') && line.trim_end().ends_with(']');
    let Some(header) = text[..start_of_line].lines().rfind(is_header) else { return String::new() };
    if header.trim() != "[[setting]]" {
        return String::new();
    }
    let section = text[..start_of_line].rfind(header).unwrap_or(0) + header.len();
    let keys = text[section..].lines().skip(1).take_while(|line| !is_header(line));
    let mut names = keys.filter_map(|line| line.strip_prefix("name")?.trim_start().strip_prefix('='));
    names.next().map_or_else(String::new, |name| format!("setting {}, ", name.trim()))
}

/// Checks that the keys are there that the paper, the kind and each setting need.
pub(super) fn check(experiment: &Experiment) -> Result<()> {
    if Paper::find(&experiment.paper).is_none() {
        let keys: Vec<&str> = PAPERS.iter().map(|paper| paper.key).collect();
        bail!("paper = {:?}: expected one of {}", experiment.paper, keys.join(", "));
    }
    require_key(experiment, !experiment.entries.is_empty(), "[[setting]]")?;
    let plays = !matches!(
        experiment.kind,
        KindName::Structure | KindName::Distortion | KindName::Agreement | KindName::Datasets
    );
    if let Some(late) =
        experiment.entries.iter().find(|setting| setting.late.iter().any(|late| !late.answers.is_none()))
    {
        let kind = experiment.kind.key();
        ensure!(
            plays,
            "setting {:?}: kind = {kind:?} plays no algorithm; leave `delay`, `batch` and `lost` out",
            late.name
        );
    }
    experiment.entries.iter().try_for_each(check_setting)
}

/// # Errors
/// When the file lacks a key that its kind of experiment needs.
pub(crate) fn require_key(experiment: &Experiment, is_present: bool, key: &str) -> Result<()> {
    if is_present { Ok(()) } else { Err(anyhow!("kind = {:?} needs `{key}`", experiment.kind.key())) }
}

fn check_setting(setting: &SettingEntry) -> Result<()> {
    let has_runs = !setting.rankings.is_empty();
    let no_data = setting.dataset.is_none() && setting.lookalike.is_none() && !has_runs;
    let missing_keys = match setting.play {
        _ if has_runs && (setting.dataset.is_some() || setting.lookalike.is_some()) => {
            "has runs, which exclude `dataset` and `lookalike`: their qrels are the data"
        }
        _ if !setting.scores.is_empty() && (setting.dataset.is_none() || setting.lookalike.is_some()) => {
            "has scores, which belong to the rows of a `dataset` without `lookalike`"
        }
        Play::Problem if setting.problem.0.is_empty() && setting.preferences.is_empty() => {
            "play = \"problem\" needs `problem` or `preferences`"
        }
        Play::Live if no_data => "needs `dataset`, `lookalike` or both, or `rankings`",
        Play::Proxy if no_data && setting.matrix.0.is_empty() => {
            "needs `matrix`, `dataset` or `lookalike`, or several of them"
        }
        _ => {
            // Only runs, scores and matrices have names.
            let has_names = has_runs || !setting.scores.is_empty() || !setting.matrix.0.is_empty();
            if let (false, Err(error)) = (has_names, setting.rankers.resolve(None)) {
                bail!("setting {:?}: {error}", setting.name);
            }
            return check_regret(setting);
        }
    };
    bail!("setting {:?}: {missing_keys}", setting.name)
}

/// Checks that the setting can measure its kind of regret.
fn check_regret(setting: &SettingEntry) -> Result<()> {
    let Some(kind) = setting.regret else { return Ok(()) };
    let live = setting.play == Play::Live;
    let names_of_kinds: Vec<&str> = RegretKind::ALL
        .into_iter()
        .filter(|kind| if live { kind.needs_only_one_row() } else { *kind != RegretKind::Ndcg })
        .map(RegretKind::name)
        .collect();
    if names_of_kinds.contains(&kind.name()) {
        return Ok(());
    }
    let (play, names_of_kinds) = (if live { "live" } else { "a matrix or problem" }, names_of_kinds.join(", "));
    bail!(
        "setting {:?}: regret = \"{kind}\" cannot be measured on {play}; expected one of {names_of_kinds}",
        setting.name
    )
}

/// The 1-based line of a byte of `text`.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The first line of the parser's message, with the key that was probably meant.
fn with_suggestion(message: &str) -> String {
    let message = message.lines().next().unwrap_or(message);
    let Some(after_prefix) = message.strip_prefix("unknown field `") else { return message.to_owned() };
    let mut names = after_prefix.split('`');
    let unknown_name = names.next().unwrap_or_default();
    // The names are between backticks; the text between them is not.
    let known_names: Vec<&str> = names.skip(1).step_by(2).collect();
    match nearest(unknown_name, known_names.iter().copied()) {
        Some(near) => format!("unknown key `{unknown_name}`; did you mean `{near}`?"),
        None => format!("unknown key `{unknown_name}`; expected one of {}", known_names.join(", ")),
    }
}

/// The one of `candidates` that was probably meant by `name`.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    ranktypes::spec::nearest(name, candidates)
}
