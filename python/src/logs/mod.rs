//! Impressions and clicks in tables, credited by the rules of `click-logs`.
//!
//! | module | holds |
//! |---|---|
//! | [`rules`] | the caller's rules |
//! | [`rows`] | rows of batches as impressions and clicks |
//! | [`engine`] | steps for an engine that brings the rows of an impression, and of a user, together |
//! | here | a log in memory, and verdicts |

mod engine;
mod rows;
mod rules;

use std::path::PathBuf;

use click_logs::cli::summary;
use click_logs::join::{CreditedLog, FrameJoin, LogTotals, PendingRun, State, Units};
use click_logs::measures::Measures;
use click_logs::model::Settings;
use click_logs::outcomes::{conversions_of_text, conversions_text};
use click_logs::outcomes::{fates_csv, pages_csv};
use click_logs::verdict::{SYNTHETIC, outlook, read_outcomes};
use page::decision::{distrust_headline, overview};
use page::standalone_svg::win_rates;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use times::parse_duration;
use verdicts::decide::{CountUnit, decide};

pub(crate) use self::engine::{AMOUNTS, Counting, EventGathering, PAGE_COUNTS, Rows, credit_counts, merge_surveys};

use crate::arrow::Batch;
use crate::call::value_error;

/// The report on a log, as `click-logs credit` writes it: outcomes.csv, fates.csv, pages.csv, and the text of a summary in JSON.
type CreditedBytes<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, String);

fn credited_bytes<'py>(py: Python<'py>, credited: &CreditedLog, settings: &Settings) -> CreditedBytes<'py> {
    let outcomes = click_logs::outcomes::outcomes_of_log(credited).to_csv();
    let tables = [outcomes, fates_csv(credited), pages_csv(credited)];
    let [outcomes, fates, pages] = tables.map(|table| PyBytes::new(py, table.as_bytes()));
    (outcomes, fates, pages, summary(credited, settings).to_string())
}

/// The content of a column, by its name: a field by our own name for it, `client`, or `object`; `None` if it is not read.
#[pyfunction]
pub(crate) fn log_column(name: &str, clicks: bool) -> Option<&'static str> {
    click_logs::read::column(name, clicks)
}

/// A log in memory.
#[pyclass(module = "rankduel._core")]
pub(crate) struct Log {
    gathered: FrameJoin,
    /// The state of a log that grows, until it is credited.
    state: Option<State>,
    /// The additions of this run, until they are kept.
    unkept: Option<PendingRun>,
}

#[pymethods]
impl Log {
    /// An empty log with these rules, or the new part of one that grows; its state is in a folder.
    #[new]
    #[pyo3(signature = (rules, state = None, horizon = None))]
    fn new(rules: &str, state: Option<PathBuf>, horizon: Option<&str>) -> PyResult<Self> {
        let settings = rules::read(rules)?;
        let horizon = horizon.map(parse_duration).transpose();
        let horizon = horizon.map_err(|error| value_error(format!("horizon: {error}")))?;
        let state = state.map(|folder| State::open(&folder, &settings, horizon)).transpose().map_err(state_error)?;
        let gathered = match &state {
            Some(state) => FrameJoin::for_state(settings, state).map_err(value_error)?,
            None => FrameJoin::new(settings),
        };
        Ok(Self { gathered, state, unkept: None })
    }

    /// Makes the credited log the state of the log that grows, if there is one.
    fn keep(&mut self, py: Python<'_>) -> PyResult<()> {
        let unkept = self.unkept.take();
        py.detach(|| unkept.map(PendingRun::keep).transpose()).map(drop).map_err(state_error)
    }

    /// Adds a batch of impressions, numbered from `first`.
    fn impressions(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>, first: usize) -> PyResult<()> {
        let taken;
        let batch = match batch.cast::<Batch>() {
            Ok(batch) => batch.get(),
            Err(_) => {
                taken = Batch::of(batch)?;
                &taken
            }
        };
        py.detach(|| rows::impressions(&mut self.gathered, batch, None, Some(first)))
    }

    /// Adds a batch of clicks, numbered from `first`.
    fn clicks(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>, first: usize) -> PyResult<()> {
        let taken;
        let batch = match batch.cast::<Batch>() {
            Ok(batch) => batch.get(),
            Err(_) => {
                taken = Batch::of(batch)?;
                &taken
            }
        };
        py.detach(|| rows::clicks(&mut self.gathered, batch, None, Some(first)))
    }

