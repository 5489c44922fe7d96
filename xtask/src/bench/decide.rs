//! Verdicts of many rankers and days: all at once, and one day more.

use anyhow::{Context, Result};
use interleave::Generator;
use output::threads;
use rand::{RngExt, SeedableRng};
use statistics::Counts;
use verdicts::decide::{CountUnit, RunningDecision, decide};
use verdicts::outcomes::{Day, DayCounts, Outcomes};

use super::measure::{Row, nanoseconds};

const RANKERS: usize = 64;
const DAYS: i32 = 365;
const UNITS: u64 = 40;
const ALPHA: f64 = 0.05;

/// The rows of the table.
pub(super) fn rows() -> Result<Vec<Row>> {
    let outcomes = outcomes();
    let row = |what: &str, unit, value, target| Row {
        goal: "P23",
        what: format!("verdicts, {RANKERS} rankers, {DAYS} days: {what}"),
        unit,
        value,
        target: Some(target),
    };
    let decided = threads::run_in_pool(None, || nanoseconds(1, || drop(decide(&outcomes, ALPHA, CountUnit::Units))))?;
    let before = outcomes.days.partition_point(|day| day.day + 1 < DAYS);
    let mut deciding = RunningDecision::new(outcomes.rankers.clone(), &outcomes.pairs(), ALPHA, CountUnit::Units)?;
    deciding.add(&outcomes.days[..before])?;
    let mut others: Vec<RunningDecision> = (0..8).map(|_| deciding.clone()).collect();
    let mut found = Ok(());
    let added = nanoseconds(1, || {
        found = others.pop().context("eight calls").and_then(|mut next| Ok(next.add(&outcomes.days[before..])?));
    });
    found?;
    Ok(vec![row("all", "s", decided / 1e9, 3.0), row("a new day", "ms", added / 1e6, 10.0)])
}

/// Pairs of rankers; each ranker is a little better than the next, by chance.
fn outcomes() -> Outcomes {
    let mut generator = Generator::seed_from_u64(23);
    let mut days = Vec::new();
    for day in 0..DAYS {
        for first in 0..RANKERS {
            for second in first + 1..RANKERS {
                let share = 0.5 + 0.001 * (second - first) as f64;
                let wins = (0..UNITS).filter(|_| generator.random::<f64>() < share).count() as u64;
                let units = Counts::new(wins, UNITS - wins, UNITS / 4);
                days.push(Day { version: 0, day, pair: (first, second), counts: DayCounts::of(units, units) });
            }
        }
    }
    Outcomes { rankers: (0..RANKERS).map(|ranker| format!("r{ranker}")).collect(), versions: vec![None], days }
}
