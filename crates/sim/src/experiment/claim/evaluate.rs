//! Tests claims on the measurements.

use anyhow::{Result, anyhow};
use output::numbers::with_unit;
use output::numbers::{number, significant};

use super::setting_series::{SettingSeries, first_remark, mean, points_at, remark};
use super::setting_trends::{flat, grows, trend};
use super::shape::{crossing, slower};
use super::{Between, Claim, ClaimResult, PointSelection, Test, TestedClaim};
use crate::experiment::series::{Point, Series};

/// Tests `claim` on measurements at `scale`, where 1 is the paper's size; `synthetic` is whether a setting's data are synthetic.
///
/// Below the paper's size the claim stays open, whatever the numbers.
#[must_use]
pub(crate) fn evaluate(claim: &Claim, series: &[Series], scale: f64, synthetic: impl Fn(&str) -> bool) -> TestedClaim {
    let (verdict, numbers) = match test(claim, series, &synthetic) {
        Ok((held, numbers)) => (if held { ClaimResult::Held } else { ClaimResult::DidNotHold }, numbers),
        Err(error) => (ClaimResult::NotTested, format!("{error:#}")),
    };
    let about = settings(claim, series);
    let lookalike = about.iter().any(|setting| synthetic(setting));
    let all_lookalike = about.iter().all(|setting| synthetic(setting));
    let (verdict, numbers) = match verdict {
        ClaimResult::Held | ClaimResult::DidNotHold if claim.needs_real_data && lookalike => {
            (ClaimResult::NeedsRealData, format!("the look-alike gives: {numbers}"))
        }
        verdict if lookalike && all_lookalike && verdict != ClaimResult::NotTested => {
            (verdict, format!("on the look-alike: {numbers}"))
        }
        verdict => (verdict, numbers),
    };
    let (verdict, numbers) = match verdict {
        ClaimResult::Held | ClaimResult::DidNotHold if scale < 1.0 => {
            (ClaimResult::Open, format!("at a scale of {scale}: {numbers}"))
        }
        verdict => (verdict, numbers),
    };
    TestedClaim {
        says: claim.statement.clone(),
        place: claim.paper_place.clone(),
        verdict,
        numbers,
        comment: claim.comment.clone(),
    }
}

/// The settings that a claim is about, in the claim's order if it names any.
fn settings(claim: &Claim, all_series: &[Series]) -> Vec<String> {
    let mut measured: Vec<&str> = Vec::new();
    for series in all_series {
        if !measured.contains(&series.setting.as_str()) {
            measured.push(&series.setting);
        }
    }
    if claim.settings.is_empty() {
        return measured.into_iter().map(str::to_owned).collect();
    }
    let mut chosen = Vec::new();
    for pattern in &claim.settings {
        let exact = measured.iter().filter(|name| *name == pattern);
        let by_prefix = measured.iter().filter(|name| name.starts_with(pattern.as_str()));
        let matches: Vec<&&str> =
            if measured.contains(&pattern.as_str()) { exact.collect() } else { by_prefix.collect() };
        chosen.extend(matches.into_iter().map(|name| (*name).to_owned()));
    }
    chosen
}

/// `149,000 ± 10,000`: mean and standard error.
fn mean_and_error(point: &Point) -> String {
    let spread = point.spread();
    if spread.standard_error > 0.0 {
        format!("{} ± {}", significant(spread.mean), significant(spread.standard_error))
    } else {
        number(spread.mean)
    }
}

