//! Data, rankers and users, ready for simulation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, ensure};
use bandits::RegretKind;
use interleave::AnyMultileaving;
use letor_io::{DatasetBuilder, ErrorKind, Provenance};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use sim::analysis::{distortion, live_vs_proxy, sensitivity};
use sim::output::progress::Progress;
use sim::output::usage::usage;
use sim::proxy::{self, PairSelection, Request, Sampling, StartMode, open_state};
use sim::results::{Measured, Spread, live_caption};
use sim::simulation::live_arena::{LiveArenaFactory, play_live};
use sim::simulation::prepared::PreparedSite;
use sim::simulation::seed::Streams;
use sim::simulation::spec::SiteSpec;
use sim::simulation::truth::{Effort, GroundTruth, RegretMeasure, of_preferences};

use crate::call::{How, work, wrong};
use crate::frame::Columns;
use crate::matrix::{Estimated, Matrix};
use crate::study::{Asked, Study};

struct Inner {
    prepared: PreparedSite,
    /// Ground truths estimated so far, by seed and effort.
    truths: Mutex<BTreeMap<(u64, u64), GroundTruth>>,
}

/// How well the ground truth should be known, and where it is kept beyond this object.
#[derive(Clone)]
struct TruthArgs {
    effort: f64,
    cache: Option<PathBuf>,
}

/// Reads where live impressions are drawn from.
fn streams(text: &str) -> PyResult<Streams> {
    match text {
        "sequential" => Ok(Streams::Sequential),
        "keyed" => Ok(Streams::Keyed),
        other => Err(wrong(format!("streams: expected sequential or keyed, found {other:?}"))),
    }
}

impl TruthArgs {
    fn new(effort: f64, cache: Option<PathBuf>) -> PyResult<Self> {
        match (0.001..=1000.0).contains(&effort) {
            true => Ok(Self { effort, cache }),
            false => Err(wrong(format!("truth_effort: expected a factor from 0.001 to 1000, found {effort}"))),
        }
    }
}

impl Inner {
    fn truth(&self, seed: u64, args: &TruthArgs) -> Result<GroundTruth> {
        let key = (seed, args.effort.to_bits());
        let known = || self.truths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(truth) = known().get(&key) {
            return Ok(truth.clone());
        }
        let effort = Effort::for_arms(self.prepared.site.arms()).times(args.effort);
        let truth = match &args.cache {
            Some(cache) => self.prepared.truth(effort, seed, cache, true)?,
            None => self.prepared.estimated_truth(effort, seed, true)?,
        };
        known().insert(key, truth.clone());
        Ok(truth)
    }

    /// The kind of regret of live runs, and the truth that it is counted from.
    fn measured(&self, asked: Option<RegretKind>, seed: u64, args: &TruthArgs) -> Result<(GroundTruth, Measured)> {
        of_preferences::check_live(asked)?;
        let truth = match asked {
            Some(RegretKind::Ndcg) => GroundTruth::of_ndcg(&self.prepared.ndcg()?),
            _ => self.truth(seed, args)?,
        };
        let kind = of_preferences::kind_of_live(asked, &truth)?;
        let synthetic = Some(self.prepared.description.dataset.synthetic);
        let measured = Measured::new(kind, &truth.gaps, synthetic);
        Ok((truth, measured))
    }

    fn live(&self, asked: &Asked, args: &TruthArgs, streams: Streams) -> Result<Study> {
        let description = &self.prepared.description;
        let (truth, measured) = self.measured(asked.regret, asked.seed, args)?;
        let plan = asked.plan();
        let arenas = LiveArenaFactory::new(&self.prepared, &truth.gaps, streams);
        let progress = Progress::new("playing", plan.total_steps(), true);
        let results = play_live(&arenas, &plan, None, &progress)?;
        progress.finish();
        let names = description.names();
        Ok(Study {
            caption: live_caption(description, "", &measured, asked.look),
            truth: truth.describe(|arm| names.name(arm)),
            winners: truth.winners,
            multileave: Some(description.multileave.clone()),
            plan,
            results,
            names,
            measured,
        })
    }
}

/// Data, rankers and users.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Site {
    inner: Arc<Inner>,
}

impl Site {
    fn new(prepared: PreparedSite) -> Self {
        Self { inner: Arc::new(Inner { prepared, truths: Mutex::default() }) }
    }
}

