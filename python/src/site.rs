//! Data, rankers and users, ready for simulation.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, ensure};
use letor_io::{Dataset, DatasetBuilder, ErrorKind, Provenance};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods as _};
use output::messages;
use output::usage::usage;
use pyo3::prelude::*;
use simulation::proxy::{self, PairSelection, Request, Sampling, StartMode, open_state};
use simulation::spec::SiteSpec;
use studies::live::LiveStudy;
use studies::request::{LiveRequest, StudyDefaults};
use studies::site::{OpenSite, TruthRequest};
use studies::{StudyOutcome, notes, run};

use crate::call::{CallOptions, exception, value_error, work};
use crate::clicks::own_model;
use crate::matrix::{EstimateOrigin, Matrix};
use crate::settings::{DestinationArguments, StudyInputs, at_least_one};
use crate::study::{Config, Study, arm_name};

/// Opens a data set with `open` and ranks all lists; `own` answers for a click model of the caller's.
fn open_and_rank(
    py: Python<'_>,
    how: CallOptions,
    spec: SiteSpec,
    seed: u64,
    own: Option<Bound<'_, PyAny>>,
    open: impl FnOnce(&SiteSpec) -> Result<Dataset> + Send + 'static,
) -> PyResult<Site> {
    let Some(own) = own else {
        return work(py, how, move || {
            let dataset = open(&spec)?;
            rank_lists(&spec, dataset, seed)
        });
    };
    // The caller's code runs in the caller's thread, where Ctrl-C ends it.
    let then = CallOptions {
        threads: how.threads,
        report: how.report.as_ref().map(|report| report.clone_ref(py)),
        notes: how.notes,
    };
    let (mut spec, dataset) = work(py, how, move || {
        let dataset = open(&spec)?;
        Ok((spec, dataset))
    })?;
    spec.click = own_model(&own, dataset.max_label())?;
    work(py, then, move || rank_lists(&spec, dataset, seed))
}

/// Ranks all lists, and passes on the notes of the command line on data and users.
fn rank_lists(spec: &SiteSpec, dataset: Dataset, seed: u64) -> Result<Site> {
    messages::notes(true, notes::dataset_notes(&dataset));
    let prepared = spec.prepare(Arc::new(dataset), seed)?;
    messages::notes(true, notes::of_site(&prepared, spec.credit_ties.is_some()));
    Ok(Site { inner: Arc::new(OpenSite::new(prepared, None)), spec: spec.clone() })
}

/// Data, rankers and users.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Site {
    pub(crate) inner: Arc<OpenSite>,
    pub(crate) spec: SiteSpec,
}

fn specification(text: &str) -> PyResult<SiteSpec> {
    serde_json::from_str(text).map_err(|error| {
        // The place in the JSON text, which the caller never saw, does not help.
        let text = error.to_string();
        value_error(text.split(" at line ").next().unwrap_or_default())
    })
}

