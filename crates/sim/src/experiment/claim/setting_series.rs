//! The curves of a setting that a claim names, and what claims read of them.

use anyhow::{Result, anyhow};

use super::PointSelection;
use crate::experiment::claim::names::names_curve;
use crate::experiment::series::{Metric, Point, Series};

/// The series of one setting and metric, and those of all other metrics.
pub(super) struct SettingSeries<'a> {
    pub(super) setting: String,
    /// The setting as it is named beside numbers.
    pub(super) label: String,
    pub(super) series: Vec<&'a Series>,
    pub(super) all_metrics: &'a [Series],
}

impl<'a> SettingSeries<'a> {
    pub(super) fn curve(&self, name: &str) -> Result<&'a Series> {
        find_curve(&self.series, name).ok_or_else(|| anyhow!("{}: no curve {name:?} was measured", self.setting))
    }

    pub(super) fn other_metric(&self, name: &str, metric: Metric) -> Result<&'a Series> {
        let series: Vec<&Series> =
            self.all_metrics.iter().filter(|s| s.setting == self.setting && s.metric == metric).collect();
        find_curve(&series, name)
            .ok_or_else(|| anyhow!("{}: no {} of {name:?} was measured", self.setting, metric.name()))
    }
}

/// The curve of this name, or else the first with this name before its parameters.
fn find_curve<'a>(series: &[&'a Series], name: &str) -> Option<&'a Series> {
    let is_prefixed = |s: &&&Series| names_curve(name, &s.curve);
    series.iter().find(|s| s.curve == name).or_else(|| series.iter().find(is_prefixed)).copied()
}

pub(super) fn points_at(selection: PointSelection, series: &Series) -> Vec<&Point> {
    let points = &series.points;
    match selection {
        PointSelection::Last => points.last().into_iter().collect(),
        PointSelection::All => points.iter().collect(),
        PointSelection::From(x) => points.iter().filter(|point| point.x >= x).collect(),
        PointSelection::UpTo(x) => points.iter().filter(|point| point.x <= x).collect(),
        PointSelection::Near(x) => {
            let distance = |point: &Point| (libm::log(point.x.max(1e-9)) - libm::log(x)).abs();
            points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).into_iter().collect()
        }
    }
}

pub(super) fn mean(point: &Point) -> f64 {
    point.spread().mean
}

/// The remark that a number lies within two standard `error`s of the threshold of the claim, `distance` away.
pub(super) fn remark(distance: f64, error: f64) -> &'static str {
    if error > 0.0 && distance.abs() <= 2.0 * error { " (within two standard errors)" } else { "" }
}

/// The first remark of several that has words.
pub(super) fn first_remark(mut remarks: impl Iterator<Item = &'static str>) -> &'static str {
    remarks.find(|remark| !remark.is_empty()).unwrap_or_default()
}