fn test(claim: &Claim, all_series: &[Series], synthetic: &impl Fn(&str) -> bool) -> Result<(bool, String)> {
    let names = settings(claim, all_series);
    anyhow::ensure!(!names.is_empty(), "none of the settings {:?} was measured", claim.settings);
    let first_metric = all_series.first().map_or("", |series| series.metric.name());
    let metric = claim.metric.as_deref().unwrap_or(first_metric);
    // Where all settings are look-alikes, one remark before the numbers is enough.
    let mixed = names.iter().any(|name| !synthetic(name));
    let settings: Vec<SettingSeries<'_>> = names
        .into_iter()
        .map(|setting| {
            let series = all_series.iter().filter(|s| s.setting == setting && s.metric.name() == metric).collect();
            let lookalike = if mixed && synthetic(&setting) { " (look-alike)" } else { "" };
            SettingSeries { label: format!("{setting}{lookalike}"), setting, series, all_metrics: all_series }
        })
        .collect();
    match &claim.test {
        Test::Grows(pair) => grows(&settings, pair, claim.points),
        Test::Trend { curve, rises, factor } => trend(&settings, curve, *rises, *factor, claim.points),
        Test::Flat(curve, factor) => flat(&settings, curve, *factor, claim.points),
        test => {
            let (mut held, mut numbers) = (true, Vec::new());
            for setting in &settings {
                let (holds, numbers_text) = test_setting(test, setting, claim.points)?;
                held &= holds;
                let name = if setting.setting.is_empty() { String::new() } else { format!("{}: ", setting.label) };
                numbers.push(format!("{name}{numbers_text}"));
            }
            Ok((held, numbers.join("; ")))
        }
    }
}

fn test_setting(test: &Test, setting: &SettingSeries<'_>, selection: PointSelection) -> Result<(bool, String)> {
    match test {
        Test::Extreme { curve, against, highest } => extreme(setting, curve, against, *highest, selection),
        Test::Ratio([a, b], between) => ratio(setting, [setting.curve(a)?, setting.curve(b)?], *between, selection),
        Test::Each { curve, values, tolerance } => each_value(setting.curve(curve)?, values, *tolerance),
        Test::Value(curve, between) => value(setting.curve(curve)?, *between, selection),
        Test::Reaches { curve, level, rival, deadline } => {
            let rival = rival.as_ref().map(|(name, times)| Ok::<_, anyhow::Error>((setting.curve(name)?, *times)));
            reaches_level(setting.curve(curve)?, *level, rival.transpose()?, *deadline)
        }
        Test::NearBest(curve, factor) => near_best(setting, curve, *factor, selection),
        Test::Linear(curve, runs) => linear(setting.curve(curve)?, *runs),
        Test::BestWorseThanMean([a, b]) => {
            let final_spread =
                |series: &Series| series.last_point().map(Point::spread).ok_or_else(|| anyhow!("nothing measured"));
            let (a, b) = (final_spread(setting.curve(a)?)?, final_spread(setting.curve(b)?)?);
            Ok((a.min > b.mean, format!("best run {}, mean {}", significant(a.min), significant(b.mean))))
        }
        Test::Crossing { pair, paper, tolerance } => crossing(setting, pair, paper, *tolerance),
        Test::Slower(pair) => slower(setting, pair, selection),
        Test::BelowBound(curve, bound) => below_bound(setting.curve(curve)?, setting.curve(bound)?),
        Test::Grows(_) | Test::Trend { .. } | Test::Flat(..) => unreachable!("tested over settings"),
    }
}

fn extreme(
    setting: &SettingSeries<'_>,
    name: &str,
    against: &[String],
    highest: bool,
    selection: PointSelection,
) -> Result<(bool, String)> {
    let curve = setting.curve(name)?;
    let rival_curves: Vec<&Series> = if against.is_empty() {
        setting.series.iter().filter(|s| s.curve != curve.curve && !is_bound(s)).copied().collect()
    } else {
        against.iter().map(|name| setting.curve(name)).collect::<Result<_>>()?
    };
    let (mut held, mut numbers) = (true, Vec::new());
    for point in points_at(selection, curve) {
        let rivals = rival_curves.iter().filter_map(|s| Some((s.point_at(point.x)?, &s.curve)));
        let better = |a: f64, b: f64| if highest { a > b } else { a < b };
        let best = rivals.reduce(|a, b| if better(mean(b.0), mean(a.0)) { b } else { a });
        let Some((rival, name)) = best else { continue };
        let ahead = !better(mean(rival), mean(point));
        held &= ahead;
        let [own_spread, rival_spread] = [point, rival].map(Point::spread);
        let remark_text =
            remark(own_spread.mean - rival_spread.mean, own_spread.standard_error.hypot(rival_spread.standard_error));
        let x = x_prefix(selection, point);
        numbers.push(format!(
            "{x}{} {}, next {name} {}{remark_text}",
            curve.curve,
            mean_and_error(point),
            mean_and_error(rival)
        ));
    }
    anyhow::ensure!(!numbers.is_empty(), "{}: nothing to compare at these x", setting.setting);
    Ok((held, shortened(&numbers)))
}

