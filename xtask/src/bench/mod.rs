//! `cargo xtask bench`: speeds on this machine, against the goals. Not here: measurements of `cargo bench`.

mod against;
mod boards;
mod decide;
mod impressions;
mod machine;
mod measure;
mod methods;
mod policies;
mod proxy;
mod reading;
mod receipts;
mod record;
mod runs;
mod traffic;

use std::path::PathBuf;

use against::{EarlierTable, median};
use anyhow::{Context, Result};
use jiff::civil::Date;
use machine::Machine;
use measure::Row;

/// Measures speeds, compares them with the goals and writes them to a CSV
///
/// Every figure is the median of several repetitions, on one thread unless its name says otherwise. Run nothing else
/// at the same time. Times are also printed in units that travel between machines: draws of the generator, and loads of
/// words at random from a gigabyte.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What to measure: impressions, methods, receipts, open, policies, reading, runs, proxy, traffic, decide, boards [default: all]
    #[arg(value_name = "WHAT")]
    what: Vec<BenchTarget>,

    /// CSV to write [default: results/bench/DATE-WHAT.csv; none with --algorithms or --arms]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Compare with tables of an earlier build, written on this machine: several are rounds, best run in turn with this
    #[arg(long, value_name = "CSV,...", value_delimiter = ',')]
    against: Vec<PathBuf>,

    /// Measure everything this many times; the median counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Date to write into the CSV [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<Date>,

    #[command(flatten)]
    policies: policies::PolicySelection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum BenchTarget {
    /// Interleaved comparisons and multileavings
    Impressions,
    /// Impressions of every interleaving and multileaving method
    Methods,
    /// Receipts of every method: bytes, writing, and reading with credit
    Receipts,
    /// Steps of the dueling bandits with 10^4 answers outstanding
    Open,
    /// Steps of the dueling bandits
    Policies,
    /// Parsing and ranking
    Reading,
    /// TREC runs, read and measured
    Runs,
    /// Preference matrices of full-size data, at a fraction of the impressions
    Proxy,
    /// Experiments on traffic: choices, folds of logs, bytes
    Traffic,
    /// Verdicts of many rankers and days
    Decide,
    /// Sessions of judges, and boards of many judgements
    Boards,
}

/// Measures the rows that the arguments select, prints them and writes the CSV.
///
/// # Errors
/// When something cannot be measured or written.
pub fn run(arguments: &Arguments) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_in_release();
    }
    if reading::read_here()? || runs::measure_here()? {
        return Ok(());
    }
    let earlier = EarlierTable::read(&arguments.against)?;
    let machine = Machine::measure()?;
    let mut rows = Vec::new();
    show(&mut rows, machine.rows());
    let mut rounds = Vec::new();
    for round in 1..=arguments.rounds {
        if arguments.rounds > 1 {
            println!("round {round} of {}", arguments.rounds);
        }
        rounds.push(measure(arguments)?);
    }
    rows.extend(summary(rounds, machine, &earlier));
    let date = arguments.date.unwrap_or_else(record::today);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None if arguments.policies.is_part() => return Ok(()),
        None => record::default_path(date, &arguments.what),
    };
    record::write(&path, date, &rows, machine)
}

/// One round of the selected measurements, printed as it goes.
fn measure(arguments: &Arguments) -> Result<Vec<Row>> {
    let wanted = |what| arguments.what.is_empty() || arguments.what.contains(&what);
    let mut rows = Vec::new();
    if wanted(BenchTarget::Impressions) {
        show(&mut rows, impressions::rows()?);
    }
    if wanted(BenchTarget::Methods) {
        rows.extend(methods::measure()?);
    }
    if wanted(BenchTarget::Receipts) {
        rows.extend(receipts::measure()?);
    }
    if wanted(BenchTarget::Open) {
        rows.extend(policies::open::measure(&arguments.policies)?);
    }
    if wanted(BenchTarget::Policies) {
        rows.extend(policies::measure(&arguments.policies)?);
    }
    if wanted(BenchTarget::Reading) {
        show(&mut rows, reading::rows()?);
    }
    if wanted(BenchTarget::Runs) {
        show(&mut rows, runs::rows()?);
    }
    if wanted(BenchTarget::Proxy) {
        show(&mut rows, proxy::rows()?);
    }
    if wanted(BenchTarget::Traffic) {
        show(&mut rows, traffic::rows()?);
    }
    if wanted(BenchTarget::Decide) {
        show(&mut rows, decide::rows()?);
    }
    if wanted(BenchTarget::Boards) {
        show(&mut rows, boards::rows()?);
    }
    Ok(rows)
}

/// Prints the medians of the rounds, in units of the machine and beside earlier tables, and returns them.
fn summary(mut rounds: Vec<Vec<Row>>, machine: Machine, earlier: &EarlierTable) -> Vec<Row> {
    let Some(mut rows) = rounds.pop() else {
        return Vec::new();
    };
    if let Some(warning) = earlier.other_machine(&record::machine()) {
        println!("{warning}");
    }
    println!("\n{:66} {:>10}        {:22} times as slow", "median", "", "in units");
    for row in &mut rows {
        let others = rounds.iter().flatten().filter(|other| other.what == row.what);
        let values: Vec<f64> = std::iter::once(row.value).chain(others.map(|other| other.value)).collect();
        row.value = median(&values);
        let units = if row.unit == "ns" { machine.units(row.value).to_string() } else { String::new() };
        let ratio = earlier.ratio(row, &values);
        let ratio = ratio.map_or_else(String::new, |ratio| {
            format!("{:.3} {} (noise {:.0}%)", ratio.times, ratio.verdict(), 100.0 * ratio.noise)
        });
        println!("{:66} {:>10.1} {:6} {units:22} {ratio}", row.what, row.value, row.unit);
    }
    rows
}

/// Measures with the release profile, since debug assertions cost time.
fn again_in_release() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--"])
        .args(std::env::args_os().skip(1))
        .status()
        .context("failed to start cargo")?;
    anyhow::ensure!(status.success(), "the release build or its measurements failed");
    Ok(())
}

fn show(all: &mut Vec<Row>, rows: Vec<Row>) {
    for row in &rows {
        println!("{row}");
    }
    all.extend(rows);
}
