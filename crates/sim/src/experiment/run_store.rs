//! Finished runs, kept in one file per cell (environment, algorithm, checkpoints) with one line per run,
//! so that an interrupted experiment continues where it stopped.

use std::path::Path;

use anyhow::Result;
use output::checksum::sha256_hex;
use output::records::{Record, Records};
use serde::{Deserialize, Serialize};

use crate::experiment::experiment_share::ExperimentShare;

/// Raised whenever the runs of the same cell change for all algorithms (if those of one algorithm change,
/// its own revision is raised).
const VERSION: u32 = 2;

/// One run, at each checkpoint. The field names are written to kept files: they cannot change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    pub(crate) run: u64,
    /// Seconds it took; for timings only.
    pub(crate) seconds: f64,
    /// Cumulative regret.
    pub(crate) regret: Vec<f64>,
    /// Whether the best arm is recommended.
    pub(crate) right: Vec<bool>,
    /// Steps so far that compare suboptimal arms; empty unless counted.
    pub(crate) suboptimal: Vec<f64>,
    /// Steps so far that do not compare the best arm at all; empty unless counted.
    pub(crate) without_best: Vec<f64>,
}

impl Record for RunRecord {
    fn number(&self) -> u64 {
        self.run
    }
}

/// The finished runs of one cell.
pub(crate) type RunStore = Records<RunRecord>;

/// The finished runs of the cell with this text, which records runs at this number of checkpoints: those in `cache`; of a
/// shard, those in its folder; and those in parts that are merged, which `cache` has from then on.
pub(crate) fn open(cache: &Path, sharing: &ExperimentShare, cell: &str, checkpoints: usize) -> Result<RunStore> {
    let key = sha256_hex(&format!("cell {VERSION}\n{cell}"));
    let path = match &sharing.folder {
        Some(folder) => folder.join(".runs").join(format!("{}.jsonl", &key[..32])),
        None => cache.join("runs").join(&key[..2]).join(format!("{}.jsonl", &key[2..34])),
    };
    let sound = |run: &RunRecord| run.regret.len() == checkpoints;
    let mut store = Records::open(path, key, sound);
    if let Some(parts) = sharing.share.parts() {
        let known_runs = store.by_number.len();
        for (run, record) in parts.records::<RunRecord>(store.subject())?.into_iter().filter(|(_, run)| sound(run)) {
            store.by_number.entry(run).or_insert(record);
        }
        if store.by_number.len() > known_runs {
            store.rewrite(store.by_number.values().cloned())?;
        }
    }
    Ok(store)
}