/// The x of a point, where it is not clear.
fn x_prefix(selection: PointSelection, point: &Point) -> String {
    if selection == PointSelection::Last { String::new() } else { format!("at {} ", number(point.x)) }
}

fn is_bound(series: &Series) -> bool {
    series.curve.ends_with("bound")
}

fn shortened(numbers: &[String]) -> String {
    match numbers {
        [first, .., last] if numbers.len() > 3 => format!("{first}; ...; {last}"),
        _ => numbers.join("; "),
    }
}

fn ratio(
    setting: &SettingSeries<'_>,
    [a, b]: [&Series; 2],
    between: Between,
    selection: PointSelection,
) -> Result<(bool, String)> {
    let (mut held, mut numbers, mut differ) = (true, Vec::new(), false);
    for point in points_at(selection, a) {
        let Some(denominator) = b.point_at(point.x) else { continue };
        let ratio = mean(point) / mean(denominator);
        held &= between.holds(ratio);
        let [numerator_spread, denominator_spread] = [point, denominator].map(Point::spread);
        differ |= numerator_spread.mean != denominator_spread.mean
            || numerator_spread.standard_error > 0.0
            || denominator_spread.standard_error > 0.0;
        let remark_text = first_remark(between.ends().map(|times| {
            remark(
                numerator_spread.mean - times * denominator_spread.mean,
                numerator_spread.standard_error.hypot(times * denominator_spread.standard_error),
            )
        }));
        let x = x_prefix(selection, point);
        let [numerator_spread, denominator_spread] = [point, denominator].map(mean_and_error);
        numbers.push(format!("{x}{numerator_spread} / {denominator_spread} = {}{remark_text}", significant(ratio)));
    }
    anyhow::ensure!(!numbers.is_empty(), "{}: nothing to compare at these x", setting.setting);
    // Such numbers hold whatever the claim, e.g. accuracies that have all reached 1.
    anyhow::ensure!(differ, "{}: the same in every run: {}", setting.setting, shortened(&numbers));
    Ok((held, shortened(&numbers)))
}

fn value(curve: &Series, between: Between, selection: PointSelection) -> Result<(bool, String)> {
    let points = points_at(selection, curve);
    anyhow::ensure!(!points.is_empty(), "{}: nothing measured at these x", curve.curve);
    let held = points.iter().all(|point| between.holds(mean(point)));
    let extreme = |least: bool| {
        points.iter().copied().reduce(|a, b| if (mean(b) < mean(a)) == least { b } else { a }).expect("not empty")
    };
    let numbers = if points.len() == 1 {
        let spread = points[0].spread();
        let remark_text = first_remark(between.ends().map(|end| remark(spread.mean - end, spread.standard_error)));
        format!("{}{remark_text}", mean_and_error(points[0]))
    } else {
        let (low, high) = (extreme(true), extreme(false));
        format!("{} (at {}) to {} (at {})", mean_and_error(low), number(low.x), mean_and_error(high), number(high.x))
    };
    Ok((held, numbers))
}

fn each_value(curve: &Series, values: &[f64], tolerance: f64) -> Result<(bool, String)> {
    anyhow::ensure!(
        curve.points.len() == values.len(),
        "{}: {} points for {} values",
        curve.curve,
        curve.points.len(),
        values.len()
    );
    let held = curve.points.iter().zip(values).all(|(point, value)| (mean(point) - value).abs() <= tolerance);
    let numbers: Vec<String> = curve.points.iter().map(|point| format!("{:.1}", mean(point))).collect();
    Ok((held, numbers.join(", ")))
}

fn first_x_at_level(series: &Series, level: f64) -> Option<f64> {
    series.points.iter().find(|point| mean(point) >= level).map(|point| point.x)
}

