//! The measurements of an experiment: curves with one value per run. Figures are drawn and claims are tested from them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use output::numbers::{number, significant};
use serde::{Deserialize, Serialize};

use studies::results::SampleSummary;

/// The kinds of measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Cumulative regret.
    Regret,
    /// 1 where the best arm is recommended, else 0.
    Accuracy,
    /// The share of steps that compare suboptimal rankers.
    Suboptimal,
    /// The share of steps that do not compare the best ranker at all.
    WithoutBest,
    /// The frequency of a property among random sets of rankers.
    Probability,
    /// A difference of preferences.
    Gap,
    /// Gamma of relaxed stochastic transitivity.
    Gamma,
    /// The percentage of rankers that seem to beat the best.
    Distortion,
    /// 1 where a pair is ordered wrongly, else 0.
    Error,
    /// A number of things.
    Count,
}

impl Metric {
    const ALL: [Self; 10] = [
        Self::Regret,
        Self::Accuracy,
        Self::Suboptimal,
        Self::WithoutBest,
        Self::Probability,
        Self::Gap,
        Self::Gamma,
        Self::Distortion,
        Self::Error,
        Self::Count,
    ];

    /// The metric with this [name](Self::name).
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether a smaller mean is the better one.
    pub(crate) fn smaller_is_better(self) -> bool {
        self != Self::Accuracy
    }

    /// Its name in claims and files.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::Accuracy => "accuracy",
            Self::Suboptimal => "suboptimal",
            Self::WithoutBest => "without the best",
            Self::Probability => "probability",
            Self::Gap => "gap",
            Self::Gamma => "gamma",
            Self::Distortion => "distortion",
            Self::Error => "error",
            Self::Count => "count",
        }
    }

    /// The largest value that it can take.
    #[must_use]
    pub(crate) fn max(self) -> f64 {
        match self {
            Self::Suboptimal | Self::Error => 1.0,
            Self::Distortion => 100.0,
            _ => f64::INFINITY,
        }
    }
}

/// One measured curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    /// The setting it was measured in.
    pub setting: String,
    /// The owner of the curve: an algorithm's short name, a property.
    pub curve: String,
    /// The measurement.
    pub metric: Metric,
    /// Its points, by increasing x.
    pub points: Vec<Point>,
}

/// The values of all runs at one x.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// A step or a number of rankers.
    pub x: f64,
    /// One value per run; a single value where nothing is random. Empty for a point that was [read] back without a file of its single runs.
    pub values: Vec<f64>,
    /// The number of runs and their spread, of a point that was read back.
    read_summary: Option<(usize, SampleSummary)>,
}

impl Point {
    /// A point with one value per run.
    #[must_use]
    pub(crate) fn new(x: f64, values: Vec<f64>) -> Self {
        Self { x, values, read_summary: None }
    }

    /// A point with a single value.
    #[must_use]
    pub(crate) fn single(x: f64, value: f64) -> Self {
        Self::new(x, vec![value])
    }

    /// The number of runs.
    #[must_use]
    pub(crate) fn runs(&self) -> usize {
        self.read_summary.map_or(self.values.len(), |(runs, _)| runs)
    }

    /// Mean and spread over runs.
    #[must_use]
    pub(crate) fn spread(&self) -> SampleSummary {
        self.read_summary.map_or_else(|| SampleSummary::of(&self.values), |(_, spread)| spread)
    }
}

impl Series {
    /// The last point.
    #[must_use]
    pub(crate) fn last_point(&self) -> Option<&Point> {
        self.points.last()
    }

    /// The points that summaries list: all points of short curves, the last point of long ones.
    fn points_with_values(&self) -> &[Point] {
        const MAX_LISTED: usize = 16;
        let start = if self.points.len() <= MAX_LISTED { 0 } else { self.points.len() - 1 };
        &self.points[start..]
    }

    /// The point at `x`, if there is one.
    #[must_use]
    pub(crate) fn point_at(&self, x: f64) -> Option<&Point> {
        self.points.iter().find(|point| point.x == x)
    }
}

/// A point as summaries list it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The setting it was measured in.
    pub setting: String,
    /// The owner of the curve.
    pub curve: String,
    /// The measurement.
    pub metric: String,
    /// A step or a number of rankers.
    pub x: f64,
    /// The number of runs.
    pub runs: usize,
    /// Mean and spread.
    pub spread: SampleSummary,
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
pub(crate) fn summary(all_series: &[Series]) -> Vec<SummaryRow> {
    let rows = |series: &Series| -> Vec<SummaryRow> {
        series
            .points_with_values()
            .iter()
            .map(|point| SummaryRow {
                setting: series.setting.clone(),
                curve: series.curve.clone(),
                metric: series.metric.name().to_owned(),
                x: point.x,
                runs: point.runs(),
                spread: point.spread(),
            })
            .collect()
    };
    all_series.iter().flat_map(rows).collect()
}

const CURVES: [&str; 10] =
    ["setting", "curve", "metric", "x", "runs", "mean", "standard_deviation", "standard_error", "min", "max"];
