//! Writes the results of a study and prints them.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::print::{eprintln, println};
use crate::output::numbers::{mean_of, with_unit};
use crate::results::{self, Arms, Caption};
use crate::simulation::runs::{RunResult, StudyPlan};

/// How to present a study.
pub(super) struct Presentation {
    /// The text of the figure.
    pub(super) caption: Caption,
    /// The line about the ground truth that regret is measured against.
    pub(super) truth: String,
    /// How sets of rankers are compared, if not by the pairs that regret is counted from.
    pub(super) multileave: Option<String>,
    /// Print JSON instead of the table.
    pub(super) json: bool,
    /// Print no remarks.
    pub(super) quiet: bool,
}

/// Writes the study into `folder` and prints its table or, with `json`, its summary.
pub(super) fn write_and_print(
    folder: &Path,
    config: &impl Serialize,
    plan: &StudyPlan,
    played: &[Vec<RunResult>],
    arms: &Arms<'_>,
    presentation: &Presentation,
) -> Result<()> {
    results::write(folder, config, plan, played, arms, &presentation.caption)?;
    if presentation.json {
        println!("{}", serde_json::to_string_pretty(&results::summarise(plan, played, arms))?);
    } else {
        println!("{}", presentation.truth);
        println!("{}", results::table(plan, played, arms, &presentation.caption.look));
        if let Some(settled) = results::settled(plan, played) {
            println!("{settled}");
        }
        let multileave = presentation.multileave.as_deref();
        if let Some(distorted) = multileave.and_then(|name| results::distorted(plan, played, arms, name)) {
            println!("{distorted}");
        }
        println!(
            "{} of {}; regret: {}",
            mean_of(plan.runs, "run"),
            with_unit(plan.steps, "step"),
            presentation.caption.regret
        );
        if let Some(note) = &presentation.caption.note {
            println!("{note}");
        }
    }
    if !presentation.quiet {
        eprintln!(
            "results in {}: regret.png, regret.svg, curves.csv, runs.csv, summary.json, config.json",
            folder.display()
        );
    }
    Ok(())
}
