//! Tests of claims that compare settings with each other.

use anyhow::{Result, anyhow};
use output::numbers::significant;

use super::setting_series::{SettingSeries, first_remark, mean, points_at, remark};
use super::{Between, PointSelection};
use crate::experiment::series::Point;

/// The point of `name` that a claim is about; the last of several.
fn point<'a>(setting: &SettingSeries<'a>, name: &str, selection: PointSelection) -> Result<&'a Point> {
    points_at(selection, setting.curve(name)?).last().copied().ok_or_else(|| anyhow!("nothing measured"))
}

/// A number with its standard error.
type Estimate = (f64, f64);

fn estimate(point: &Point) -> Estimate {
    let spread = point.spread();
    (spread.mean, spread.standard_error)
}

/// The remark on `later`, which should exceed `times` what `earlier` is.
fn remark_on((earlier, earlier_error): Estimate, (later, later_error): Estimate, times: f64) -> &'static str {
    remark(later - times * earlier, later_error.hypot(times * earlier_error))
}

/// Whether the mean of `a` divided by the mean of `b` grows from each setting to the next.
pub(super) fn grows(
    settings: &[SettingSeries<'_>],
    [a, b]: &[String; 2],
    selection: PointSelection,
) -> Result<(bool, String)> {
    let mut ratios = Vec::new();
    for setting in settings {
        let point = point(setting, a, selection)?;
        let denominator = setting.curve(b)?.point_at(point.x).ok_or_else(|| anyhow!("nothing measured"))?;
        let ((mean_a, error_a), (mean_b, error_b)) = (estimate(point), estimate(denominator));
        ratios.push((
            setting.label.as_str(),
            (mean_a / mean_b, mean_a / mean_b * (error_a / mean_a).hypot(error_b / mean_b)),
        ));
    }
    let held = ratios.windows(2).all(|pair| pair[1].1.0 > pair[0].1.0);
    let numbers = joined_values(&ratios);
    Ok((held, format!("{a} / {b}: {numbers}")))
}

/// The numbers of settings, each but the first with the remark on its distance from the one before.
fn joined_values(values: &[(&str, Estimate)]) -> String {
    let previous = std::iter::once(None).chain(values.iter().map(|(_, value)| Some(*value)));
    let numbers = values.iter().zip(previous).map(|((name, value), previous)| {
        let remark = previous.map_or("", |previous| remark_on(previous, *value, 1.0));
        format!("{name}: {}{remark}", significant(value.0))
    });
    numbers.collect::<Vec<_>>().join(", ")
}

/// Whether a mean rises, or shrinks, from each setting to the next, by this `factor` in total.
pub(super) fn trend(
    settings: &[SettingSeries<'_>],
    name: &str,
    rises: bool,
    factor: Between,
    selection: PointSelection,
) -> Result<(bool, String)> {
    let mut values = Vec::new();
    for setting in settings {
        values.push((setting.label.as_str(), estimate(point(setting, name, selection)?)));
    }
    let mut ordered: Vec<Estimate> = values.iter().map(|(_, value)| *value).collect();
    if !rises {
        ordered.reverse();
    }
    let (smallest, largest) = (ordered[0], ordered[ordered.len() - 1]);
    let held = ordered.windows(2).all(|pair| pair[1].0 >= pair[0].0) && factor.holds(largest.0 / smallest.0);
    let mut numbers = joined_values(&values);
    if factor != (Between { above: 1.0, below: f64::INFINITY }) {
        let remark = first_remark(factor.ends().map(|times| remark_on(smallest, largest, times)));
        numbers = format!("{numbers}; a factor of {}{remark}", significant(largest.0 / smallest.0));
    }
    Ok((held, numbers))
}

/// Whether the largest mean of all settings and points is at most `max_factor` times the smallest.
pub(super) fn flat(
    settings: &[SettingSeries<'_>],
    name: &str,
    max_factor: f64,
    selection: PointSelection,
) -> Result<(bool, String)> {
    let mut values = Vec::new();
    for setting in settings {
        values.extend(points_at(selection, setting.curve(name)?));
    }
    let low = values.iter().copied().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let high = values.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let (Some(low), Some(high)) = (low, high) else { return Err(anyhow!("nothing measured")) };
    let (low, high) = (estimate(low), estimate(high));
    anyhow::ensure!(low.0 > 0.0 && low.0.is_finite(), "nothing measured above zero");
    let factor = high.0 / low.0;
    let numbers = format!("{} to {}, a factor of {}", significant(low.0), significant(high.0), significant(factor));
    Ok((high.0 <= max_factor * low.0, format!("{numbers}{}", remark_on(low, high, max_factor))))
}