const RUNS: [&str; 6] = ["setting", "curve", "metric", "x", "run", "value"];

/// Writes mean and spread of every point to a CSV file.
///
/// # Errors
/// As [`output::write_csv`].
pub(crate) fn write_curves(path: &Path, all_series: &[Series]) -> Result<()> {
    let header = CURVES;
    let rows = all_series.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let s = point.spread();
            let mut row = vec![series.setting.clone(), series.curve.clone(), series.metric.name().to_owned()];
            row.extend([point.x.to_string(), point.runs().to_string()]);
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
pub(crate) fn write_runs(path: &Path, all_series: &[Series]) -> Result<()> {
    let mut rows = Vec::new();
    for series in all_series {
        for point in series.points_with_values() {
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
    output::write_csv(path, &RUNS, rows)
}

/// The series behind the files that [`write_curves`] and [`write_runs`] wrote.
///
/// # Errors
/// If a file cannot be read, or the two do not fit together.
pub(crate) fn read(curves: &Path, runs: &Path) -> Result<Vec<Series>> {
    let mut values: BTreeMap<[String; 4], Vec<f64>> = BTreeMap::new();
    for row in rows(runs, &RUNS)? {
        let [setting, curve, metric, x, run, value] = row;
        let of_point = values.entry([setting, curve, metric, x]).or_default();
        ensure!(run.parse() == Ok(of_point.len()), "{}: runs are not in order", runs.display());
        of_point.push(value.parse()?);
    }
    let mut series: Vec<Series> = Vec::new();
    for row in rows(curves, &CURVES)? {
        let [setting, curve, name, x_text, count, mean, standard_deviation, standard_error, min, max] = row;
        let metric = Metric::find(&name);
        let metric = metric.with_context(|| format!("{}: no metric is called {name}", curves.display()))?;
        let (runs, x) = (count.parse()?, x_text.parse()?);
        let spread = SampleSummary {
            mean: mean.parse()?,
            standard_deviation: standard_deviation.parse()?,
            standard_error: standard_error.parse()?,
            min: min.parse()?,
            max: max.parse()?,
        };
        let values = values.remove(&[setting.clone(), curve.clone(), name, x_text]).unwrap_or_default();
        ensure!(values.is_empty() || values.len() == runs, "{}: runs are missing", curves.display());
        let point = Point { x, values, read_summary: Some((runs, spread)) };
        match series.last_mut().filter(|s| s.setting == setting && s.curve == curve && s.metric == metric) {
            Some(series) => series.points.push(point),
            None => series.push(Series { setting, curve, metric, points: vec![point] }),
        }
    }
    for series in &series {
        let has_all_values = series.points_with_values().iter().all(|point| point.values.len() == point.runs());
        ensure!(has_all_values, "{}: runs of {} are missing", runs.display(), series.curve);
    }
    ensure!(values.is_empty(), "{} has points that {} has not", runs.display(), curves.display());
    Ok(series)
}

/// The rows of a CSV file with this header.
fn rows<const N: usize>(path: &Path, header: &[&str; N]) -> Result<Vec<[String; N]>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("failed to read {}", path.display()))?;
    ensure!(reader.headers()?.iter().eq(header.iter().copied()), "{} has other columns", path.display());
    let row = |row: Result<csv::StringRecord, csv::Error>| {
        let cells: Vec<String> = row?.iter().map(str::to_owned).collect();
        cells.try_into().map_err(|_| anyhow::anyhow!("{} has other columns", path.display()))
    };
    reader.records().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let [curves, runs] = ["curves.csv", "runs.csv"].map(|name| folder.path().join(name));
        let series = |curve: &str, points: usize| Series {
            setting: "a, \"b\"".to_owned(),
            curve: curve.to_owned(),
            metric: Metric::Regret,
            points: (0..points)
                .map(|at| Point::new(at as f64, vec![0.1 * at as f64, 1.0 / 3.0, -2.5e-7 * at as f64]))
                .collect(),
        };
        let all = [series("short", 3), series("long", 40)];
        let write = |all: &[Series]| {
            write_curves(&curves, all).unwrap();
            write_runs(&runs, all).unwrap();
            [&curves, &runs].map(|path| std::fs::read(path).unwrap())
        };
        let written = write(&all);
        let again = read(&curves, &runs).unwrap();
        assert_eq!((again[0].points[2].values.len(), again[1].points[2].values.len()), (3, 0));
        for (one, other) in all.iter().zip(&again) {
            let spreads = |series: &Series| series.points.iter().map(Point::spread).collect::<Vec<_>>();
            assert_eq!(spreads(one), spreads(other));
        }
        assert_eq!(write(&again), written);
        // Files that do not fit together.
        write_runs(&runs, &all[..1]).unwrap();
        assert!(read(&curves, &runs).is_err());
        std::fs::write(&curves, "x,y\n").unwrap();
        assert!(read(&curves, &runs).is_err());
    }
}
