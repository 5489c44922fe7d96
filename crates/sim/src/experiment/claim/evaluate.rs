//! Tests claims on the measurements.

use anyhow::{Result, anyhow};
use output::numbers::with_unit;
use output::numbers::{number, significant};

use super::across::{flat, grows, trend};
use super::setting_series::{SettingSeries, chosen, first_of, mean, remark};
use super::shape::{crossing, slower};
use super::{At, Between, Claim, ClaimResult, Test, TestedClaim};
use crate::experiment::series::{Point, Series};

/// Tests `claim` on measurements at `scale`, where 1 is the paper's size; `synthetic` is whether a setting's data are synthetic.
///
/// Below the paper's size the claim stays open, whatever the numbers.
#[must_use]
pub(crate) fn evaluate(claim: &Claim, all: &[Series], scale: f64, synthetic: impl Fn(&str) -> bool) -> TestedClaim {
    let (verdict, numbers) = match test(claim, all, &synthetic) {
        Ok((held, numbers)) => (if held { ClaimResult::Held } else { ClaimResult::DidNotHold }, numbers),
        Err(error) => (ClaimResult::NotTested, format!("{error:#}")),
    };
    let about = settings(claim, all);
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
        says: claim.says.clone(),
        place: claim.place.clone(),
        verdict,
        numbers,
        comment: claim.comment.clone(),
    }
}

