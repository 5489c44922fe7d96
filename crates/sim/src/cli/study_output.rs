//! What a study prints, and where it says its results lie.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::print::{eprintln, println};
use crate::output::numbers::counted;
use crate::results::{self, Arms, Caption};
use crate::simulation::runs::{Plan, Run};

/// How to present a study.
pub(super) struct Outcome {
    /// For the figure.
    pub(super) caption: Caption,
    /// What regret was measured against.
    pub(super) truth: String,
    /// Print JSON in place of the table.
    pub(super) json: bool,
    /// Print no remarks.
    pub(super) quiet: bool,
}

/// Writes the study into `folder` and prints its table or its summary.
pub(super) fn leave(
    folder: &Path,
    config: &impl Serialize,
    plan: &Plan,
    played: &[Vec<Run>],
    arms: &Arms<'_>,
    outcome: &Outcome,
) -> Result<()> {
    results::write(folder, config, plan, played, arms, &outcome.caption)?;
    if outcome.json {
        println!("{}", serde_json::to_string_pretty(&results::summarise(plan, played, arms))?);
    } else {
        println!("{}", outcome.truth);
        println!("{}", results::table(plan, played, arms));
        println!(
            "{} of {}; regret: {}",
            results::mean_of(plan.runs, "run"),
            counted(plan.steps, "step"),
            outcome.caption.regret
        );
        if let Some(note) = &outcome.caption.note {
            println!("{note}");
        }
    }
    if !outcome.quiet {
        eprintln!(
            "results in {}: regret.png, regret.svg, curves.csv, runs.csv, summary.json, config.json",
            folder.display()
        );
    }
    Ok(())
}
