//! What is found out about a site beyond studies: sensitivity and distortion of methods, and live runs beside those on a
//! matrix.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use bandits::ActionKind;
use interleave::AnyMultileaving;
use output::progress::Progress;
use output::usage::usage;
use pyo3::prelude::*;
use sim::analysis::{distortion as distortions, live_vs_proxy, sensitivity as sensitivities};
use sim::results::{Caption, Spread, live_caption, notes};
use simulation::prepared::PreparedSite;
use simulation::truth::RegretMeasure;

use crate::call::{How, work, wrong};
use crate::frame::Columns;
use crate::matrix::{Matrix, against_truth};
use crate::settings::{Asked, TruthArgs};
use crate::site::Site;
use crate::study::Study;

/// How many impressions methods need to order rankers as their nDCG does: rows of `errors.csv`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn sensitivity(
    site: &Site,
    py: Python<'_>,
    methods: Vec<String>,
    compared: usize,
    impressions: u64,
    draws: u64,
    seed: u64,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<Columns> {
    let methods: Vec<AnyMultileaving> =
        methods.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(wrong)?;
    let arms = site.inner.prepared.site.arms();
    if !(2..=arms).contains(&compared) {
        return Err(wrong(format!("compared: expected 2 to {arms}, the number of rankers, found {compared}")));
    }
    if impressions == 0 || draws == 0 {
        return Err(wrong("impressions and draws: expected at least 1 of each"));
    }
    let inner = Arc::clone(&site.inner);
    let csv = work(py, How { threads, report, notes: true }, move || {
        let PreparedSite { site, methods: mixing, .. } = &inner.prepared;
        let ndcg = inner.prepared.ndcg()?;
        let plan = sensitivities::Plan {
            rankers: compared,
            checkpoints: sensitivities::checkpoints(impressions),
            draws,
            seed,
        };
        let mut all = vec![sensitivities::Method::Pairwise(mixing.interleaving.clone())];
        all.extend(methods.into_iter().map(sensitivities::Method::Together));
        let progress = Progress::new("comparing", draws * all.len() as u64, true);
        let header = ["method", "impressions", "draws", "mean_error", "standard_error"];
        let mut rows: Vec<[String; 5]> = Vec::new();
        for method in &all {
            let errors = sensitivities::measure(site, &ndcg, method, &plan, &progress);
            for (at, step) in plan.checkpoints.iter().enumerate() {
                let values: Vec<f64> = errors.iter().map(|draw| draw[at]).collect();
                let Spread { mean, standard_error, .. } = Spread::of(&values);
                let [step, draws] = [step, &draws].map(u64::to_string);
                rows.push([method.label(), step, draws, mean.to_string(), standard_error.to_string()]);
            }
        }
        output::csv(&header, &rows)
    })?;
    Columns::of(csv)
}

/// How often multileaving prefers another ranker to the best one: a row per size of sets.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn distortion(
    site: &Site,
    py: Python<'_>,
    sizes: Option<Vec<usize>>,
    multileavings: u64,
    sets: u64,
    seed: u64,
    effort: f64,
    cache: Option<PathBuf>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<Columns> {
    let args = TruthArgs::new(effort, cache)?;
    if multileavings == 0 || sets == 0 {
        return Err(wrong("multileavings and sets: expected at least 1 of each"));
    }
    let inner = Arc::clone(&site.inner);
    let csv = work(py, How { threads, report, notes: true }, move || {
        let PreparedSite { site, methods, .. } = &inner.prepared;
        let truth = inner.truth(seed, &args)?;
        ensure!(
            truth.measure == RegretMeasure::Condorcet,
            usage(distortions::no_winner(&inner.prepared.description, "credit_ties=\"same\""))
        );
        let most = site.arms() + 1 - truth.winners.len();
        ensure!(most >= 2, usage("distortion needs at least two rankers whose lists differ; choose other rankers"));
        let sizes = sizes.unwrap_or_else(|| {
            let mut usual = [3, 10, 100].map(|size| size.min(most)).to_vec();
            usual.dedup();
            usual
        });
        if let Some(wrong) = sizes.iter().find(|size| !(2..=most).contains(*size)) {
            anyhow::bail!(usage(format!("sizes: expected 2 to {most}, found {wrong}")));
        }
        let progress = Progress::new("multileaving", sets * sizes.len() as u64, true);
        let header = ["size", "sets", "mean", "standard_deviation", "standard_error", "min", "max"];
        let rows: Vec<[String; 7]> = sizes
            .iter()
            .map(|&size| {
                let plan = distortions::Plan { size, multileavings, sets, seed };
                let measured = distortions::measure(site, &methods.multileaving, &truth.winners, plan, &progress);
                let Spread { mean, standard_deviation, standard_error, min, max } = measured.share;
                let numbers = [mean, standard_deviation, standard_error, min, max].map(|value| value.to_string());
                let [mean, deviation, error, min, max] = numbers;
                [size.to_string(), sets.to_string(), mean, deviation, error, min, max]
            })
            .collect();
        output::csv(&header, &rows)
    })?;
    Columns::of(csv)
}

/// Plays duelling algorithms live and on a matrix of the same rankers: both studies, and the rows of
/// `differences.csv`.
#[pyfunction]
pub(crate) fn compare(
    site: &Site,
    py: Python<'_>,
    matrix: Py<Matrix>,
    algorithms: Vec<Bound<'_, PyAny>>,
    settings: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<(Study, Study, Columns)> {
    let asked = Asked::new(&algorithms, settings)?;
    if let Some(spec) = asked.algorithms.iter().find(|spec| spec.action_kind() != ActionKind::Duels) {
        return Err(wrong(format!(
            "{spec} selects sets of arms, which a pairwise matrix cannot simulate; choose dueling algorithms"
        )));
    }
    let (arms, of_matrix) = (site.inner.prepared.site.arms(), matrix.get().preferences()?.arms());
    if of_matrix != arms {
        return Err(wrong(format!("the matrix has {of_matrix} arms, but {arms} rankers are compared")));
    }
    let inner = Arc::clone(&site.inner);
    let own = asked.own.clone();
    let compared = work(py, How { threads, report, notes: true }, move || {
        let matrix = matrix.get();
        let mut live = inner.live(&asked, "live: ")?;
        let (truth, mut measured) = inner.measured(&asked)?;
        // The matrix of a look-alike may be compared with real data.
        let description = &inner.prepared.description;
        let origin = matrix.origin();
        let note = if origin.is_of(&description.dataset.name) { None } else { origin.note(matrix.name()) };
        measured.synthetic = origin.synthetic_beside(description.dataset.synthetic);
        live.measured = measured;
        live.caption.note = notes([live.caption.note.clone(), note.clone()]);
        let caption = live_caption(description, "proxy: ", &measured, asked.look);
        let caption = Caption { note: notes([caption.note, note]), ..caption };
        let proxy = against_truth(matrix, &truth, &asked, caption, &live)?;
        let differences = live_vs_proxy::differences(&live.plan, &live.results, &proxy.results, measured.kind);
        let csv = output::csv(&live_vs_proxy::Difference::HEADER, &differences);
        Ok((live, proxy, csv.context("failed to format the differences")?))
    });
    let (live, proxy, csv) = own.raise(py, compared)?;
    Ok((live, proxy, Columns::of(csv)?))
}