fn reaches_level(curve: &Series, level: f64, rival: Option<(&Series, f64)>, deadline: f64) -> Result<(bool, String)> {
    let reached = |series: &Series, x: Option<f64>| {
        x.map_or_else(|| format!("{} never", series.curve), |x| format!("{} at {}", series.curve, number(x)))
    };
    let own_x = first_x_at_level(curve, level);
    let Some((rival_curve, times)) = rival else {
        return Ok((own_x.is_some_and(|x| x <= deadline), reached(curve, own_x)));
    };
    let rival_x = first_x_at_level(rival_curve, level);
    let held = own_x.is_some_and(|own_x| rival_x.is_none_or(|rival_x| rival_x >= times * own_x));
    Ok((held, format!("{}, {}", reached(curve, own_x), reached(rival_curve, rival_x))))
}

fn near_best(
    setting: &SettingSeries<'_>,
    name: &str,
    max_factor: f64,
    selection: PointSelection,
) -> Result<(bool, String)> {
    let curve = setting.curve(name)?;
    let (mut held, mut worst) = (true, None::<(f64, String)>);
    for point in points_at(selection, curve) {
        let rivals =
            setting.series.iter().filter(|s| !is_bound(s)).filter_map(|s| Some((s.point_at(point.x)?, &s.curve)));
        let Some((best, name)) = rivals.min_by(|a, b| mean(a.0).total_cmp(&mean(b.0))) else { continue };
        let factor = mean(point) / mean(best);
        held &= factor <= max_factor;
        if worst.as_ref().is_none_or(|(worst_factor, _)| factor > *worst_factor) {
            let [own_spread, best_spread] = [point, best].map(Point::spread);
            let error = own_spread.standard_error.hypot(max_factor * best_spread.standard_error);
            let remark_text =
                if name == &curve.curve { "" } else { remark(own_spread.mean - max_factor * best_spread.mean, error) };
            let sentence =
                format!("at most {} times the best ({name} at {}){remark_text}", significant(factor), number(point.x));
            worst = Some((factor, sentence));
        }
    }
    worst.map(|(_, sentence)| (held, sentence)).ok_or_else(|| anyhow!("nothing to compare at these x"))
}

fn linear(curve: &Series, runs: usize) -> Result<(bool, String)> {
    let end_point = curve.last_point().ok_or_else(|| anyhow!("nothing measured"))?;
    let half_point = curve.points.iter().rev().find(|point| point.x <= end_point.x / 2.0);
    let half_point = half_point.ok_or_else(|| anyhow!("no checkpoint at half of the time"))?;
    anyhow::ensure!(!half_point.values.is_empty(), "the single runs at half of the time are in no file");
    // The regret of a run that keeps comparing a wrong ranker is linear to the end; the regret of a run that has
    // converged hardly grows.
    let pairs = end_point.values.iter().zip(&half_point.values);
    let share = |(end, middle): (&f64, &f64)| (end - middle) / end.max(1e-300);
    let linear_share = 1.0 - half_point.x / end_point.x;
    let stuck = pairs.filter(|pair| share(*pair) > 0.7 * linear_share).count();
    Ok((stuck >= runs, format!("{stuck} of {} linearly to the end", runs_grow(end_point.values.len()))))
}

/// `1 run grows`, `300 runs grow`.
fn runs_grow(runs: usize) -> String {
    format!("{} {}", with_unit(runs as u64, "run"), if runs == 1 { "grows" } else { "grow" })
}

fn below_bound(curve: &Series, bound: &Series) -> Result<(bool, String)> {
    let pairs: Vec<(f64, f64, f64)> =
        curve.points.iter().filter_map(|point| Some((point.x, mean(point), mean(bound.point_at(point.x)?)))).collect();
    let end = pairs.last().ok_or_else(|| anyhow!("no bound at these x"))?;
    // A step costs at most 1.
    anyhow::ensure!(
        pairs.iter().any(|(x, _, bound)| bound < x),
        "{} at {} steps is more than any algorithm can lose",
        significant(end.2),
        number(end.0)
    );
    let held = pairs.iter().all(|(_, regret, bound)| regret <= bound);
    let numbers =
        format!("{} against {}, {} times", significant(end.1), significant(end.2), significant(end.2 / end.1));
    Ok((held, numbers))
}
