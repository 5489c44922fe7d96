//! `cargo xtask bench`: how fast everything is, against the goals, on this machine.

mod impressions;
mod measure;
mod methods;
mod policies;
mod proxy;
mod reading;
mod record;

use std::path::PathBuf;

use anyhow::{Context, Result};
use jiff::civil::Date;
use measure::Row;

/// Measures speeds against the goals and keeps them.
///
/// Every figure is the median of several repetitions on one thread. Nothing else should run beside it.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure: impressions, methods, policies, reading, proxy [default: all]
    #[arg(value_name = "WHAT")]
    what: Vec<What>,

    /// Where to keep the CSV [default: results/bench/DATE-WHAT.csv; nowhere with --algorithms or
    /// --arms]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The date that the CSV bears [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<Date>,

    #[command(flatten)]
    policies: policies::Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum What {
    /// Interleaved comparisons and multileavings
    Impressions,
    /// Impressions of every interleaving and multileaving method
    Methods,
    /// Steps of the dueling bandits
    Policies,
    /// Parsing and ranking
    Reading,
    /// Preference matrices of full-size data, at a fraction of the impressions
    Proxy,
}

/// Does what the arguments say.
///
/// # Errors
/// When something cannot be measured or written.
pub fn run(arguments: &Arguments) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_in_release();
    }
    if reading::read_here()? {
        return Ok(());
    }
    let wanted = |what| arguments.what.is_empty() || arguments.what.contains(&what);
    let mut rows = Vec::new();
    if wanted(What::Impressions) {
        show(&mut rows, impressions::rows()?);
    }
    if wanted(What::Methods) {
        rows.extend(methods::measure()?);
    }
    if wanted(What::Policies) {
        rows.extend(policies::measure(&arguments.policies)?);
    }
    if wanted(What::Reading) {
        show(&mut rows, reading::rows()?);
    }
    if wanted(What::Proxy) {
        show(&mut rows, proxy::rows()?);
    }
    let date = arguments.date.unwrap_or_else(record::today);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None if arguments.policies.is_part() => return Ok(()),
        None => record::default_path(date, &arguments.what),
    };
    record::write(&path, date, &rows)
}

/// Debug assertions cost time: measures with the release profile instead.
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
