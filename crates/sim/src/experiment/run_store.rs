//! Finished runs, kept in one file per cell (environment, algorithm, checkpoints) with one line per run,
//! so that an interrupted experiment continues where it stopped.

use crate::output::cache::sha256_hex;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::output;

/// Raised whenever the runs of the same cell change for all algorithms (if those of one algorithm change,
/// its own revision is raised).
const VERSION: u32 = 2;

/// One run, at each checkpoint. The field names are those of kept files: they cannot change.
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

/// The finished runs of one cell.
#[derive(Debug)]
pub(crate) struct RunStore {
    path: PathBuf,
    key: String,
    pub(crate) runs: BTreeMap<u64, RunRecord>,
}

impl RunStore {
    /// The cell with this text, and its runs in `cache`. Incomplete lines (the process was killed while
    /// writing) are ignored.
    pub(crate) fn open(cache: &Path, cell: &str, checkpoints: usize) -> Self {
        let key = sha256_hex(&format!("cell {VERSION}\n{cell}"));
        let path = cache.join("runs").join(&key[..2]).join(format!("{}.jsonl", &key[2..34]));
        let mut runs = BTreeMap::new();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() == Some(key.as_str()) {
            for line in lines {
                if let Ok(record) = serde_json::from_str::<RunRecord>(line)
                    && record.regret.len() == checkpoints
                {
                    runs.insert(record.run, record);
                }
            }
        }
        Self { path, key, runs }
    }

    /// The numbers below `count` of the runs that are not finished.
    pub(crate) fn missing(&self, count: u64) -> impl Iterator<Item = u64> + '_ {
        (0..count).filter(|run| !self.runs.contains_key(run))
    }

    /// Appends a run to the file, in one write.
    pub(crate) fn append(&self, record: &RunRecord) -> Result<()> {
        let context = || format!("failed to keep a run in {}", self.path.display());
        output::create_folder(self.path.parent().unwrap_or(Path::new(".")))?;
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path).with_context(context)?;
        let mut line = String::new();
        if file.metadata().with_context(context)?.len() == 0 {
            line = format!("{}\n", self.key);
        }
        // A previous line that was cut off must not swallow this one.
        line += &format!("\n{}\n", serde_json::to_string(record)?);
        file.write_all(line.as_bytes()).with_context(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(run: u64) -> RunRecord {
        RunRecord {
            run,
            seconds: 0.5,
            regret: vec![0.1 + run as f64],
            right: vec![true],
            suboptimal: Vec::new(),
            without_best: Vec::new(),
        }
    }

    #[test]
    fn kept_runs_are_found_again_even_after_a_line_was_cut_off() {
        let cache = tempfile::tempdir().unwrap();
        let cell = RunStore::open(cache.path(), "a", 1);
        assert_eq!(cell.missing(2).collect::<Vec<_>>(), [0, 1]);
        cell.append(&record(1)).unwrap();
        let text = std::fs::read_to_string(&cell.path).unwrap();
        std::fs::write(&cell.path, format!("{text}{{\"run\":0,\"sec")).unwrap();
        cell.append(&record(2)).unwrap();
        let again = RunStore::open(cache.path(), "a", 1);
        assert_eq!(again.runs.values().cloned().collect::<Vec<_>>(), [record(1), record(2)]);
        assert_eq!(again.missing(3).collect::<Vec<_>>(), [0]);
        assert!(RunStore::open(cache.path(), "b", 1).runs.is_empty());
        assert!(RunStore::open(cache.path(), "a", 2).runs.is_empty(), "of other checkpoints");
    }
}
