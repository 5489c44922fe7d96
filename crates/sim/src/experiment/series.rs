//! What an experiment measured: curves of values, one a run, that figures are drawn from and claims
//! are tested on.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::output;
use crate::output::numbers::{number, significant};
use crate::results::Spread;

/// One measured curve: something, of somebody, somewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it was played on.
    pub setting: String,
    /// Whose it is: an algorithm's short name, a property.
    pub curve: String,
    /// What was measured: `regret`, `accuracy`, `suboptimal`, `probability` ...
    pub metric: &'static str,
    /// Its points, x rising.
    pub points: Vec<Point>,
}

/// The values of all runs at one x.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// A step, a number of rankers.
    pub x: f64,
    /// One value a run; a single one where nothing was left to chance.
    pub values: Vec<f64>,
}

impl Point {
    /// Mean and spread over runs.
    #[must_use]
    pub fn spread(&self) -> Spread {
        Spread::of(&self.values)
    }
}

impl Series {
    /// The last point.
    #[must_use]
    pub fn last(&self) -> Option<&Point> {
        self.points.last()
    }

    /// All points where they are few, the last one of many.
    fn telling(&self) -> &[Point] {
        const FEW: usize = 16;
        let from = if self.points.len() <= FEW { 0 } else { self.points.len() - 1 };
        &self.points[from..]
    }

    /// The point at `x`, if there is one.
    #[must_use]
    pub fn at(&self, x: f64) -> Option<&Point> {
        self.points.iter().find(|point| point.x == x)
    }
}

/// A point as the summary tells it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SummaryRow {
    /// What it was played on.
    pub setting: String,
    /// Whose it is.
    pub curve: String,
    /// What was measured.
    pub metric: String,
    /// A step, a number of rankers.
    pub x: f64,
    /// How many runs.
    pub runs: usize,
    /// Mean and spread.
    pub spread: Spread,
}

impl SummaryRow {
    /// The mean to read: a single value as it is, if it is whole.
    #[must_use]
    pub fn mean(&self) -> String {
        if self.runs == 1 { number(self.spread.mean) } else { significant(self.spread.mean) }
    }
}

/// The last point of every series, or all points where there are few.
#[must_use]
pub fn summary(all: &[Series]) -> Vec<SummaryRow> {
    let rows = |series: &Series| -> Vec<SummaryRow> {
        series
            .telling()
            .iter()
            .map(|point| SummaryRow {
                setting: series.setting.clone(),
                curve: series.curve.clone(),
                metric: series.metric.to_owned(),
                x: point.x,
                runs: point.values.len(),
                spread: point.spread(),
            })
            .collect()
    };
    all.iter().flat_map(rows).collect()
}

/// Writes mean and spread of every point.
///
/// # Errors
/// As [`output::write_csv`].
pub fn write_curves(path: &Path, all: &[Series]) -> Result<()> {
    let header =
        ["setting", "curve", "metric", "x", "runs", "mean", "standard_deviation", "standard_error", "min", "max"];
    let rows = all.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let s = point.spread();
            let mut row = vec![series.setting.clone(), series.curve.clone(), series.metric.to_owned()];
            row.extend([point.x.to_string(), point.values.len().to_string()]);
            row.extend([s.mean, s.standard_deviation, s.standard_error, s.min, s.max].map(|value| value.to_string()));
            row
        })
    });
    output::write_csv(path, &header, rows)
}

/// Writes every run's value at the last point of each series, or at all points where there are few.
///
/// # Errors
/// As [`output::write_csv`].
pub fn write_runs(path: &Path, all: &[Series]) -> Result<()> {
    let mut rows = Vec::new();
    for series in all {
        for point in series.telling() {
            for (run, value) in point.values.iter().enumerate() {
                rows.push([
                    series.setting.clone(),
                    series.curve.clone(),
                    series.metric.to_owned(),
                    point.x.to_string(),
                    run.to_string(),
                    value.to_string(),
                ]);
            }
        }
    }
    output::write_csv(path, &["setting", "curve", "metric", "x", "run", "value"], rows)
}
