//! Files of experiments, read and checked before any work.

use std::path::Path;

use anyhow::{Context as _, Result};
use output::usage::usage;

use crate::experiment::config::{Experiment, FileError, MOST_BYTES, expand};
use crate::experiment::{claim, kinds, opened_setting};

/// The name of the experiment in `path`, and of the folder of its results: the file name without its extension.
///
/// # Errors
/// When the path names no file, or the name is not fit for a folder of its own, such as `..`.
pub fn name_of(path: &Path) -> Result<String> {
    let stem = path.file_stem().with_context(|| format!("{} names no file", path.display()))?;
    let usable = stem.to_str().filter(|stem| !stem.starts_with('.') && !stem.chars().any(char::is_control));
    let refused = || {
        let (path, stem) = (path.to_string_lossy(), stem.to_string_lossy());
        usage(format!("{path:?} would name its results folder {stem:?}; give the file a plain name such as own.toml"))
    };
    usable.map(str::to_owned).ok_or_else(refused)
}

/// Reads the experiment in `path` and checks all names in it, so that errors are reported before any
/// work.
///
/// # Errors
/// One line with the file, and the line or the setting.
pub fn check(path: &Path) -> Result<Experiment> {
    name_of(path)?;
    let experiment = read(path)?;
    check_names(&experiment, path)?;
    Ok(experiment)
}

/// Checks the names in an experiment that was read from `path`.
pub(crate) fn check_names(experiment: &Experiment, path: &Path) -> Result<()> {
    let names = || -> Result<()> {
        expand::algorithms(&experiment.algorithms)?;
        experiment.settings.iter().try_for_each(opened_setting::check)
    };
    names().map_err(|error| usage(format!("{}: {error:#}", path.display())))?;
    claim::names::check(experiment).map_err(|(line, error)| match line {
        Some(line) => usage(format!("{}, line {line}: {error:#}", path.display())),
        None => usage(format!("{}: {error:#}", path.display())),
    })
}

/// Reads and validates the file at `path`.
///
/// # Errors
/// One line with the file, the line and the key.
pub fn read(path: &Path) -> Result<Experiment> {
    let text = output::input::read_text(path, MOST_BYTES)
        .with_context(|| format!("failed to read the experiment {}", path.display()))?;
    parse(&text).map_err(|error| usage(format!("{}{error}", path.display())))
}

/// Reads and validates the text of a file.
///
/// # Errors
/// With the line where there is one.
pub fn parse(text: &str) -> Result<Experiment, FileError> {
    let experiment = Experiment::parse(text)?;
    kinds::kind_named(experiment.kind)
        .check(&experiment)
        .map_err(|error| FileError::new(None, format!("{error:#}")))?;
    Ok(experiment)
}
