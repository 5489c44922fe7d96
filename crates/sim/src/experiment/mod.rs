//! Experiments as data: the figures and tables of the papers, each a file that anyone can run.
//!
//! A file of `experiments/` lists the settings, the algorithms, the number of steps and runs, how to
//! draw the results, and the claims of the paper. [`run`] plays the runs that are missing and writes a
//! folder of results. Steps and runs are the papers'; [`ExperimentContext::scale`] reduces them for a
//! quick look.
//!
//! | in | is |
//! |---|---|
//! | `config` | the keys of a file, and the errors for wrong ones |
//! | `experiment_file` | files, read and checked before any work |
//! | `context` | folders, scale, and which data are present |
//! | `opened_setting`, `environment` | a setting with its data, and sets of its rankers to play in |
//! | `run_store` | finished runs, kept |
//! | `experiment_share`, `shared_work` | which share of the runs a call plays; the runs of a shard, and what all shards need |
//! | `fingerprint` | whether results are up to date, and the remedy if not |
//! | `kinds` | one module per kind of experiment |
//! | `experiment_data`, `series`, `panels` | the measurements, and their panels |
//! | `redraw` | the figure of a finished folder, from its numbers |
//! | `claim` | claims of the papers, tested on the measurements |
//! | `report` | the figure, the folder, the index of all claims, the HTML page |
//! | `cost`, `estimate` | the cost of running, and the estimated time of an experiment |
//!
//! ## How to add one
//! Copy the most similar file in `experiments/`. Every key is a field in `config`; the tests that
//! claims may use are in `claim`. A test reads all files.
//!
//! ## Inside
//!
//! `sim::experiment` turns a file of `experiments/` into a folder of results. A *setting* (a data set with its users, a matrix, or
//! a problem) is opened and becomes one or more *environments*; finished runs are kept line by line in `results/.cache/runs/`
//! under a hash of everything they depend on, so that an interrupted call continues and an edited file repeats only what changed.
//! Each kind of experiment is one module: the keys it needs, the curves it makes, how they are measured and drawn, and what that
//! costs. Figures, tables and claims see only the measured curves (`Series`). A claim is a typed test with the paper's number; the
//! settings and curves it names are checked when the file is read. On look-alikes, claims that only real data can settle are not
//! tested; below the paper's size all claims stay open. `summary.json` carries a fingerprint of three parts:
//! what is measured (data, scale, settings, report format `REPORT_VERSION`), what the claims test, and the file's text. Only a new
//! first part plays runs; if another part changes, figure, claims and page are rewritten from the numbers in the folder itself.
//! Numbers in comments are computed again from the published results by a test (`published_numbers`). An experiment outside
//! `experiments/` prints its numbers and leaves the index of results alone.
//! The HTML page reads only summaries and figures; the values that its script shows are in each SVG's `metadata`.

pub(crate) mod claim;
pub(crate) mod config;
mod context;
pub(crate) mod cost;
mod environment;
pub(crate) mod estimate;
mod experiment_data;
mod experiment_file;
mod experiment_share;
mod fingerprint;
mod kinds;
mod opened_setting;
mod panels;
pub(crate) mod redraw;
pub(crate) mod report;
pub(crate) mod run_store;
pub(crate) mod series;
mod shared_work;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use claim::TestedClaim;
pub use config::{Experiment, KindName};
use context::sources;
pub use context::{ExperimentContext, Source, stand_ins};
pub use experiment_data::{CellWork, Table};
pub(crate) use experiment_file::check_names;
pub use experiment_file::{check, name_of, parse, read};
pub use experiment_share::ExperimentShare;
pub use opened_setting::SettingInfo;
use output::interrupt::say_when_stopped;
use output::results_folder::FolderOfOtherFiles;
use report::folder;
pub use report::folder::{Summary, Timings};
pub use shared_work::{SharedWork, run_share, shared_work};

use self::experiment_data::ExperimentData;
use self::fingerprint::Fingerprint;

/// The outcome of running an experiment.
#[derive(Debug)]
pub struct ExperimentOutcome {
    /// Its summary.
    pub summary: Summary,
    /// Whether it was up to date.
    pub was_known: bool,
    /// The real data behind the existing results, if they are missing now: the results were kept instead
    /// of being replaced by those of a look-alike.
    pub kept_note: Option<String>,
    /// Seconds of this call.
    pub seconds: f64,
}

