//! Tests of claims about the shape of two curves.

use anyhow::{Result, anyhow};
use output::numbers::{number, significant};

use super::setting_series::{SettingSeries, chosen, mean, remark};
use super::{At, PaperCrossing};
use crate::experiment::series::{Metric, Point, Series};

/// Whether the first curve falls below the second, and the paper's numbers of that are near.
pub(super) fn crossing(
    here: &SettingSeries<'_>,
    [a, b]: &[String; 2],
    paper: &PaperCrossing,
    within: f64,
) -> Result<(bool, String)> {
    let (first, second) = (here.curve(a)?, here.curve(b)?);
    let above = |point: &&Point| second.at(point.x).is_some_and(|other| mean(point) > mean(other));
    let Some(last_above) = first.points.iter().rposition(|point| above(&point)) else {
        return Ok((false, format!("{a} is below {b} from the start")));
    };
    let Some(here_it_is) = first.points.get(last_above + 1) else {
        return Ok((false, format!("{a} is still above {b} at the end")));
    };
    let t0 = here_it_is.x;
    let share = |name: &str, metric: Metric, x: f64| -> Result<f64> {
        let series = here.other_metric(name, metric)?;
        let near = chosen(At::Near(x), series);
        near.first().map(|point| mean(point)).ok_or_else(|| anyhow!("no share measured"))
    };
    let both = |metric: Metric, x: f64| -> Result<[f64; 2]> { Ok([share(a, metric, x)?, share(b, metric, x)?]) };
    let (before, now) = (both(Metric::Suboptimal, t0 / 2.0)?, both(Metric::Suboptimal, t0)?);
    let (neither_before, neither) = (both(Metric::WithoutBest, t0 / 2.0)?, both(Metric::WithoutBest, t0)?);
    let later = |series| chosen(At::Near(2.0 * t0), series).first().map(|point| (point.x, mean(point)));
    let (more, after) = match (later(first), later(second)) {
        // Near the end there is no such time.
        (Some((x, a)), Some((_, b))) if x > 1.5 * t0 => (Some(b / a - 1.0), Some(both(Metric::Suboptimal, 2.0 * t0)?)),
        _ => (None, None),
    };
    let close = |found: f64, paper: f64| (found - paper).abs() <= within;
    let near = |found: Option<[f64; 2]>, paper: Option<[f64; 2]>| {
        paper.is_none_or(|paper| found.is_some_and(|found| close(found[0], paper[0]) && close(found[1], paper[1])))
    };
    let held = now[0] < now[1]
        && near(Some(before), paper.before)
        && near(Some(now), paper.shares)
        && near(after, paper.after)
        && paper.excess.is_none_or(|paper| more.is_some_and(|more| close(more, paper)));
    let percent = |[a, b]: [f64; 2]| format!("{:.1}% and {:.1}%", 100.0 * a, 100.0 * b);
    let more = more.map_or_else(String::new, |more| format!("; at twice the time {b} has {:+.0}%", 100.0 * more));
    let after = after.map_or_else(String::new, |after| format!(", and {} of steps are suboptimal", percent(after)));
    Ok((
        held,
        format!(
            "crossing at {}, suboptimal steps then {} ({a} and {b}), at half of the time {}; steps without the \
             best {} and {}{more}{after}",
            number(t0),
            percent(now),
            percent(before),
            percent(neither),
            percent(neither_before)
        ),
    ))
}

/// The power of x with which the mean of a curve grows, by least squares of the logarithms, and its standard error.
fn power(curve: &Series, at: At) -> Result<(f64, f64)> {
    let points = chosen(at, curve);
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
pub(super) fn slower(here: &SettingSeries<'_>, [a, b]: &[String; 2], at: At) -> Result<(bool, String)> {
    let ((first, error), (second, other)) = (power(here.curve(a)?, at)?, power(here.curve(b)?, at)?);
    let unsure = remark(first - second, error.hypot(other));
    let shown = |power: f64, error: f64| format!("{} ± {}", significant(power), significant(error));
    Ok((
        first < second,
        format!("{a} grows by the power {}, {b} by the power {}{unsure}", shown(first, error), shown(second, other)),
    ))
}
