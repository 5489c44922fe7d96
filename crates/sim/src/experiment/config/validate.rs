//! What serde cannot check: required keys, and errors with the line of the file.

use anyhow::{Result, anyhow, bail};

use crate::experiment::config::{Experiment, PAPERS, Paper, Play, SettingEntry};
use crate::experiment::kinds;

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The line, 1-based.
    pub line: Option<usize>,
    /// The error.
    pub message: String,
}

impl FileError {
    /// The error of the TOML parser, with the key that was probably meant.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        Self { line: error.span().map(|span| line_of(text, span.start)), message: with_suggestion(error.message()) }
    }
}

/// Checks that the keys are there that the paper, the kind and each setting need.
pub(super) fn check(experiment: &Experiment) -> Result<()> {
    if Paper::find(&experiment.paper).is_none() {
        let keys: Vec<&str> = PAPERS.iter().map(|paper| paper.key).collect();
        bail!("paper = {:?}: expected one of {}", experiment.paper, keys.join(", "));
    }
    kinds::of(experiment.kind).check(experiment)?;
    needs(experiment, !experiment.settings.is_empty(), "[[setting]]")?;
    experiment.settings.iter().try_for_each(check_setting)
}

/// # Errors
/// When the file lacks a key that its kind of experiment needs.
pub(crate) fn needs(experiment: &Experiment, present: bool, key: &str) -> Result<()> {
    if present { Ok(()) } else { Err(anyhow!("kind = {:?} needs `{key}`", experiment.kind.key())) }
}

fn check_setting(setting: &SettingEntry) -> Result<()> {
    let no_data = setting.dataset.is_none() && setting.lookalike.is_none();
    let missing = match setting.play {
        Play::Problem if setting.problem.0.is_empty() && setting.preferences.is_empty() => {
            "play = \"problem\" needs `problem` or `preferences`"
        }
        Play::Live if no_data => "needs `dataset`, `lookalike` or both",
        Play::Proxy if no_data && setting.matrix.0.is_empty() => {
            "needs `matrix`, `dataset` or `lookalike`, or several of them"
        }
        _ => return Ok(()),
    };
    bail!("setting {:?}: {missing}", setting.name)
}

/// The 1-based line of a byte of `text`.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The first line of the parser's message, with the key that was probably meant.
fn with_suggestion(message: &str) -> String {
    let message = message.lines().next().unwrap_or(message);
    let Some(rest) = message.strip_prefix("unknown field `") else { return message.to_owned() };
    let mut names = rest.split('`');
    let unknown = names.next().unwrap_or_default();
    // The names are between backticks; the text between them is not.
    let known: Vec<&str> = names.skip(1).step_by(2).collect();
    match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("unknown key `{unknown}`; did you mean `{near}`?"),
        None => format!("unknown key `{unknown}`; expected one of {}", known.join(", ")),
    }
}

/// The one of `known` that was probably meant by `unknown`.
pub(crate) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Swapped neighbours count as one edit: they are the usual slip.
    let distance = |name: &&str| strsim::damerau_levenshtein(unknown, name);
    known.min_by_key(distance).filter(|name| distance(name) * 3 <= name.len().max(4))
}