/// Plays the runs of the experiment in `path` that are missing, and writes its results. If only words, claims or axes
/// have changed, they are rewritten from the numbers in the folder of results, without a run. With `rewrites`, figure and
/// summary are rewritten even if they are up to date; finished runs are never repeated. Results on real data are replaced by results of a
/// look-alike only with `rewrites`.
///
/// # Errors
/// When the file is invalid, data are missing, or results cannot be written.
pub fn run(context: &ExperimentContext, path: &Path, rewrites: bool) -> Result<ExperimentOutcome> {
    let start = Instant::now();
    let experiment = check(path)?;
    let name = name_of(path)?;
    let sources = sources(context, &experiment)?;
    let fingerprint = Fingerprint::of(context, &experiment, &sources, path)?;
    let folder = context.folder(&name);
    if !rewrites
        && let Ok(bytes) = output::input::read_file(&folder.join("summary.json"), output::input::MAX_RESULT_BYTES)
        && let Ok(summary) = serde_json::from_slice::<Summary>(&bytes)
    {
        let seconds = || start.elapsed().as_secs_f64();
        let better_kept = lost_real_source(&summary, &sources);
        if summary.fingerprint == fingerprint.to_string() || better_kept.is_some() {
            return Ok(ExperimentOutcome { summary, was_known: true, kept_note: better_kept, seconds: seconds() });
        }
        if fingerprint.same_measurements(&summary.fingerprint)
            && let Some((data, claims)) = reread_results(&folder, &experiment, &fingerprint, summary, context.scale)
        {
            let _owner = claim_folder(&folder)?;
            let work = folder::Time { seconds: seconds(), played: false };
            let summary = folder::write(context, &experiment, path, fingerprint.to_string(), data, claims, work)?;
            return Ok(ExperimentOutcome { summary, was_known: false, kept_note: None, seconds: seconds() });
        }
    }
    let _owner = claim_folder(&folder)?;
    let data = kinds::kind_named(experiment.kind)
        .measure(context, &experiment)
        .with_context(|| format!("{}", path.display()))?;
    debug_assert!(
        undeclared_series(&experiment, &data.series)?.is_none(),
        "{:?}",
        undeclared_series(&experiment, &data.series)
    );
    let claims = tested_claims(&experiment, &data, context.scale);
    let seconds = start.elapsed().as_secs_f64();
    let work = folder::Time { seconds, played: true };
    let summary = folder::write(context, &experiment, path, fingerprint.to_string(), data, claims, work)?;
    Ok(ExperimentOutcome { summary, was_known: false, kept_note: None, seconds })
}

/// The result of each claim.
fn tested_claims(experiment: &Experiment, data: &ExperimentData, scale: f64) -> Vec<TestedClaim> {
    // A claim may be about a family of settings, or about one size of sets within a setting.
    let is_about = |name: &str, group: &str| name == group || name.starts_with(&format!("{group}, "));
    let lookalike = |setting: &str| {
        let stand_ins = data.settings.iter().filter(|info| info.source.lookalike);
        stand_ins.into_iter().any(|info| is_about(&info.setting, setting) || is_about(setting, &info.setting))
    };
    let claims = experiment.claims.iter();
    claims.map(|claim| claim::evaluate(claim, &data.series, scale, lookalike)).collect()
}

/// The content of the results folder, for a file with other words, claims or axes; `None` if that is not enough for its claims.
fn reread_results(
    folder: &Path,
    experiment: &Experiment,
    fingerprint: &Fingerprint,
    stored: Summary,
    scale: f64,
) -> Option<(ExperimentData, Vec<TestedClaim>)> {
    let series = series::read(&folder.join("curves.csv"), &folder.join("runs.csv")).ok()?;
    let is_same = fingerprint.same_claims(&stored.fingerprint) && stored.claims.len() == experiment.claims.len();
    let Summary { settings, table, claims, .. } = stored;
    let data = ExperimentData { series, settings, table, ..ExperimentData::default() };
    let tested = tested_claims(experiment, &data, scale);
    if is_same {
        // A claim about single runs that are in no file keeps its verdict.
        let carried_over = |(tested, stored): (TestedClaim, TestedClaim)| match tested.verdict == stored.verdict {
            true => tested,
            false => TestedClaim { verdict: stored.verdict, numbers: stored.numbers, ..tested },
        };
        return Some((data, tested.into_iter().zip(claims).map(carried_over).collect()));
    }
    let has_points = experiment.claims.iter().all(|claim| !matches!(claim.test, claim::Test::Linear(..)));
    has_points.then_some((data, tested))
}

/// Creates and locks the folder of an experiment's results.
fn claim_folder(folder: &Path) -> Result<FolderOfOtherFiles> {
    let owner = FolderOfOtherFiles::claim(folder, "experiment")?;
    say_when_stopped(|| "stopped; finished runs are kept, and the same command plays the others".to_owned());
    Ok(owner)
}

/// A series that the kind of `experiment` does not list among its names, so that no claim could be
/// about it.
fn undeclared_series(experiment: &Experiment, all_series: &[series::Series]) -> Result<Option<String>> {
    let names = kinds::kind_named(experiment.kind).series_names(experiment)?;
    let declared = |series: &&series::Series| {
        let curves = names.metrics.iter().find(|(metric, _)| *metric == series.metric);
        names.settings.contains(&series.setting) && curves.is_some_and(|(_, curves)| curves.contains(&series.curve))
    };
    let undeclared_series = all_series.iter().find(|series| !declared(series));
    Ok(undeclared_series.map(|series| format!("{}, {}, {}", series.setting, series.curve, series.metric.name())))
}

/// The real data behind existing results that a look-alike would replace now.
fn lost_real_source(summary: &Summary, current_sources: &[(String, Source)]) -> Option<String> {
    let real = summary.settings.iter().filter(|info| !info.source.lookalike);
    let mut lost =
        real.filter(|info| current_sources.iter().any(|(name, source)| *name == info.setting && source.lookalike));
    lost.next().map(|info| info.source.name.clone())
}
