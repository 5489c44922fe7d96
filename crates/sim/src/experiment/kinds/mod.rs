//! The kinds of experiment, one module per kind. A kind measures the settings of an experiment and
//! returns series; it reads no results and writes none.
//!
//! | kind | measures |
//! |---|---|
//! | `regret` | cumulative regret over time |
//! | `regret_against_rankers` | regret at the end, by number of rankers |
//! | `accuracy` | whether the best ranker is recommended at given horizons |
//! | `structure` | winners, orders, gaps and gamma of preference matrices |
//! | `distortion` | rankers that a multileaving puts above the best by mistake |
//! | `agreement` | pairs that interleaving and A/B tests order otherwise than clicks do |
//! | `datasets` | statistics of data sets |
//!
//! The first three play algorithms: `plan` lists their runs, `algorithm_runs` plays the missing ones, `run_curves` turns them into curves,
//! `run_cost` estimates their time.
//!
//! ## How to add a kind
//! A file with a type that implements [`ExperimentKind`], a variant of [`KindName`] and a line in [`kind_named`].

mod accuracy;
mod agreement;
pub(crate) mod algorithm_runs;
mod cell_runs;
mod datasets;
mod distortion;
pub(crate) mod plan;
mod regret;
mod regret_against_rankers;
mod run_cost;
mod run_curves;
mod structure;

use anyhow::{Result, ensure};
use figures::Panel;
use output::numbers::{with_separators, with_unit};
use output::usage::usage;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::{Experiment, KindName};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::kinds::plan::ExperimentPlan;
use crate::experiment::series::Metric;

/// A kind of experiment.
pub(crate) trait ExperimentKind {
    /// # Errors
    /// When the file lacks a key that this kind needs.
    fn check(&self, experiment: &Experiment) -> Result<()>;

    /// The names of all series that it may measure: what claims can be about.
    ///
    /// # Errors
    /// When an algorithm cannot be parsed.
    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames>;

    /// The names of a setting's series.
    fn setting_label<'a>(&self, setting: &'a Setting) -> SettingLabel<'a> {
        SettingLabel { setting: &setting.name, curve: None }
    }

    /// Measures all settings.
    ///
    /// # Errors
    /// When data are missing or the cache cannot be written.
    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData>;

    /// The panels of its figure; none for kinds that fill a table.
    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel>;

    /// Adds the cost of one setting to `total`.
    ///
    /// # Errors
    /// As [`ExperimentKind::measure`].
    fn cost(&self, request: &EstimateRequest<'_>, setting: &Setting, total: &mut Estimate) -> Result<()>;

    /// The runs it consists of, for kinds that play algorithms.
    ///
    /// # Errors
    /// When an algorithm cannot be parsed.
    fn plan(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<Option<ExperimentPlan>> {
        let _ = (context, experiment);
        Ok(None)
    }

    /// The sample behind each value of a point.
    fn sample(&self) -> Sample {
        Sample { noun: "run", qualifier: "" }
    }
}

/// The kind of an experiment: the only place that matches on [`KindName`].
pub(crate) fn kind_named(kind: KindName) -> &'static dyn ExperimentKind {
    match kind {
        KindName::Regret => &regret::Regret,
        KindName::RegretAgainstRankers => &regret_against_rankers::RegretAgainstRankers,
        KindName::Accuracy => &accuracy::Accuracy,
        KindName::Structure => &structure::Structure,
        KindName::Distortion => &distortion::Distortion,
        KindName::Agreement => &agreement::Agreement,
        KindName::Datasets => &datasets::Datasets,
    }
}

/// The names of series.
#[derive(Debug)]
pub(crate) struct SeriesNames {
    pub(crate) settings: Vec<String>,
    /// The curves of each metric; the first metric is the one of claims that name none.
    pub(crate) metrics: Vec<(Metric, Vec<String>)>,
}

impl SeriesNames {
    /// Names of the settings of `experiment` as `kind` labels them, with these metrics and curves.
    fn new(kind: &dyn ExperimentKind, experiment: &Experiment, metrics: Vec<(Metric, Vec<String>)>) -> Self {
        let expanded = &experiment.settings;
        let mut settings: Vec<String> =
            expanded.iter().map(|setting| kind.setting_label(setting).setting.to_owned()).collect();
        settings.dedup();
        Self { settings, metrics }
    }
}

/// The names of a setting's series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingLabel<'a> {
    pub(crate) setting: &'a str,
    /// Its curve, where several settings of the file share a panel.
    pub(crate) curve: Option<String>,
}

/// The sample behind the values of a point: "100 *runs*", "30 *sets* of rankers".
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) noun: &'static str,
    /// The text after the count and the noun.
    pub(crate) qualifier: &'static str,
}

/// Checks that one of `sizes`, the values of `key`, is at most `limit`, the rankers that a setting has. Larger ones are left
/// out, so that one list serves data sets of several sizes; but if all are, nothing would be measured.
///
/// # Errors
/// If there are sizes, and all are larger.
pub(crate) fn check_some_fit(key: &str, mut sizes: impl Iterator<Item = usize>, limit: usize) -> Result<()> {
    let Some(smallest) = sizes.by_ref().next().map(|first| sizes.fold(first, usize::min)) else { return Ok(()) };
    let (rankers, smallest_of) = (with_unit(limit as u64, "ranker"), with_separators(smallest as u64));
    ensure!(
        smallest <= limit,
        usage(format!("{key}: expected sizes up to {limit}, found {smallest_of}; there are {rankers}"))
    );
    Ok(())
}

/// Owned strings of a list of names.
fn to_strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
