//! `cargo xtask bench`: how fast everything is, against the goals, on this machine.

mod impressions;
mod measure;
mod policies;
mod reading;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use measure::Row;

/// Measures speeds against the goals and keeps them.
///
/// Every figure is the median of several repetitions on one thread. Nothing else should run beside it.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure: impressions, policies, reading [default: all]
    #[arg(value_name = "WHAT")]
    what: Vec<What>,

    /// Where to keep the CSV
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Interleaved comparisons and multileavings
    Impressions,
    /// Steps of the dueling bandits
    Policies,
    /// Parsing and ranking
    Reading,
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
    if wanted(What::Policies) {
        show(&mut rows, policies::rows()?);
    }
    if wanted(What::Reading) {
        show(&mut rows, reading::rows()?);
    }
    if let Some(path) = &arguments.out {
        std::fs::write(path, csv(&rows)).with_context(|| format!("failed to write {}", path.display()))?;
    }
    Ok(())
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

fn csv(rows: &[Row]) -> String {
    let mut text = "goal,what,unit,value,target,met\n".to_owned();
    for row in rows {
        let target = row.target.map_or_else(String::new, |target| target.to_string());
        let met = row.met().map_or("", |met| if met { "yes" } else { "no" });
        let _ = writeln!(text, "{},\"{}\",{},{:.4},{target},{met}", row.goal, row.what, row.unit, row.value);
    }
    text
}
