//! Tests of claims about the shape of two curves.

use anyhow::{Result, anyhow};
use output::numbers::{number, significant};

use super::setting_series::{SettingSeries, mean, points_at, remark};
use super::{PaperCrossing, PointSelection};
use crate::experiment::series::{Metric, Point, Series};

/// Whether the first curve falls below the second, and the paper's numbers of that are near.
pub(super) fn crossing(
    setting: &SettingSeries<'_>,
    [a, b]: &[String; 2],
    paper: &PaperCrossing,
    tolerance: f64,
) -> Result<(bool, String)> {
    let (faller, rival) = (setting.curve(a)?, setting.curve(b)?);
    let is_above = |point: &&Point| rival.point_at(point.x).is_some_and(|other| mean(point) > mean(other));
    let Some(last_above) = faller.points.iter().rposition(|point| is_above(&point)) else {
        return Ok((false, format!("{a} is below {b} from the start")));
    };
    let Some(crossing) = faller.points.get(last_above + 1) else {
        return Ok((false, format!("{a} is still above {b} at the end")));
    };
    let t0 = crossing.x;
    let share = |name: &str, metric: Metric, x: f64| -> Result<f64> {
        let series = setting.other_metric(name, metric)?;
        let matches = points_at(PointSelection::Near(x), series);
        matches.first().map(|point| mean(point)).ok_or_else(|| anyhow!("no share measured"))
    };
    let shares_of_both =
        |metric: Metric, x: f64| -> Result<[f64; 2]> { Ok([share(a, metric, x)?, share(b, metric, x)?]) };
    let (suboptimal_before, suboptimal_then) =
        (shares_of_both(Metric::Suboptimal, t0 / 2.0)?, shares_of_both(Metric::Suboptimal, t0)?);
    let (without_best_before, without_best) =
        (shares_of_both(Metric::WithoutBest, t0 / 2.0)?, shares_of_both(Metric::WithoutBest, t0)?);
    let mean_later =
        |series| points_at(PointSelection::Near(2.0 * t0), series).first().map(|point| (point.x, mean(point)));
    let (excess, suboptimal_after) = match (mean_later(faller), mean_later(rival)) {
        // Near the end there is no such time.
        (Some((x, a)), Some((_, b))) if x > 1.5 * t0 => {
            (Some(b / a - 1.0), Some(shares_of_both(Metric::Suboptimal, 2.0 * t0)?))
        }
        _ => (None, None),
    };
    let close = |found: f64, paper: f64| (found - paper).abs() <= tolerance;
    let matches = |found: Option<[f64; 2]>, paper: Option<[f64; 2]>| {
        paper.is_none_or(|paper| found.is_some_and(|found| close(found[0], paper[0]) && close(found[1], paper[1])))
    };
    let held = suboptimal_then[0] < suboptimal_then[1]
        && matches(Some(suboptimal_before), paper.shares_before)
        && matches(Some(suboptimal_then), paper.shares_at_crossing)
        && matches(suboptimal_after, paper.shares_after)
        && paper.excess.is_none_or(|paper| excess.is_some_and(|excess| close(excess, paper)));
    let percent = |[a, b]: [f64; 2]| format!("{:.1}% and {:.1}%", 100.0 * a, 100.0 * b);
    let excess =
        excess.map_or_else(String::new, |excess| format!("; at twice the time {b} has {:+.0}%", 100.0 * excess));
    let suboptimal_after = suboptimal_after.map_or_else(String::new, |suboptimal_after| {
        format!(", and {} of steps are suboptimal", percent(suboptimal_after))
    });
    Ok((
        held,
        format!(
            "crossing at {}, suboptimal steps then {} ({a} and {b}), at half of the time {}; steps without the \
             best {} and {}{excess}{suboptimal_after}",
            number(t0),
            percent(suboptimal_then),
            percent(suboptimal_before),
            percent(without_best),
            percent(without_best_before)
        ),
    ))
}

/// The power of x with which the mean of a curve grows, by least squares of the logarithms, and its standard error.
fn power(curve: &Series, range: PointSelection) -> Result<(f64, f64)> {
    let points = points_at(range, curve);
    anyhow::ensure!(points.len() > 1, "{}: one point says nothing about growth", curve.curve);
    anyhow::ensure!(points.iter().all(|point| mean(point) > 0.0), "{}: not above zero everywhere", curve.curve);
    let logarithms: Vec<f64> = points.iter().map(|point| libm::log(point.x)).collect();
    let centre = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    let squares: f64 = logarithms.iter().map(|x| (x - centre).powi(2)).sum();
    let weights = logarithms.iter().map(|x| (x - centre) / squares);
    let (mut power, mut variance) = (0.0, 0.0);
    for (point, weight) in points.iter().zip(weights) {
        let spread = point.spread();
        power += weight * libm::log(spread.mean);
        variance += (weight * spread.standard_error / spread.mean).powi(2);
    }
    Ok((power, variance.sqrt()))
}

/// Whether the mean of the first curve grows by a lower power of x than the second's.
pub(super) fn slower(
    setting: &SettingSeries<'_>,
    [a, b]: &[String; 2],
    selection: PointSelection,
) -> Result<(bool, String)> {
    let ((power_a, error_a), (power_b, error_b)) =
        (power(setting.curve(a)?, selection)?, power(setting.curve(b)?, selection)?);
    let remark_text = remark(power_a - power_b, error_a.hypot(error_b));
    let power_text = |power: f64, error: f64| format!("{} ± {}", significant(power), significant(error));
    Ok((
        power_a < power_b,
        format!(
            "{a} grows by the power {}, {b} by the power {}{remark_text}",
            power_text(power_a, error_a),
            power_text(power_b, error_b)
        ),
    ))
}
