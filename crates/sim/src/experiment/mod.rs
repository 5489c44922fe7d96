//! Experiments as data: the figures and tables of the papers, each a file that anyone can run.
//!
//! A file of `experiments/` says what is played on, by which algorithms, how long and how often, how
//! it is drawn, and what the paper says of it. [`run`] plays what is missing and leaves a folder of
//! results. Lengths are the papers'; [`ExperimentContext::scale`] shortens them for a quick look.
//!
//! | in | is |
//! |---|---|
//! | [`file`](mod@file) | the keys of a file, and what is said of a wrong one |
//! | `expand` | lists and braces spread out |
//! | `known` | what claims may be about |
//! | `context` | where things lie, and which data there are |
//! | `stage` | a setting made ready to be played on |
//! | `cell` | finished runs, kept |
//! | `collect` | runs turned into curves |
//! | `played`, `structure`, `distorted`, `counted` | the kinds of experiment |
//! | [`series`] | what was measured |
//! | [`claim`] | what the paper says, tested on it |
//! | `draw`, `write`, [`index`] | the figure, the folder, the table of all claims |
//! | [`estimate`](mod@estimate) | how long it would take |
//!
//! ## How to add one
//! Copy the file of the experiment that is nearest in `experiments/`; every key is a field in
//! [`file`](mod@file), every kind of claim a row in [`claim`]. A test reads all files.

pub mod claim;
pub mod config;
mod context;
mod environment;
pub mod estimate;
mod kinds;
mod measured;
mod opened_setting;
pub mod report;
mod run_store;
pub mod series;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

pub use config::{Experiment, Kind};
pub use context::{ExperimentContext, Source};
pub use measured::{CellWork, Table};
pub use opened_setting::SettingInfo;
pub use report::folder::{Summary, Timings};

use crate::output::cache::sha256_hex;
use crate::simulation::seed_text::{Seeded, seed_text};

/// What became of an experiment.
#[derive(Debug)]
pub struct ExperimentOutcome {
    /// Its summary.
    pub summary: Summary,
    /// Whether nothing had to be done.
    pub known: bool,
    /// The real data that the results were made on and that are not here now, so that they were kept
    /// rather than replaced by those of a look-alike.
    pub kept: Option<String>,
    /// Seconds of this call.
    pub seconds: f64,
}

/// The name of the experiment in `path`: that of the file.
///
/// # Errors
/// When the path names no file.
pub fn name_of(path: &Path) -> Result<String> {
    let stem = path.file_stem().with_context(|| format!("{} names no file", path.display()))?;
    Ok(stem.to_string_lossy().into_owned())
}

/// Reads the experiment in `path` and all names in it, so that a wrong one is told before the work.
///
/// # Errors
/// One line with the file, and the line or the setting.
pub fn check(path: &Path) -> Result<Experiment> {
    let experiment = Experiment::read(path)?;
    let names = || -> Result<()> {
        config::expand::algorithms(&experiment.algorithms)?;
        config::expand::settings(&experiment.settings).iter().try_for_each(opened_setting::check)
    };
    names().with_context(|| format!("{}", path.display()))?;
    claim::names::check(&experiment).map_err(|(line, error)| match line {
        Some(line) => error.context(format!("{}, line {line}", path.display())),
        None => error.context(format!("{}", path.display())),
    })?;
    Ok(experiment)
}

