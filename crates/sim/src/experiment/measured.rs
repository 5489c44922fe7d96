//! What an experiment came to, and the work that went into it.

use serde::{Deserialize, Serialize};

use super::series::Series;
use super::stage::SettingInfo;

/// Everything that was measured.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) series: Vec<Series>,
    pub(super) settings: Vec<SettingInfo>,
    /// Rows of a table, of experiments that are one.
    pub(super) table: Option<Table>,
    pub(super) work: Work,
}

/// A table to be shown as it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Table {
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// What it took: for `timings.json` alone.
#[derive(Default)]
pub(super) struct Work {
    /// Runs played now; the others were known.
    pub(super) played: u64,
    /// Seconds spent on opening data, truths and matrices now.
    pub(super) preparing: f64,
    /// Seconds of one thread and steps of all runs, those known before too, by setting and algorithm.
    pub(super) cells: Vec<CellWork>,
}

/// The work in one setting by one algorithm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CellWork {
    /// What was played on.
    pub setting: String,
    /// Whose runs.
    pub algorithm: String,
    /// Seconds of one thread, over all runs.
    pub seconds: f64,
    /// Steps, over all runs.
    pub steps: u64,
}

impl Work {
    pub(super) fn add(&mut self, setting: &str, algorithm: &str, seconds: f64, steps: u64) {
        match self.cells.iter_mut().find(|cell| cell.setting == setting && cell.algorithm == algorithm) {
            Some(cell) => {
                cell.seconds += seconds;
                cell.steps += steps;
            }
            None => self.cells.push(CellWork {
                setting: setting.to_owned(),
                algorithm: algorithm.to_owned(),
                seconds,
                steps,
            }),
        }
    }
}
