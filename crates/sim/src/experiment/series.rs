//! What an experiment measured: curves with one value per run, which figures are drawn from and
//! claims are tested on.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::output;
use crate::output::numbers::{number, significant};
use crate::results::Spread;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Cumulative regret.
    Regret,
    /// 1 where the best arm is recommended, else 0.
    Accuracy,
    /// The share of steps that compare suboptimal rankers.
    Suboptimal,
    /// The share of steps that do not compare the best ranker at all.
    WithoutBest,
    /// How often random sets of rankers have a property.
    Probability,
    /// A difference of preferences.
    Gap,
    /// Gamma of relaxed stochastic transitivity.
    Gamma,
    /// The percentage of rankers that seem to beat the best.
    Distortion,
    /// A number of things.
    Count,
}

impl Metric {
    /// How claims and files name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::Accuracy => "accuracy",
            Self::Suboptimal => "suboptimal",
            Self::WithoutBest => "without the best",
            Self::Probability => "probability",
            Self::Gap => "gap",
            Self::Gamma => "gamma",
            Self::Distortion => "distortion",
            Self::Count => "count",
        }
    }

    /// The largest value that it can take.
    #[must_use]
    pub fn max(self) -> f64 {
        match self {
            Self::Suboptimal => 1.0,
            Self::Distortion => 100.0,
            _ => f64::INFINITY,
        }
    }
}

/// One measured curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The setting it was measured in.
    pub setting: String,
    /// What the curve belongs to: an algorithm's short name, a property.
    pub curve: String,
    /// What was measured.
    pub metric: Metric,
    /// Its points, by increasing x.
    pub points: Vec<Point>,
}

/// The values of all runs at one x.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// A step or a number of rankers.
    pub x: f64,
    /// One value per run; a single value where nothing is random.
    pub values: Vec<f64>,
}

impl Point {
    /// A point with a single value.
    #[must_use]
    pub fn single(x: f64, value: f64) -> Self {
        Self { x, values: vec![value] }
    }

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

    /// The points that summaries list: all points of short curves, the last point of long ones.
    fn listed(&self) -> &[Point] {
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

/// A point as summaries list it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The setting it was measured in.
    pub setting: String,
    /// What the curve belongs to.
    pub curve: String,
    /// What was measured.
    pub metric: String,
    /// A step or a number of rankers.
    pub x: f64,
    /// How many runs.
    pub runs: usize,
    /// Mean and spread.
    pub spread: Spread,
}

impl SummaryRow {
    /// The mean as people read it: a single value in full, a mean over runs rounded.
    #[must_use]
    pub fn mean(&self) -> String {
        if self.runs == 1 { number(self.spread.mean) } else { significant(self.spread.mean) }
    }
}

/// The last point of every series; all points of short ones.
#[must_use]
pub fn summary(all: &[Series]) -> Vec<SummaryRow> {
    let rows = |series: &Series| -> Vec<SummaryRow> {
        series
            .listed()
            .iter()
            .map(|point| SummaryRow {
                setting: series.setting.clone(),
                curve: series.curve.clone(),
                metric: series.metric.name().to_owned(),
                x: point.x,
                runs: point.values.len(),
                spread: point.spread(),
            })
            .collect()
    };
    all.iter().flat_map(rows).collect()
}

/// Writes mean and spread of every point to a CSV file.
///
/// # Errors
/// As [`output::write_csv`].
pub fn write_curves(path: &Path, all: &[Series]) -> Result<()> {
    let header =
        ["setting", "curve", "metric", "x", "runs", "mean", "standard_deviation", "standard_error", "min", "max"];
    let rows = all.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let s = point.spread();
            let mut row = vec![series.setting.clone(), series.curve.clone(), series.metric.name().to_owned()];
            row.extend([point.x.to_string(), point.values.len().to_string()]);
            row.extend([s.mean, s.standard_deviation, s.standard_error, s.min, s.max].map(|value| value.to_string()));
            row
        })
    });
    output::write_csv(path, &header, rows)
}

/// Writes every run's value at the last point of each series, at all points of short ones.
///
/// # Errors
/// As [`output::write_csv`].
pub fn write_runs(path: &Path, all: &[Series]) -> Result<()> {
    let mut rows = Vec::new();
    for series in all {
        for point in series.listed() {
            for (run, value) in point.values.iter().enumerate() {
                rows.push([
                    series.setting.clone(),
                    series.curve.clone(),
                    series.metric.name().to_owned(),
                    point.x.to_string(),
                    run.to_string(),
                    value.to_string(),
                ]);
            }
        }
    }
    output::write_csv(path, &["setting", "curve", "metric", "x", "run", "value"], rows)
}