/// Runs the experiment in `path` as far as it was not run before, and writes its results; `again`
/// makes figure and summary anew even if nothing has changed (finished runs are still not repeated).
/// Results on real data are not replaced by those of a look-alike unless `again` asks for it.
///
/// # Errors
/// When the file is wrong, data are missing, or results cannot be written.
pub fn run(context: &ExperimentContext, path: &Path, again: bool) -> Result<ExperimentOutcome> {
    let start = Instant::now();
    let experiment = check(path)?;
    let name = name_of(path)?;
    let sources = sources(context, &experiment)?;
    let fingerprint = fingerprint(context, &experiment, &sources, path)?;
    let folder = context.folder(&name);
    if !again
        && let Ok(bytes) = std::fs::read(folder.join("summary.json"))
        && let Ok(summary) = serde_json::from_slice::<Summary>(&bytes)
    {
        let seconds = start.elapsed().as_secs_f64();
        let kept = better(&summary, &sources);
        if summary.fingerprint == fingerprint || kept.is_some() {
            return Ok(ExperimentOutcome { summary, known: true, kept, seconds });
        }
    }
    let measured =
        kinds::of(experiment.kind).measure(context, &experiment).with_context(|| format!("{}", path.display()))?;
    debug_assert!(
        undeclared(&experiment, &measured.series)?.is_none(),
        "{:?}",
        undeclared(&experiment, &measured.series)
    );
    // A claim may be about a family of settings, or about one size of sets within a setting.
    let within = |name: &str, of: &str| name == of || name.starts_with(&format!("{of}, "));
    let lookalike = |setting: &str| {
        let stand_ins = measured.settings.iter().filter(|info| info.source.lookalike);
        stand_ins.into_iter().any(|info| within(&info.setting, setting) || within(setting, &info.setting))
    };
    let claims = experiment.claims.iter();
    let claims = claims.map(|claim| claim::evaluate(claim, &measured.series, context.scale, lookalike)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let summary = report::folder::write(context, &experiment, &name, fingerprint, measured, claims, seconds)?;
    Ok(ExperimentOutcome { summary, known: false, kept: None, seconds })
}

/// A series that the kind of `experiment` does not list among its names, so that no claim could be
/// about it.
fn undeclared(experiment: &Experiment, all: &[series::Series]) -> Result<Option<String>> {
    let names = kinds::of(experiment.kind).series_names(experiment)?;
    let declared = |series: &&series::Series| {
        let curves = names.metrics.iter().find(|(metric, _)| *metric == series.metric);
        names.settings.contains(&series.setting) && curves.is_some_and(|(_, curves)| curves.contains(&series.curve))
    };
    let found = all.iter().find(|series| !declared(series));
    Ok(found.map(|series| format!("{}, {}, {}", series.setting, series.curve, series.metric.name())))
}

/// The settings of `experiment` for whose data a look-alike stands in, and which one; those without
/// either, for which running it will fail, are left out.
#[must_use]
pub fn stand_ins(context: &ExperimentContext, experiment: &Experiment) -> Vec<(String, String)> {
    let settings = config::expand::settings(&experiment.settings);
    let sources = settings.iter().filter_map(|setting| Some((setting.name.clone(), context.source(setting).ok()?)));
    sources.filter(|(_, source)| source.lookalike).map(|(setting, source)| (setting, source.name)).collect()
}

/// What each setting is played on, by its name.
fn sources(context: &ExperimentContext, experiment: &Experiment) -> Result<Vec<(String, Source)>> {
    let settings = config::expand::settings(&experiment.settings);
    settings.iter().map(|setting| Ok((setting.name.clone(), context.source(setting)?))).collect()
}

/// The real data of results where now there would be a look-alike.
fn better(summary: &Summary, now: &[(String, Source)]) -> Option<String> {
    let real = summary.settings.iter().filter(|info| !info.source.lookalike);
    let mut lost = real.filter(|info| now.iter().any(|(name, source)| *name == info.setting && source.lookalike));
    lost.next().map(|info| info.source.name.clone())
}

/// Raised whenever the same runs would be told otherwise: figures, verdicts, texts. Results of another
/// version are made anew of the finished runs, of which none is repeated.
const REPORT_VERSION: u32 = 3;

/// Everything that the results depend on, hashed: the file, the scale, the data that are here, and the
/// algorithms that have been revised.
fn fingerprint(
    context: &ExperimentContext,
    experiment: &Experiment,
    sources: &[(String, Source)],
    path: &Path,
) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?;
    let version = env!("CARGO_PKG_VERSION");
    let mut all = format!("{version}, told {REPORT_VERSION}\n{}\n{text}\n{sources:?}", context.scale);
    let algorithms = config::expand::algorithms(&experiment.algorithms)?;
    for revised in algorithms.iter().filter(|spec| spec.entry().revision > 1) {
        all.extend(["\n", &seed_text(Seeded::Revised(revised))]);
    }
    Ok(sha256_hex(&all))
}
