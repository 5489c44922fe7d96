//! Writes the results of a study and prints them.

use anyhow::Result;
use output::results_folder::ResultsFolder;
use serde::Serialize;
use simulation::runs::kept_runs::KeptRuns;
use simulation::runs::{RunResult, StudyPlan};

use crate::cli::evidence::significance;
use crate::cli::print::{eprintln, println};
use crate::results::{self, Arms, Caption};

/// How to present a study.
pub(in crate::cli) struct Presentation {
    /// The text of the figure.
    pub(in crate::cli) caption: Caption,
    /// The line about the ground truth that regret is measured against.
    pub(in crate::cli) truth: String,
    /// How late answers come, if they do.
    pub(in crate::cli) late: Option<String>,
    /// Print JSON instead of the table.
    pub(in crate::cli) json: bool,
    /// Test which algorithms differ.
    pub(in crate::cli) compare: bool,
    /// Print no remarks.
    pub(in crate::cli) quiet: bool,
}

/// Writes the study into `folder`, where its runs are `kept`, and prints its table or, with `json`, its summary.
pub(in crate::cli) fn write_and_print(
    (folder, kept): (&ResultsFolder, &KeptRuns),
    config: &impl Serialize,
    plan: &StudyPlan,
    played: &[Vec<RunResult>],
    arms: &Arms<'_>,
    presentation: &Presentation,
) -> Result<()> {
    folder.write(config, || {
        results::write(folder.path(), plan, played, arms, &presentation.caption)?;
        kept.complete(&plan.cells(), played)
    })?;
    if presentation.json {
        println!("{}", serde_json::to_string_pretty(&results::summarise(plan, played, arms))?);
    } else {
        println!("{}", results::report(plan, played, arms, &presentation.caption, &presentation.truth));
        if presentation.compare {
            println!("\n{}", significance::of_study(folder.path())?);
        }
        if let Some(late) = &presentation.late {
            println!("{}", results::answers(plan, played, late));
        }
    }
    if !presentation.quiet {
        eprintln!(
            "results in {}: regret.png, regret.svg, curves.csv, runs.csv, summary.json, config.json",
            folder.path().display()
        );
    }
    Ok(())
}
