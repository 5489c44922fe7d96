//! Sessions of judges, and boards of many judgements.

use std::time::Instant;

use anyhow::Result;
use board::{Answer, Board, Judgement, Order, Settings, Table};
use judges::{Config, Session};
use output::threads;
use statistics::Normals;

use super::measure::Row;

/// Competitors of the session, and of the boards of many judgements.
const COMPETITORS: usize = 60;
/// Answers of the session that is timed.
const ANSWERS: u32 = 3_000;

/// The rows of the table, each measured once.
pub(super) fn rows() -> Result<Vec<Row>> {
    let row = |what: String, unit, value, target| Row { goal: "P20", what, unit, value, target: Some(target) };
    let mut rows =
        vec![row(format!("judges, {COMPETITORS} competitors: a pair and its answer"), "us", ask_and_record()?, 10.0)];
    for (competitors, judgements, seconds) in
        [(COMPETITORS, 100_000, 2.0), (COMPETITORS, 500_000, 8.0), (1_500, 1_500 * 8 / 2, 10.0)]
    {
        let table = table(competitors, judgements);
        let start = Instant::now();
        threads::run_in_pool(None, || Board::new(&table, &Settings::default()).map(drop))??;
        let what = format!("board, {competitors} competitors, {judgements} judgements");
        rows.push(row(what, "s", start.elapsed().as_secs_f64(), seconds));
    }
    Ok(rows)
}

/// Microseconds from asking for a pair until its answer is recorded.
fn ask_and_record() -> Result<f64> {
    let mut session = Session::new(Config::of((0..COMPETITORS).map(|k| format!("c{k}"))))?;
    let mut draws = Normals::from_seed(20);
    let start = Instant::now();
    for _ in 0..ANSWERS {
        let pair = session.ask(None)?;
        session.tell(pair.ticket, answer(pair.first, pair.second, &mut draws), None)?;
        session.take_events();
    }
    Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(ANSWERS))
}

/// Judgements of pairs, items and judges at random.
fn table(competitors: usize, judgements: usize) -> Table {
    let named = |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect();
    let (items, judges) = (judgements / 10, 200);
    let mut draws = Normals::from_seed(21);
    let judgements = (0..judgements).map(|row| {
        let first = draws.below(competitors) as u32;
        let second = (first + 1 + draws.below(competitors - 1) as u32) % competitors as u32;
        let (item, judge) = (draws.below(items) as u32, draws.below(judges) as u32);
        let verdict = answer(first, second, &mut draws);
        Judgement { first, second, verdict, item: Some(item), judge: Some(judge), weight: 1.0, row: row as u64 + 1 }
    });
    Table {
        judgements: judgements.collect(),
        names: named("c", competitors),
        items: named("i", items),
        judges: named("j", judges),
        order: Order::Shown,
        covariates: Vec::new(),
    }
}

/// A fifth ties; the smaller number is a little better.
fn answer(first: u32, second: u32, draws: &mut Normals) -> Answer {
    if draws.uniform() < 0.2 {
        return Answer::Tie;
    }
    let share = 1.0 / (1.0 + libm::exp(0.02 * (f64::from(first) - f64::from(second))));
    if draws.uniform() < share { Answer::First } else { Answer::Second }
}
