//! What an experiment came to, and the work that went into it.

use serde::{Deserialize, Serialize};

use crate::experiment::environment::SettingInfo;
use crate::experiment::series::Series;

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) series: Vec<Series>,
    pub(crate) settings: Vec<SettingInfo>,
    /// Rows of a table, of experiments that are one.
    pub(crate) table: Option<Table>,
    pub(crate) work: Work,
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
pub(crate) struct Work {
    /// Runs played now; the others were known.
    pub(crate) played: u64,
    /// Seconds spent on opening data, truths and matrices now.
    pub(crate) preparing: f64,
    /// Seconds of one thread and steps of all runs, those known before too, by setting and algorithm.
    pub(crate) cells: Vec<CellWork>,
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
    pub(crate) fn add(&mut self, setting: &str, algorithm: &str, seconds: f64, steps: u64) {
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