    /// The report on the log.
    fn credited<'py>(&mut self, py: Python<'py>) -> PyResult<CreditedBytes<'py>> {
        if let Some(state) = self.state.take() {
            let appended = py.detach(|| self.gathered.append(state));
            let (credited, unkept) = appended.map_err(state_error)?;
            self.unkept = Some(unkept);
            return Ok(credited_bytes(py, &credited, self.gathered.settings()));
        }
        let credited = py.detach(|| -> Result<CreditedLog, click_logs::LogError> {
            let settings = self.gathered.settings().clone();
            let survey = self.gathered.survey();
            let (until, _) = survey.closing(&settings);
            let mut units = Units::new(settings.clone(), &survey);
            let mut failed = None;
            self.gathered.credit(until, |outcome| {
                if let Err(error) = units.push(&outcome) {
                    failed.get_or_insert(error);
                }
            })?;
            failed.map_or(Ok(()), Err)?;
            let mut sum = LogTotals { tally: self.gathered.take_tally(), ..LogTotals::default() };
            units.count(&mut sum);
            Ok(sum.credited(&survey, &settings))
        });
        Ok(credited_bytes(py, &credited.map_err(value_error)?, self.gathered.settings()))
    }
}

/// An error of a state, which speaks of flags, in the words of arguments.
fn state_error(error: anyhow::Error) -> PyErr {
    const WORDS: [(&str, &str); 8] = [
        ("--append", "state"),
        ("--until TIME", "until"),
        ("--until", "until"),
        ("--final", "final=True"),
        ("--rankers old,new", "rankers=[\"old\", \"new\"]"),
        ("--rankers", "rankers"),
        ("--pairs ", "pairs="),
        ("--horizon", "horizon"),
    ];
    let message = WORDS.iter().fold(format!("{error:#}"), |text, (flag, name)| text.replace(flag, name));
    value_error(message)
}

/// A table of outcomes in a file or in a folder that `click-logs credit` wrote: its CSV, the summary beside it in JSON, and the CSV of
/// conversions, if the folder has any.
#[pyfunction]
pub(crate) fn outcomes_of(py: Python<'_>, path: PathBuf) -> PyResult<(String, String, Option<String>)> {
    let failed = |error: anyhow::Error| value_error(format!("{error:#}"));
    let (outcomes, mut summary) = py.detach(|| read_outcomes(&path)).map_err(failed)?;
    let conversions = if path.is_dir() { conversions_text(&path, &summary).map_err(failed)? } else { None };
    if summary.is_null() {
        summary = serde_json::json!({});
    }
    summary["rankers"] = outcomes.rankers.clone().into();
    Ok((outcomes.to_csv(), summary.to_string(), conversions))
}

/// The text of summary.json beside `table`, the text of outcomes.csv.
#[pyfunction]
pub(crate) fn sealed_summary(summary: &str, table: &str) -> PyResult<String> {
    let summary: Value = serde_json::from_str(summary).map_err(value_error)?;
    let sealed = click_logs::outcomes::sealed_summary(&summary, table).map_err(value_error)?;
    serde_json::to_string(&sealed).map_err(value_error)
}

/// Verdicts: in words, as JSON, as CSV of every day, as a figure, if there is something to draw; and, if they are not trusted, the
/// sentences that a page says instead.
type DecisionOutputs = (String, String, String, Option<String>, Vec<String>);

/// The winner, by a table of outcomes, the summary beside it, and the table of conversions, if there are any.
#[pyfunction]
#[pyo3(signature = (outcomes, summary, confidence, by_impressions, conversions=None))]
pub(crate) fn decided(
    outcomes: &str,
    summary: &str,
    confidence: f64,
    by_impressions: bool,
    conversions: Option<&str>,
) -> PyResult<DecisionOutputs> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(value_error(format!("expected a confidence between 0 and 1, such as 0.95, found {confidence}")));
    }
    let summary: Value = serde_json::from_str(summary).map_err(value_error)?;
    let names = summary["rankers"].as_array().into_iter().flatten();
    let rankers: Vec<String> = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let by = if by_impressions { CountUnit::Impressions } else { CountUnit::Units };
    let outcomes = click_logs::outcomes::read(outcomes, &rankers).map_err(value_error)?.add_versions(&summary);
    // 1 - 0.95 is a little more than 0.05.
    let alpha = ((1.0 - confidence) * 1e12).round() / 1e12;
    if by_impressions {
        click_logs::outcomes::need_impressions(&outcomes).map_err(value_error)?;
    }
    let verdicts = decide(&outcomes, alpha, by).map_err(value_error)?;
    let conversions = conversions.map(|text| conversions_of_text(text, &rankers, &summary)).transpose();
    let conversions = conversions.map_err(|error| value_error(format!("{error:#}")))?;
    let measures = Measures::new(&verdicts, conversions.as_ref(), &summary, alpha).map_err(value_error)?;
    let data = measures.record();
    let distrust = if data["trusted"] == false {
        let headline = overview(verdicts.latest(), summary["unit"].as_str()).headline;
        let headline = distrust_headline(headline, &outlook(&verdicts, &summary));
        std::iter::once(headline.sentence).chain(headline.more).chain([headline.action]).collect()
    } else {
        Vec::new()
    };
    let verdicts = measures.signs();
    let figure = win_rates(verdicts, (summary["synthetic"] == true).then_some(SYNTHETIC));
    Ok((measures.words(), data.to_string(), verdicts.looks_csv(), figure, distrust))
}
