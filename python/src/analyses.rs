//! Studies of a site that need no class of their own in Python: their findings are text, JSON, tables and figures.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::{Result, bail};
use output::usage::usage;
use pyo3::prelude::*;
use simulation::spec::SiteSpec;
use studies::compare::{CompareStudy, Difference, ProxyMatrix};
use studies::distortion::DistortionStudy;
use studies::request::{CompareRequest, StudyDefaults};
use studies::sensitivity::SensitivityStudy;
use studies::site::OpenSite;
use studies::{Execution, Report, SiteStudy, Study as _, StudyOutcome, run};

use crate::call::{CallOptions, exception, work};
use crate::findings::{Findings, findings};
use crate::frame::Columns;
use crate::matrix::Matrix;
use crate::settings::{DestinationArguments, StudyInputs, execution, parse};
use crate::site::Site;
use crate::study::{Config, Study};

/// Carries out the study called `name` with the flags `settings`. Studies of sites are listed here, one line each.
fn carry_out(
    name: &str,
    site: Arc<OpenSite>,
    spec: &SiteSpec,
    settings: Vec<OsString>,
    seed: u64,
    execution: &Execution,
) -> Result<Option<Report>> {
    match name {
        DistortionStudy::COMMAND => run_site_study::<DistortionStudy>(site, spec, settings, seed, execution),
        SensitivityStudy::COMMAND => run_site_study::<SensitivityStudy>(site, spec, settings, seed, execution),
        other => bail!(usage(format!("there is no study {other:?} of a site"))),
    }
}

fn run_site_study<S: SiteStudy>(
    site: Arc<OpenSite>,
    spec: &SiteSpec,
    settings: Vec<OsString>,
    seed: u64,
    execution: &Execution,
) -> Result<Option<Report>> {
    let request: S::Request = parse(settings)?;
    S::check(&request, spec, &execution.share)?;
    match run(S::on(site, request, seed)?, execution)? {
        StudyOutcome::Finished(finished) => {
            let (report, written) = finished.into_parts()?;
            written.map(|_| Some(report))
        }
        StudyOutcome::Prepared | StudyOutcome::Part => Ok(None),
    }
}

/// A study of a site by its name, with its settings as flags; `None` if only a share of it was done.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn study_of_site(
    site: &Site,
    py: Python<'_>,
    name: String,
    settings: Vec<OsString>,
    seed: u64,
    placed: DestinationArguments,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<Option<Findings>> {
    let execution = execution(placed)?;
    let (open, spec) = (Arc::clone(&site.inner), site.spec.clone());
    let report = work(py, CallOptions { threads, report, notes: true }, move || {
        carry_out(&name, open, &spec, settings, seed, &execution)
    })?;
    report.as_ref().map(findings).transpose()
}

/// Plays duelling algorithms live and on a matrix of the same rankers, which is estimated from `impressions_per_pair`
/// unless it is given: both studies, and the rows of `differences.csv`; `None` if only a share of it was done.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn compare(
    site: &Site,
    py: Python<'_>,
    matrix: Option<&Matrix>,
    impressions_per_pair: u64,
    algorithms: Vec<Bound<'_, PyAny>>,
    settings: Vec<OsString>,
    placed: DestinationArguments,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<Option<(Study, Study, Columns)>> {
    let StudyInputs { request, seed, algorithms, execution, own } =
        StudyInputs::<CompareRequest>::new(&algorithms, settings, placed)?;
    let settings =
        request.settings(&StudyDefaults::STUDY, seed, Some(algorithms)).map_err(|error| exception(&error))?;
    let proxy = match matrix {
        None => ProxyMatrix::Estimated(impressions_per_pair),
        Some(matrix) => ProxyMatrix::Given {
            matrix: matrix.preferences()?.clone(),
            origin: Box::new(matrix.origin().clone()),
            name: matrix.name().to_owned(),
        },
    };
    let open = Arc::clone(&site.inner);
    let compared = work(py, CallOptions { threads, report, notes: true }, move || {
        let StudyOutcome::Finished(finished) = run(CompareStudy::new(open, settings, proxy)?, &execution)? else {
            return Ok(None);
        };
        let config = finished.config();
        finished.written?;
        let csv = output::csv(&Difference::HEADER, finished.found.differences())?;
        let study = |runs| Study { runs, config: Config::Compare(Box::new(config.clone())) };
        Ok(Some((study(finished.found.live), study(finished.found.proxy), csv)))
    });
    let Some((live, proxy, csv)) = own.raise(py, compared)? else { return Ok(None) };
    Ok(Some((live, proxy, Columns::of(csv)?)))
}
