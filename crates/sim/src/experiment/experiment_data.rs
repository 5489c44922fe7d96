//! The measurements of an experiment, and the work they took.

use serde::{Deserialize, Serialize};

use crate::experiment::opened_setting::SettingInfo;
use crate::experiment::series::Series;

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct ExperimentData {
    pub(crate) series: Vec<Series>,
    pub(crate) settings: Vec<SettingInfo>,
    /// The table of experiments that are a table.
    pub(crate) table: Option<Table>,
    pub(crate) work: Effort,
}

impl ExperimentData {
    /// The largest x of all series.
    pub(crate) fn last_x(&self) -> f64 {
        self.series.iter().flat_map(|series| &series.points).map(|point| point.x).fold(0.0, f64::max)
    }
}

/// A table for people.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Table {
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// The work it took, for `timings.json` only.
#[derive(Default)]
pub(crate) struct Effort {
    /// Runs played in this call; the others were kept from earlier calls.
    pub(crate) played: u64,
    /// Seconds spent in this call on opening data, truths and matrices.
    pub(crate) preparing: f64,
    /// Seconds of one thread and steps of all runs, kept ones included, by setting and algorithm.
    pub(crate) cells: Vec<CellWork>,
}

/// The work in one setting by one algorithm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CellWork {
    /// The setting.
    pub setting: String,
    /// The algorithm.
    pub algorithm: String,
    /// Seconds of one thread, over all runs.
    pub seconds: f64,
    /// Steps, over all runs.
    pub steps: u64,
}

impl Effort {
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
