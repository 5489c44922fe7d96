//! The finished runs of a results folder, kept in it one by one, so that an interrupted study continues where it stopped
//! and a larger one plays only what is missing.
//!
//! They are in the folder `.runs`, one file per *cell*: arenas with their gaps, an algorithm, checkpoints and a seed. Once
//! the study is complete, its cells have the same bytes however often it was interrupted; the seconds of its runs are then
//! in `timings.json` alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};
use bandits::registry::Spec;
use bandits::{Arm, Regret};
use output::checksum::sha256_hex;
use output::interrupt::say_when_stopped;
use output::numbers::{with_separators, with_unit};
use output::records::{Record, Records, subjects};
use output::remove_stale;
use output::results_folder::ResultsFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::runs::evidence::RunEvidence;
use crate::runs::{Answers, RunPlan, RunResult, jobs_of};
use crate::seed_text::{SeedSubject, seed_text};
use output::shards::{Cell as PartCell, Shard, Share};

/// Raised whenever the runs of the same cell change for all algorithms.
const VERSION: u32 = 1;

/// One run. The field names are those of kept files.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptRun {
    run: u64,
    /// Missing once they are in `timings.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// At each checkpoint: average, weak and strong.
    regret: Vec<[f64; 3]>,
    recommended: Vec<Option<Arm>>,
    /// As for regret; empty unless counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suboptimal: Vec<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alone_since: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<RunEvidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers: Option<Answers>,
}

impl Record for KeptRun {
    fn number(&self) -> u64 {
        self.run
    }
}

impl KeptRun {
    fn new(run: u64, result: &RunResult, with_seconds: bool) -> Self {
        let numbers = |all: &[Regret]| all.iter().map(|at| [at.average, at.weak, at.strong]).collect();
        Self {
            run,
            seconds: with_seconds.then_some(result.seconds),
            regret: numbers(&result.regret),
            recommended: result.recommended.clone(),
            suboptimal: numbers(&result.suboptimal),
            alone_since: result.alone_since,
            evidence: result.evidence.clone(),
            answers: result.answers,
        }
    }

    fn result(self, seconds: impl FnOnce(u64) -> f64) -> RunResult {
        let regret = |all: Vec<[f64; 3]>| {
            all.into_iter().map(|[average, weak, strong]| Regret { average, weak, strong }).collect()
        };
        RunResult {
            seconds: self.seconds.unwrap_or_else(|| seconds(self.run)),
            regret: regret(self.regret),
            recommended: self.recommended,
            suboptimal: regret(self.suboptimal),
            alone_since: self.alone_since,
            evidence: self.evidence,
            answers: self.answers,
        }
    }
}

/// The first line of a file: the cell of its runs. The name of the file is made of `key` alone.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Cell {
    algorithm: String,
    steps: u64,
    /// The hash of the arenas and their gaps.
    arenas: String,
    /// The hash of everything that the runs depend on.
    key: String,
}

impl Cell {
    fn line(&self) -> String {
        serde_json::to_string(self).expect("plain data can always be written")
    }
}

/// The finished runs of one kind of arena in a results folder.
pub struct KeptRuns {
    folder: PathBuf,
    /// The frozen text of arenas and gaps.
    measured_seed: String,
    /// The seconds of each run, by algorithm.
    seconds: BTreeMap<String, Vec<f64>>,
    mark: Box<dyn Fn() -> Result<()> + Send + Sync>,
    /// For the message of an interrupted study.
    finished: Arc<AtomicU64>,
    share: Share,
}

impl KeptRuns {
    /// The runs kept in `folder` of arenas with this content and these gaps; `timings` is the file in it with the seconds of
    /// a finished study.
    #[must_use]
    pub fn new(folder: &ResultsFolder, arenas: &str, gaps: &[f64], timings: &str) -> Self {
        Self {
            folder: folder.join(".runs"),
            measured_seed: seed_text(SeedSubject::Measured { arenas, gaps }),
            seconds: output::input::read_file(&folder.join(timings), output::input::MAX_RESULT_BYTES)
                .map_or_else(|_| BTreeMap::new(), |bytes| seconds(&bytes)),
            mark: Box::new(folder.marker()),
            finished: Arc::new(AtomicU64::new(0)),
            share: Share::All,
        }
    }

