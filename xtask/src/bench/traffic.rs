//! Experiments on traffic: choices, folds of logs, and the bytes of both. Without HTTP and without a disk.

use anyhow::{Context, Result};
use interleave::{Doc, ListBuf};
use traffic::{Config, Experiment, Marks, RecordedEvent, Request, RequestAnswer};

use super::measure::{Row, nanoseconds};

/// Impressions per measurement.
const IMPRESSIONS: u64 = 20_000;
/// Impressions that stay open when their memory is measured.
const OPEN_IMPRESSIONS: u64 = 200_000;

/// Rankers, policy, and the goal of folds in events per second.
const KINDS: [(u16, &str, Option<f64>); 4] =
    [(2, "fixed", Some(1.2e6)), (10, "bradley-terry", None), (136, "dts", None), (136, "mdb", None)];

/// The rows of the table.
pub(super) fn rows() -> Result<Vec<Row>> {
    // First, while the allocator has no memory of others to give.
    let memory = Row {
        goal: "P19",
        what: "traffic: memory of an open impression".to_owned(),
        unit: "bytes",
        value: memory_of_open()?,
        target: Some(500.0),
    };
    let mut rows = vec![memory];
    for (rankers, policy, goal) in KINDS {
        let mut log = Vec::new();
        let choose = nanoseconds(IMPRESSIONS as usize, || log = play_log(rankers, policy).unwrap_or_default());
        let bytes: usize = log.iter().map(Vec::len).sum();
        let mut folded = Ok(());
        let fold = nanoseconds(log.len(), || folded = fold(&log));
        folded?;
        let row = |goal, what: &str, unit, value, target| Row {
            goal,
            what: format!("traffic, {policy} among {rankers}: {what}"),
            unit,
            value,
            target,
        };
        rows.push(row("", "an impression with its click and end", "ns", choose, None));
        let mark = if goal.is_some() { "P19" } else { "" };
        rows.push(row(mark, "events folded", "/s", 1e9 / fold, goal));
        rows.push(row("", "bytes of events per impression", "bytes", bytes as f64 / IMPRESSIONS as f64, None));
    }
    Ok(rows)
}

/// The log of an experiment, in which every second impression is clicked, as a store has it.
fn play_log(rankers: u16, policy: &str) -> Result<Vec<Vec<u8>>> {
    let (mut experiment, lists) = begin_experiment(rankers, policy)?;
    let mut log = Vec::new();
    for unit in 1..=IMPRESSIONS {
        let now = unit as i64 * 100;
        let request = Request { unit, marks: Marks { query: Some(unit), ..Marks::default() }, ..Request::default() };
        let chosen = experiment.choose(now, &request, Some(&|ranker| lists.get(ranker as usize)))?;
        let RequestAnswer::New { impression, .. } = chosen else { continue };
        if unit % 2 == 0 {
            experiment.click(now, impression, (unit % 10) as u32);
        }
        experiment.close(now, impression);
        log.extend(experiment.take_events().into_iter().map(|numbered| numbered.recorded.bytes().to_vec()));
    }
    Ok(log)
}

fn begin_experiment(rankers: u16, policy: &str) -> Result<(Experiment, Vec<ListBuf>)> {
    let names = (0..rankers).map(|ranker| format!("r{ranker}"));
    let config = Config { policy: policy.to_owned(), multileaving: "sosm".to_owned(), ..Config::of("bench", names) };
    let lists = (0..rankers)
        .map(|ranker| ListBuf::strict((0..20).map(|place| Doc((place * 7 + ranker) % 40))))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((Experiment::create(config, 0)?, lists))
}

fn fold(log: &[Vec<u8>]) -> Result<()> {
    let read = |bytes: &Vec<u8>| RecordedEvent::read(bytes.clone());
    let mut experiment = Experiment::begin(&read(log.first().context("a log")?)?)?;
    for bytes in &log[1..] {
        experiment.fold(&read(bytes)?)?;
    }
    Ok(())
}

/// The memory that each open impression adds to the process, without its events.
fn memory_of_open() -> Result<f64> {
    let (mut experiment, lists) = begin_experiment(2, "fixed")?;
    let before = resident()?;
    for unit in 1..=OPEN_IMPRESSIONS {
        let request = Request { unit, marks: Marks { query: Some(unit), ..Marks::default() }, ..Request::default() };
        experiment.choose(unit as i64, &request, Some(&|ranker| lists.get(ranker as usize)))?;
        experiment.take_events();
    }
    Ok((resident()? - before) as f64 / OPEN_IMPRESSIONS as f64)
}

/// Bytes of this process in memory.
fn resident() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").context("the memory of the process cannot be read")?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    Ok(pages.context("the memory of the process")? * 4096)
}