/// The settings that a claim is about, in the claim's order if it names any.
fn settings(claim: &Claim, all: &[Series]) -> Vec<String> {
    let mut known: Vec<&str> = Vec::new();
    for series in all {
        if !known.contains(&series.setting.as_str()) {
            known.push(&series.setting);
        }
    }
    if claim.settings.is_empty() {
        return known.into_iter().map(str::to_owned).collect();
    }
    let mut chosen = Vec::new();
    for wanted in &claim.settings {
        let exact = known.iter().filter(|name| *name == wanted);
        let begins = known.iter().filter(|name| name.starts_with(wanted.as_str()));
        let found: Vec<&&str> = if known.contains(&wanted.as_str()) { exact.collect() } else { begins.collect() };
        chosen.extend(found.into_iter().map(|name| (*name).to_owned()));
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

fn test(claim: &Claim, all: &[Series], synthetic: &impl Fn(&str) -> bool) -> Result<(bool, String)> {
    let names = settings(claim, all);
    anyhow::ensure!(!names.is_empty(), "none of the settings {:?} was measured", claim.settings);
    let first = all.first().map_or("", |series| series.metric.name());
    let metric = claim.metric.as_deref().unwrap_or(first);
    // Where all settings are look-alikes, one remark before the numbers is enough.
    let mixed = names.iter().any(|name| !synthetic(name));
    let here: Vec<SettingSeries<'_>> = names
        .into_iter()
        .map(|setting| {
            let series = all.iter().filter(|s| s.setting == setting && s.metric.name() == metric).collect();
            let lookalike = if mixed && synthetic(&setting) { " (look-alike)" } else { "" };
            SettingSeries { label: format!("{setting}{lookalike}"), setting, series, all }
        })
        .collect();
    match &claim.test {
        Test::Grows(pair) => grows(&here, pair, claim.at),
        Test::Trend { of, rises, factor } => trend(&here, of, *rises, *factor, claim.at),
        Test::Flat(curve, within) => flat(&here, curve, *within, claim.at),
        test => {
            let (mut held, mut numbers) = (true, Vec::new());
            for here in &here {
                let (holds, found) = in_one(test, here, claim.at)?;
                held &= holds;
                let name = if here.setting.is_empty() { String::new() } else { format!("{}: ", here.label) };
                numbers.push(format!("{name}{found}"));
            }
            Ok((held, numbers.join("; ")))
        }
    }
}

fn in_one(test: &Test, here: &SettingSeries<'_>, at: At) -> Result<(bool, String)> {
    match test {
        Test::Extreme { of, against, highest } => extreme(here, of, against, *highest, at),
        Test::Ratio([a, b], between) => ratio(here, [here.curve(a)?, here.curve(b)?], *between, at),
        Test::Each { of, values, within } => each(here.curve(of)?, values, *within),
        Test::Value(of, between) => value(here.curve(of)?, *between, at),
        Test::Reaches { who, level, sooner, by } => {
            let sooner = sooner.as_ref().map(|(other, times)| Ok::<_, anyhow::Error>((here.curve(other)?, *times)));
            reaches(here.curve(who)?, *level, sooner.transpose()?, *by)
        }
        Test::NearBest(of, within) => near_best(here, of, *within, at),
        Test::Linear(of, runs) => linear(here.curve(of)?, *runs),
        Test::BestWorseThanMean([a, b]) => {
            let last = |series: &Series| series.last().map(Point::spread).ok_or_else(|| anyhow!("nothing measured"));
            let (a, b) = (last(here.curve(a)?)?, last(here.curve(b)?)?);
            Ok((a.min > b.mean, format!("best run {}, mean {}", significant(a.min), significant(b.mean))))
        }
        Test::Crossing { pair, paper, within } => crossing(here, pair, paper, *within),
        Test::Slower(pair) => slower(here, pair, at),
        Test::BelowBound(of, bound) => below_bound(here.curve(of)?, here.curve(bound)?),
        Test::Grows(_) | Test::Trend { .. } | Test::Flat(..) => unreachable!("tested over settings"),
    }
}

fn extreme(here: &SettingSeries<'_>, of: &str, against: &[String], highest: bool, at: At) -> Result<(bool, String)> {
    let curve = here.curve(of)?;
    let others: Vec<&Series> = if against.is_empty() {
        here.series.iter().filter(|s| s.curve != curve.curve && !is_bound(s)).copied().collect()
    } else {
        against.iter().map(|name| here.curve(name)).collect::<Result<_>>()?
    };
    let (mut held, mut numbers) = (true, Vec::new());
    for point in chosen(at, curve) {
        let rivals = others.iter().filter_map(|s| Some((s.at(point.x)?, &s.curve)));
        let better = |a: f64, b: f64| if highest { a > b } else { a < b };
        let best = rivals.reduce(|a, b| if better(mean(b.0), mean(a.0)) { b } else { a });
        let Some((rival, name)) = best else { continue };
        let ahead = !better(mean(rival), mean(point));
        held &= ahead;
        let [mine, theirs] = [point, rival].map(Point::spread);
        let unsure = remark(mine.mean - theirs.mean, mine.standard_error.hypot(theirs.standard_error));
        let x = if at == At::Last { String::new() } else { format!("at {} ", number(point.x)) };
        numbers.push(format!(
            "{x}{} {}, next {name} {}{unsure}",
            curve.curve,
            mean_and_error(point),
            mean_and_error(rival)
        ));
    }
    anyhow::ensure!(!numbers.is_empty(), "{}: nothing to compare at these x", here.setting);
    Ok((held, shortened(&numbers)))
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

fn ratio(here: &SettingSeries<'_>, [a, b]: [&Series; 2], between: Between, at: At) -> Result<(bool, String)> {
    let (mut held, mut numbers, mut differ) = (true, Vec::new(), false);
    for point in chosen(at, a) {
        let Some(other) = b.at(point.x) else { continue };
        let ratio = mean(point) / mean(other);
        held &= between.holds(ratio);
        let [mine, theirs] = [point, other].map(Point::spread);
        differ |= mine.mean != theirs.mean || mine.standard_error > 0.0 || theirs.standard_error > 0.0;
        let unsure = first_of(between.ends().map(|times| {
            remark(mine.mean - times * theirs.mean, mine.standard_error.hypot(times * theirs.standard_error))
        }));
        let x = if at == At::Last { String::new() } else { format!("at {} ", number(point.x)) };
        let [mine, theirs] = [point, other].map(mean_and_error);
        numbers.push(format!("{x}{mine} / {theirs} = {}{unsure}", significant(ratio)));
    }
    anyhow::ensure!(!numbers.is_empty(), "{}: nothing to compare at these x", here.setting);
    // Such numbers hold whatever the claim, e.g. accuracies that have all reached 1.
    anyhow::ensure!(differ, "{}: the same in every run: {}", here.setting, shortened(&numbers));
    Ok((held, shortened(&numbers)))
}

fn value(curve: &Series, between: Between, at: At) -> Result<(bool, String)> {
    let points = chosen(at, curve);
    anyhow::ensure!(!points.is_empty(), "{}: nothing measured at these x", curve.curve);
    let held = points.iter().all(|point| between.holds(mean(point)));
    let extreme = |least: bool| {
        points.iter().copied().reduce(|a, b| if (mean(b) < mean(a)) == least { b } else { a }).expect("not empty")
    };
    let numbers = if points.len() == 1 {
        let spread = points[0].spread();
        let unsure = first_of(between.ends().map(|end| remark(spread.mean - end, spread.standard_error)));
        format!("{}{unsure}", mean_and_error(points[0]))
    } else {
        let (low, high) = (extreme(true), extreme(false));
        format!("{} (at {}) to {} (at {})", mean_and_error(low), number(low.x), mean_and_error(high), number(high.x))
    };
    Ok((held, numbers))
}

fn each(curve: &Series, values: &[f64], within: f64) -> Result<(bool, String)> {
    anyhow::ensure!(
        curve.points.len() == values.len(),
        "{}: {} points for {} values",
        curve.curve,
        curve.points.len(),
        values.len()
    );
    let held = curve.points.iter().zip(values).all(|(point, value)| (mean(point) - value).abs() <= within);
    let numbers: Vec<String> = curve.points.iter().map(|point| format!("{:.1}", mean(point))).collect();
    Ok((held, numbers.join(", ")))
}

fn first_reach(series: &Series, level: f64) -> Option<f64> {
    series.points.iter().find(|point| mean(point) >= level).map(|point| point.x)
}

fn reaches(who: &Series, level: f64, sooner: Option<(&Series, f64)>, by: f64) -> Result<(bool, String)> {
    let reached = |series: &Series, x: Option<f64>| {
        x.map_or_else(|| format!("{} never", series.curve), |x| format!("{} at {}", series.curve, number(x)))
    };
    let mine = first_reach(who, level);
    let Some((other, times)) = sooner else {
        return Ok((mine.is_some_and(|x| x <= by), reached(who, mine)));
    };
    let theirs = first_reach(other, level);
    let held = mine.is_some_and(|mine| theirs.is_none_or(|theirs| theirs >= times * mine));
    Ok((held, format!("{}, {}", reached(who, mine), reached(other, theirs))))
}

fn near_best(here: &SettingSeries<'_>, of: &str, within: f64, at: At) -> Result<(bool, String)> {
    let curve = here.curve(of)?;
    let (mut held, mut worst) = (true, None::<(f64, String)>);
    for point in chosen(at, curve) {
        let rivals = here.series.iter().filter(|s| !is_bound(s)).filter_map(|s| Some((s.at(point.x)?, &s.curve)));
        let Some((best, name)) = rivals.min_by(|a, b| mean(a.0).total_cmp(&mean(b.0))) else { continue };
        let factor = mean(point) / mean(best);
        held &= factor <= within;
        if worst.as_ref().is_none_or(|(known, _)| factor > *known) {
            let [mine, least] = [point, best].map(Point::spread);
            let error = mine.standard_error.hypot(within * least.standard_error);
            let unsure = if name == &curve.curve { "" } else { remark(mine.mean - within * least.mean, error) };
            let words =
                format!("at most {} times the best ({name} at {}){unsure}", significant(factor), number(point.x));
            worst = Some((factor, words));
        }
    }
    worst.map(|(_, words)| (held, words)).ok_or_else(|| anyhow!("nothing to compare at these x"))
}

fn linear(curve: &Series, runs: usize) -> Result<(bool, String)> {
    let last = curve.last().ok_or_else(|| anyhow!("nothing measured"))?;
    let half = curve.points.iter().rev().find(|point| point.x <= last.x / 2.0);
    let half = half.ok_or_else(|| anyhow!("no checkpoint at half of the time"))?;
    anyhow::ensure!(!half.values.is_empty(), "the single runs at half of the time are in no file");
    // The regret of a run that keeps comparing a wrong ranker is linear to the end; the regret of a run that has
    // converged hardly grows.
    let pairs = last.values.iter().zip(&half.values);
    let share = |(end, middle): (&f64, &f64)| (end - middle) / end.max(1e-300);
    let fair = 1.0 - half.x / last.x;
    let stuck = pairs.filter(|pair| share(*pair) > 0.7 * fair).count();
    Ok((stuck >= runs, format!("{stuck} of {} linearly to the end", grow(last.values.len()))))
}

/// `1 run grows`, `300 runs grow`.
fn grow(runs: usize) -> String {
    format!("{} {}", with_unit(runs as u64, "run"), if runs == 1 { "grows" } else { "grow" })
}

fn below_bound(curve: &Series, bound: &Series) -> Result<(bool, String)> {
    let pairs: Vec<(f64, f64, f64)> =
        curve.points.iter().filter_map(|point| Some((point.x, mean(point), mean(bound.at(point.x)?)))).collect();
    let last = pairs.last().ok_or_else(|| anyhow!("no bound at these x"))?;
    // A step costs at most 1.
    anyhow::ensure!(
        pairs.iter().any(|(x, _, bound)| bound < x),
        "{} at {} steps is more than any algorithm can lose",
        significant(last.2),
        number(last.0)
    );
    let held = pairs.iter().all(|(_, regret, bound)| regret <= bound);
    let numbers =
        format!("{} against {}, {} times", significant(last.1), significant(last.2), significant(last.2 / last.1));
    Ok((held, numbers))
}