    /// The same for a share of a study: only the runs of a shard are played, or those of all shards are taken from their
    /// parts and none is played.
    #[must_use]
    pub fn with_share(self, share: &Share) -> Self {
        Self { share: share.clone(), ..self }
    }

    /// The shard that these runs belong to.
    #[must_use]
    pub fn shard(&self) -> Option<Shard> {
        self.share.shard()
    }

    /// The number of units in this share, of `units` in the whole study.
    #[must_use]
    pub fn share_of(&self, units: u64) -> u64 {
        self.shard().map_or(units, |shard| shard.length(units))
    }

    /// The runs of `shard` in a study of `runs` runs of each of these cells, for its part.
    ///
    /// # Errors
    /// If one of them is not finished.
    pub fn cells_of(&self, shard: Shard, plans: &[RunPlan<'_>], runs: u64) -> Result<Vec<PartCell>> {
        let jobs = (0..runs).flat_map(|run| (0..plans.len()).map(move |plan| (plan, run))).collect();
        let jobs = jobs_of(shard, jobs);
        let cell = |(at, plan): (usize, &RunPlan<'_>)| {
            let mut records = self.open(plan).by_number;
            let numbers: BTreeSet<u64> = jobs.iter().filter(|(plan, _)| *plan == at).map(|(_, run)| *run).collect();
            records.retain(|run, _| numbers.contains(run));
            ensure!(
                records.len() == numbers.len(),
                "a run of {} in {} was lost",
                plan.algorithm,
                self.folder.display()
            );
            PartCell::new(self.subject_line(plan), records.values())
        };
        plans.iter().enumerate().map(cell).filter(|cell| cell.as_ref().map_or(true, |cell| !cell.is_empty())).collect()
    }

    /// The error for a run that is missing although the parts of all shards are there.
    pub(crate) fn refuse_to_play(&self, missing: Option<(&RunPlan<'_>, u64)>) -> Result<()> {
        match (self.share.parts(), missing) {
            (Some(parts), Some((plan, run))) => {
                Err(parts.incomplete_error(&format!("run {run} of {}", plan.algorithm)))
            }
            _ => Ok(()),
        }
    }

    /// The finished ones of the runs below `count` of a cell, by their numbers; `cells` of the study share the algorithm.
    pub(crate) fn read_runs(&self, plan: &RunPlan<'_>, count: u64, cells: usize) -> Result<BTreeMap<u64, RunResult>> {
        let algorithm = plan.algorithm.canonical();
        let seconds = |run: u64| {
            let seconds_of_algorithm = self.seconds.get(&algorithm);
            // The seconds of all cells of the algorithm together.
            let seconds_of_run = seconds_of_algorithm
                .and_then(|seconds_of_algorithm| seconds_of_algorithm.get(usize::try_from(run).ok()?));
            seconds_of_run.copied().unwrap_or(0.0) / cells.max(1) as f64
        };
        let mut seconds_of_run = self.open(plan).by_number;
        if let Some(parts) = self.share.parts() {
            for (run, kept_run) in parts.records::<KeptRun>(&self.subject_line(plan))? {
                seconds_of_run.entry(run).or_insert(kept_run);
            }
            seconds_of_run.retain(|_, kept_run| is_sound(kept_run, plan));
        }
        Ok(seconds_of_run
            .into_iter()
            .filter(|(run, _)| *run < count)
            .map(|(run, kept_run)| (run, kept_run.result(seconds)))
            .collect())
    }

    /// Keeps a finished run of a cell.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub(crate) fn keep(&self, plan: &RunPlan<'_>, run: u64, result: &RunResult) -> Result<()> {
        (self.mark)()?;
        self.cell(plan).append(&KeptRun::new(run, result, true))?;
        self.finished.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// From here on, an interrupted process prints how many of `total` runs are finished; `kept_runs` are already.
    pub(crate) fn announce(&self, kept_runs: u64, total: u64) {
        self.finished.store(kept_runs, Ordering::Relaxed);
        let (finished, kept_in) = (Arc::clone(&self.finished), self.folder.clone());
        say_when_stopped(move || {
            let finished = finished.load(Ordering::Relaxed);
            let finished_text = format!("{} of {}", with_separators(finished), with_unit(total, "run"));
            let folder = kept_in.parent().unwrap_or(&kept_in).display();
            match finished {
                0 => format!(
                    "stopped; no run was finished, and the same command plays all {} for {folder}",
                    with_unit(total, "run")
                ),
                _ => format!(
                    "stopped; {finished_text} are finished and kept in {folder}, and the same command plays the others"
                ),
            }
        });
    }

    /// Gives the files of a finished study their final bytes, and removes those of shorter runs or other checkpoints, which
    /// it replaces. Runs of other algorithms or of more steps stay: a larger study may have been interrupted.
    ///
    /// # Errors
    /// If a file cannot be written or removed.
    pub fn complete(&self, plans: &[RunPlan<'_>], results: &[Vec<RunResult>]) -> Result<()> {
        for (plan, runs) in plans.iter().zip(results) {
            let cell = self.open(plan);
            // A study of more runs may have been interrupted.
            let further_runs = cell.by_number.values().filter(|kept_run| kept_run.run >= runs.len() as u64).cloned();
            let finished = runs.iter().zip(0..).map(|(result, run)| KeptRun::new(run, result, false));
            (self.mark)()?;
            cell.rewrite(finished.chain(further_runs))?;
        }
        let current: Vec<Cell> = plans.iter().map(|plan| self.subject(plan)).collect();
        for (path, subject) in subjects(&self.folder) {
            let Ok(cell) = serde_json::from_str::<Cell>(&subject) else { continue };
            let replaces =
                |new: &Cell| new.arenas == cell.arenas && new.algorithm == cell.algorithm && new.steps >= cell.steps;
            if !current.contains(&cell) && current.iter().any(replaces) {
                remove_stale(&path)?;
            }
        }
        Ok(())
    }

    fn subject(&self, plan: &RunPlan<'_>) -> Cell {
        let text = seed_text(SeedSubject::Cell {
            measured: &self.measured_seed,
            algorithm: plan.algorithm,
            checkpoints: plan.checkpoints,
            seed: plan.seed,
            suboptimal: plan.count_suboptimal,
        });
        // Nothing without evidence, so that runs of earlier versions keep their key.
        let evidence = plan.evidence.map_or_else(String::new, |evidence| evidence.key());
        Cell {
            algorithm: plan.algorithm.canonical(),
            steps: plan.steps,
            arenas: sha256_hex(&self.measured_seed)[..16].to_owned(),
            key: sha256_hex(&format!("kept {VERSION}\n{text}{evidence}"))[..32].to_owned(),
        }
    }

    /// The file of a cell, without reading it.
    fn cell(&self, plan: &RunPlan<'_>) -> Records<KeptRun> {
        let subject = self.subject(plan);
        let path = self.folder.join(format!("{}.jsonl", subject.key));
        Records::empty(path, subject.line())
    }

    fn subject_line(&self, plan: &RunPlan<'_>) -> String {
        self.subject(plan).line()
    }

    fn open(&self, plan: &RunPlan<'_>) -> Records<KeptRun> {
        let mut cell = self.cell(plan);
        cell.find(|kept: &KeptRun| is_sound(kept, plan));
        cell
    }
}

/// Whether a run was recorded at the checkpoints of `plan`.
fn is_sound(kept: &KeptRun, plan: &RunPlan<'_>) -> bool {
    let length = plan.checkpoints.len();
    kept.regret.len() == length && kept.recommended.len() == length
}

/// The revisions of what plays the runs of these algorithms: parts of shards with others do not add up.
#[must_use]
pub fn revisions<'a>(algorithms: impl IntoIterator<Item = &'a Spec>) -> BTreeMap<String, u32> {
    let revision_of = |spec: &Spec| (spec.entry().name.to_owned(), spec.entry().revision);
    algorithms.into_iter().map(revision_of).chain([("runs".to_owned(), VERSION)]).collect()
}

/// The seconds of each run in the text of a `timings.json`, by algorithm.
fn seconds(timings: &[u8]) -> BTreeMap<String, Vec<f64>> {
    let timings: Value = serde_json::from_slice(timings).unwrap_or_default();
    let seconds_of = |timing: &Value| {
        let seconds = timing["seconds"].as_array()?.iter().map(|seconds| seconds.as_f64().unwrap_or(0.0));
        Some((timing["algorithm"].as_str()?.to_owned(), seconds.collect()))
    };
    timings["algorithms"].as_array().into_iter().flatten().filter_map(seconds_of).collect()
}