#[pymethods]
impl Site {
    /// Opens the data set of a specification, as JSON, and ranks all lists.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        spec: &str,
        seed: u64,
        own: Option<Bound<'_, PyAny>>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = specification(spec)?;
        open_and_rank(py, CallOptions { threads, report, notes: true }, spec, seed, own, |spec| {
            let cache = letor_io::cache::folder();
            let name = spec.dataset.first().and_then(|name| name.split(':').next()).unwrap_or_default();
            let generated = letor_io::lookalike::names().any(|known| known == name);
            spec.open(None, cache.as_deref()).map_err(|error| {
                match error.downcast_ref::<letor_io::Error>().filter(|wrong| wrong.kind() == ErrorKind::Unknown) {
                    // An invalid scale or seed, or a split that the data set does not have: not a missing file.
                    Some(letor_error) if generated || spec.reading.split.is_some() => usage(letor_error),
                    _ => error,
                }
            })
        })
    }

    /// The same for documents in arrays: rows of one query follow each other.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn from_arrays(
        py: Python<'_>,
        spec: &str,
        seed: u64,
        name: String,
        synthetic: bool,
        qids: Vec<String>,
        labels: PyReadonlyArray1<'_, f32>,
        scores: PyReadonlyArray2<'_, f64>,
        names: Option<Vec<String>>,
        own: Option<Bound<'_, PyAny>>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = specification(spec)?;
        let [rows, columns] = [scores.shape()[0], scores.shape()[1]];
        if qids.len() != rows || labels.len() != rows {
            return Err(value_error(format!(
                "{} query ids, {} labels and {rows} rows of scores: expected one of each per document",
                qids.len(),
                labels.len()
            )));
        }
        // Copied under the interpreter's lock, so that the arrays cannot change meanwhile.
        let labels: Vec<f32> = labels.as_array().iter().copied().collect();
        let scores: Vec<f64> = scores.as_array().iter().copied().collect();
        open_and_rank(py, CallOptions { threads, report, notes: true }, spec, seed, own, move |_| {
            let provenance = match synthetic {
                true => Provenance::LookAlike { name: name.clone() },
                false => Provenance::Files { files: Vec::new(), skipped: Vec::new() },
            };
            let mut builder = DatasetBuilder::new(name, provenance);
            builder.features(columns as u32);
            let mut seen = std::collections::BTreeSet::new();
            let mut from = 0;
            for of_query in qids.chunk_by(|one, next| one == next) {
                let to = from + of_query.len();
                let qid = &of_query[0];
                ensure!(
                    seen.insert(qid),
                    usage(format!(
                        "query {qid} comes in two places: sort the rows by query, e.g. df.sort_values(\"qid\")"
                    ))
                );
                let rows: Vec<&[f64]> = (from..to).map(|row| &scores[row * columns..(row + 1) * columns]).collect();
                builder.push_rows(qid, &labels[from..to], &rows).map_err(usage)?;
                from = to;
            }
            let mut dataset = builder.build();
            if let Some(names) = names {
                dataset = dataset.with_feature_names(letor_io::Names::new(names).map_err(usage)?).map_err(usage)?;
            }
            Ok(dataset)
        })
    }

    /// The description of the site, as JSON.
    fn description(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.prepared.description).map_err(value_error)
    }

    #[getter]
    fn arms(&self) -> usize {
        self.inner.prepared.site.arms()
    }

    /// The name of an arm.
    fn arm_name(&self, arm: usize) -> PyResult<String> {
        arm_name(&self.inner.prepared.description.names(), self.arms(), arm)
    }

    /// A note on synthetic data.
    #[getter]
    fn note(&self) -> Option<String> {
        self.inner.prepared.description.note()
    }

    /// nDCG@10 of every ranker.
    fn ndcg(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Vec<f64>> {
        let inner = Arc::clone(&self.inner);
        work(py, CallOptions { threads, report: None, notes: true }, move || inner.prepared.ndcg())
    }

    /// The ground truth as JSON, and as a line.
    fn truth(
        &self,
        py: Python<'_>,
        seed: u64,
        effort: f64,
        cache: Option<PathBuf>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let request = TruthRequest { effort, cache };
        request.check().map_err(|error| exception(&error))?;
        let inner = Arc::clone(&self.inner);
        work(py, CallOptions { threads, report, notes: true }, move || {
            let truth = inner.truth(&request, seed, true)?;
            let names = inner.prepared.description.names();
            Ok((serde_json::to_string(&truth)?, truth.describe(|arm| names.name(arm))))
        })
    }

    /// Plays algorithms live; `None` if only a share was played.
    fn live(
        &self,
        py: Python<'_>,
        algorithms: Vec<Bound<'_, PyAny>>,
        settings: Vec<OsString>,
        placed: DestinationArguments,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Option<Study>> {
        let StudyInputs { request, seed, algorithms, execution, own } =
            StudyInputs::<LiveRequest>::new(&algorithms, settings, placed)?;
        let settings =
            request.settings(&StudyDefaults::STUDY, seed, Some(algorithms)).map_err(|error| exception(&error))?;
        let site = Arc::clone(&self.inner);
        let played = work(py, CallOptions { threads, report, notes: true }, move || {
            let StudyOutcome::Finished(finished) = run(LiveStudy { site, settings }, &execution)? else {
                return Ok(None);
            };
            let config = Config::Live(Box::new(finished.config()));
            finished.written?;
            Ok(Some(Study { runs: finished.found, config }))
        });
        own.raise(py, played)
    }

    /// Estimates the preference matrix.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn proxy(
        &self,
        py: Python<'_>,
        impressions_per_pair: u64,
        seed: u64,
        multileaved: bool,
        stratify: bool,
        pairs: &str,
        until_standard_error: Option<f64>,
        name: String,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Matrix> {
        let pairs: PairSelection = pairs.parse().map_err(value_error)?;
        let request =
            Request { impressions: impressions_per_pair, more: false, pairs: pairs.to_string(), until_standard_error };
        at_least_one("impressions_per_pair", impressions_per_pair)?;
        let inner = Arc::clone(&self.inner);
        work(py, CallOptions { threads, report, notes: true }, move || {
            let sampling = if stratify { Sampling::Stratified } else { Sampling::WithReplacement };
            let identity = proxy::identity(&inner.prepared, seed, sampling, multileaved);
            // The name of no file: nothing is read or saved.
            let mut state = open_state(std::path::Path::new(""), identity, request, StartMode::Replace)?;
            proxy::play(&mut state, &inner.prepared, None, true)?;
            Matrix::estimated(EstimateOrigin { state, site: inner.prepared.description.clone() }, &name)
        })
    }
}
