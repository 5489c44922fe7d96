//! Tests of claims that compare settings with each other.

use anyhow::{Result, anyhow};
use output::numbers::significant;

use super::setting_series::{SettingSeries, chosen, first_of, mean, remark};
use super::{At, Between};
use crate::experiment::series::Point;

/// The point of `name` that a claim is about; the last of several.
fn point<'a>(here: &SettingSeries<'a>, name: &str, at: At) -> Result<&'a Point> {
    chosen(at, here.curve(name)?).last().copied().ok_or_else(|| anyhow!("nothing measured"))
}

/// A number with its standard error.
type Estimate = (f64, f64);

fn estimate(point: &Point) -> Estimate {
    let spread = point.spread();
    (spread.mean, spread.standard_error)
}

/// The remark on `later`, which should exceed `times` what `earlier` is.
fn remark_on((earlier, first): Estimate, (later, second): Estimate, times: f64) -> &'static str {
    remark(later - times * earlier, second.hypot(times * first))
}

/// Whether the mean of `a` divided by the mean of `b` grows from each setting to the next.
pub(super) fn grows(here: &[SettingSeries<'_>], [a, b]: &[String; 2], at: At) -> Result<(bool, String)> {
    let mut ratios = Vec::new();
    for here in here {
        let point = point(here, a, at)?;
        let other = here.curve(b)?.at(point.x).ok_or_else(|| anyhow!("nothing measured"))?;
        let ((one, first), (two, second)) = (estimate(point), estimate(other));
        ratios.push((here.label.as_str(), (one / two, one / two * (first / one).hypot(second / two))));
    }
    let held = ratios.windows(2).all(|pair| pair[1].1.0 > pair[0].1.0);
    let numbers = in_order(&ratios);
    Ok((held, format!("{a} / {b}: {numbers}")))
}

/// The numbers of settings, each but the first with the remark on its distance from the one before.
fn in_order(values: &[(&str, Estimate)]) -> String {
    let before = std::iter::once(None).chain(values.iter().map(|(_, value)| Some(*value)));
    let numbers = values.iter().zip(before).map(|((name, value), before)| {
        let remark = before.map_or("", |before| remark_on(before, *value, 1.0));
        format!("{name}: {}{remark}", significant(value.0))
    });
    numbers.collect::<Vec<_>>().join(", ")
}

/// Whether a mean rises, or shrinks, from each setting to the next, by this `factor` in total.
pub(super) fn trend(
    here: &[SettingSeries<'_>],
    name: &str,
    rises: bool,
    factor: Between,
    at: At,
) -> Result<(bool, String)> {
    let mut values = Vec::new();
    for here in here {
        values.push((here.label.as_str(), estimate(point(here, name, at)?)));
    }
    let mut steps: Vec<Estimate> = values.iter().map(|(_, value)| *value).collect();
    if !rises {
        steps.reverse();
    }
    let (least, most) = (steps[0], steps[steps.len() - 1]);
    let held = steps.windows(2).all(|pair| pair[1].0 >= pair[0].0) && factor.holds(most.0 / least.0);
    let mut numbers = in_order(&values);
    if factor != (Between { above: 1.0, below: f64::INFINITY }) {
        let unsure = first_of(factor.ends().map(|times| remark_on(least, most, times)));
        numbers = format!("{numbers}; a factor of {}{unsure}", significant(most.0 / least.0));
    }
    Ok((held, numbers))
}

/// Whether the largest mean of all settings and points is at most `within` times the smallest.
pub(super) fn flat(here: &[SettingSeries<'_>], name: &str, within: f64, at: At) -> Result<(bool, String)> {
    let mut values = Vec::new();
    for here in here {
        values.extend(chosen(at, here.curve(name)?));
    }
    let low = values.iter().copied().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let high = values.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let (Some(low), Some(high)) = (low, high) else { return Err(anyhow!("nothing measured")) };
    let (low, high) = (estimate(low), estimate(high));
    anyhow::ensure!(low.0 > 0.0 && low.0.is_finite(), "nothing measured above zero");
    let factor = high.0 / low.0;
    let numbers = format!("{} to {}, a factor of {}", significant(low.0), significant(high.0), significant(factor));
    Ok((high.0 <= within * low.0, format!("{numbers}{}", remark_on(low, high, within))))
}