fn specification(text: &str) -> PyResult<SiteSpec> {
    serde_json::from_str(text).map_err(|error| {
        // The place in the JSON text, which the caller never saw, says nothing.
        let text = error.to_string();
        wrong(text.split(" at line ").next().unwrap_or_default())
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
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = specification(spec)?;
        work(py, How { threads, report }, move || {
            let cache = sim::output::data_cache::folder();
            let name = spec.dataset.first().and_then(|name| name.split(':').next()).unwrap_or_default();
            let generated = letor_io::lookalike::names().any(|known| known == name);
            let dataset = spec.open(None, cache.as_deref()).map_err(|error| {
                match error.downcast_ref::<letor_io::Error>().filter(|wrong| wrong.kind() == ErrorKind::Unknown) {
                    // An invalid scale or seed, or a split that the data set does not have: not a missing file.
                    Some(wrong) if generated || spec.reading.split.is_some() => usage(wrong),
                    _ => error,
                }
            })?;
            Ok(Self::new(spec.prepare(Arc::new(dataset), seed)?))
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
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = specification(spec)?;
        let [rows, columns] = [scores.shape()[0], scores.shape()[1]];
        if qids.len() != rows || labels.len() != rows {
            return Err(wrong(format!(
                "{} query ids, {} labels and {rows} rows of scores: expected one of each per document",
                qids.len(),
                labels.len()
            )));
        }
        // Copied while the interpreter watches: nobody can change the arrays meanwhile.
        let labels: Vec<f32> = labels.as_array().iter().copied().collect();
        let scores: Vec<f64> = scores.as_array().iter().copied().collect();
        work(py, How { threads, report }, move || {
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
            Ok(Self::new(spec.prepare(Arc::new(dataset), seed)?))
        })
    }

    /// What the site is made of, as JSON.
    fn description(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.prepared.description).map_err(wrong)
    }

    #[getter]
    fn arms(&self) -> usize {
        self.inner.prepared.site.arms()
    }

    /// The name of an arm.
    fn arm_name(&self, arm: usize) -> PyResult<String> {
        let arms = self.arms();
        if arm >= arms {
            return Err(wrong(format!("there is no arm {arm}; arms are numbered from 0 to {}", arms - 1)));
        }
        Ok(self.inner.prepared.description.names().name(arm))
    }

    /// A note on synthetic data.
    #[getter]
    fn note(&self) -> Option<String> {
        self.inner.prepared.description.note()
    }

    /// nDCG@10 of every ranker.
    fn ndcg(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Vec<f64>> {
        let inner = Arc::clone(&self.inner);
        work(py, How { threads, report: None }, move || inner.prepared.ndcg())
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
        let args = TruthArgs::new(effort, cache)?;
        let inner = Arc::clone(&self.inner);
        work(py, How { threads, report }, move || {
            let truth = inner.truth(seed, &args)?;
            let names = inner.prepared.description.names();
            Ok((serde_json::to_string(&truth)?, truth.describe(|arm| names.name(arm))))
        })
    }

    /// Plays algorithms live.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn live(
        &self,
        py: Python<'_>,
        algorithms: Vec<Bound<'_, PyAny>>,
        steps: u64,
        runs: u64,
        checkpoints: u32,
        seed: u64,
        regret: Option<&str>,
        axes: &str,
        spread: Option<&str>,
        streams: &str,
        effort: f64,
        cache: Option<PathBuf>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Study> {
        let asked = Asked::new(&algorithms, steps, runs, checkpoints, seed, regret, axes, spread)?;
        let (args, streams) = (TruthArgs::new(effort, cache)?, self::streams(streams)?);
        let inner = Arc::clone(&self.inner);
        let own = asked.own.clone();
        own.raise(py, work(py, How { threads, report }, move || inner.live(&asked, &args, streams)))
    }

    /// Estimates the preference matrix.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn proxy(
        &self,
        py: Python<'_>,
        interleavings: u64,
        seed: u64,
        multileaved: bool,
        stratify: bool,
        pairs: &str,
        until_standard_error: Option<f64>,
        name: String,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Matrix> {
        let pairs: PairSelection = pairs.parse().map_err(wrong)?;
        let request =
            Request { impressions: interleavings, more: false, pairs: pairs.to_string(), until_standard_error };
        if interleavings == 0 {
            return Err(wrong("interleavings: expected at least 1, found 0"));
        }
        let inner = Arc::clone(&self.inner);
        work(py, How { threads, report }, move || {
            let sampling = if stratify { Sampling::Stratified } else { Sampling::WithReplacement };
            let identity = proxy::identity(&inner.prepared, seed, sampling, multileaved);
            // The name of no file: nothing is read or saved.
            let mut state = open_state(std::path::Path::new(""), identity, request, StartMode::Replace)?;
            proxy::play(&mut state, &inner.prepared, None, true)?;
            Matrix::estimated(Estimated { state, site: inner.prepared.description.clone() }, &name)
        })
    }

    /// How many impressions methods need to order rankers as their nDCG does: rows of `errors.csv`.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn sensitivity(
        &self,
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
        let arms = self.arms();
        if !(2..=arms).contains(&compared) {
            return Err(wrong(format!("compared: expected 2 to {arms}, the number of rankers, found {compared}")));
        }
        if impressions == 0 || draws == 0 {
            return Err(wrong("impressions and draws: expected at least 1 of each"));
        }
        let inner = Arc::clone(&self.inner);
        let csv = work(py, How { threads, report }, move || {
            let PreparedSite { site, methods: mixing, .. } = &inner.prepared;
            let ndcg = inner.prepared.ndcg()?;
            let plan = sensitivity::Plan {
                rankers: compared,
                checkpoints: sensitivity::checkpoints(impressions),
                draws,
                seed,
            };
            let mut all = vec![sensitivity::Method::Pairwise(mixing.interleaving.clone())];
            all.extend(methods.into_iter().map(sensitivity::Method::Together));
            let progress = Progress::new("comparing", draws * all.len() as u64, true);
            let header = ["method", "impressions", "draws", "mean_error", "standard_error"];
            let mut rows: Vec<[String; 5]> = Vec::new();
            for method in &all {
                let errors = sensitivity::measure(site, &ndcg, method, &plan, &progress);
                for (at, step) in plan.checkpoints.iter().enumerate() {
                    let values: Vec<f64> = errors.iter().map(|draw| draw[at]).collect();
                    let Spread { mean, standard_error, .. } = Spread::of(&values);
                    let [step, draws] = [step, &draws].map(u64::to_string);
                    rows.push([method.label(), step, draws, mean.to_string(), standard_error.to_string()]);
                }
            }
            sim::output::csv(&header, &rows)
        })?;
        Columns::of(csv)
    }

    /// How often multileaving prefers another ranker to the best one: a row per size of sets.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn distortion(
        &self,
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
        let inner = Arc::clone(&self.inner);
        let csv = work(py, How { threads, report }, move || {
            let PreparedSite { site, methods, .. } = &inner.prepared;
            let truth = inner.truth(seed, &args)?;
            ensure!(
                truth.measure == RegretMeasure::Condorcet,
                usage(
                    "distortion needs a Condorcet winner, and these rankers have none; try credit_ties=\"same\", other \
                     rankers, another click model or more queries"
                )
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
                    let plan = distortion::Plan { size, multileavings, sets, seed };
                    let measured = distortion::measure(site, &methods.multileaving, &truth.winners, plan, &progress);
                    let Spread { mean, standard_deviation, standard_error, min, max } = measured.share;
                    let numbers = [mean, standard_deviation, standard_error, min, max].map(|value| value.to_string());
                    let [mean, deviation, error, min, max] = numbers;
                    [size.to_string(), sets.to_string(), mean, deviation, error, min, max]
                })
                .collect();
            sim::output::csv(&header, &rows)
        })?;
        Columns::of(csv)
    }

    /// Plays duelling algorithms live and on a matrix of the same rankers: both studies, and the rows of
    /// `differences.csv`.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn compare(
        &self,
        py: Python<'_>,
        matrix: &Matrix,
        algorithms: Vec<Bound<'_, PyAny>>,
        steps: u64,
        runs: u64,
        checkpoints: u32,
        seed: u64,
        regret: Option<&str>,
        axes: &str,
        spread: Option<&str>,
        streams: &str,
        effort: f64,
        cache: Option<PathBuf>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<(Study, Study, Columns)> {
        let asked = Asked::new(&algorithms, steps, runs, checkpoints, seed, regret, axes, spread)?;
        if let Some(spec) = asked.algorithms.iter().find(|spec| spec.action_kind() != bandits::ActionKind::Duels) {
            return Err(wrong(format!(
                "{spec} selects sets of arms, which a pairwise matrix cannot simulate; choose dueling algorithms"
            )));
        }
        let (args, streams) = (TruthArgs::new(effort, cache)?, self::streams(streams)?);
        let preferences = matrix.preferences()?.clone();
        if preferences.arms() != self.arms() {
            return Err(wrong(format!(
                "the matrix has {} arms, but {} rankers are compared",
                preferences.arms(),
                self.arms()
            )));
        }
        let inner = Arc::clone(&self.inner);
        let own = asked.own.clone();
        let (live, proxy, csv) = own.raise(
            py,
            work(py, How { threads, report }, move || {
                let live = inner.live(&asked, &args, streams)?;
                let (truth, measured) = inner.measured(asked.regret, asked.seed, &args)?;
                let description = &inner.prepared.description;
                let caption = live_caption(description, "proxy: ", &measured, asked.look);
                let proxy = crate::matrix::against_truth(preferences, &truth, &asked, caption, &live)?;
                let differences = live_vs_proxy::differences(&live.plan, &live.results, &proxy.results, measured.kind);
                let header = [
                    "algorithm",
                    "step",
                    "live_regret",
                    "live_standard_error",
                    "proxy_regret",
                    "proxy_standard_error",
                    "relative_difference",
                    "relative_standard_error",
                ];
                Ok((live, proxy, sim::output::csv(&header, &differences).context("failed to format the differences")?))
            }),
        )?;
        Ok((live, proxy, Columns::of(csv)?))
    }
}
