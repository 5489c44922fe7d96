//! `sim`: dueling bandits live on a data set.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::cli::args::{Description, RunOptions, SiteOptions};
use crate::cli::study_output::{self, Outcome};
use crate::output;
use crate::output::progress::Progress;
use crate::results::Arms;
use crate::simulation::live_arena::LiveArenas;
use crate::simulation::runs::play_all;
use crate::simulation::truth::{Effort, Truth};

#[derive(Debug, Args)]
pub(super) struct Live {
    #[command(flatten)]
    site: SiteOptions,

    #[command(flatten)]
    run: RunOptions,

    /// Where estimated truths are kept for the next run
    #[arg(long, value_name = "FOLDER", default_value = "results/.cache", help_heading = "Runs and results")]
    cache: PathBuf,
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    algorithms: Vec<String>,
    site: &'a Description,
    truth_effort: Effort,
    truth: &'a Truth,
}

impl Live {
    pub(super) fn run(&self) -> Result<()> {
        let RunOptions { common, .. } = &self.run;
        common.apply()?;
        let prepared = self.site.prepare(common.seed, common.quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        let folder = self.run.out.clone().unwrap_or_else(|| self.site.default_folder("live", description, common));
        output::claim_folder(&folder, "live")?;
        let (effort, truth) = prepared.truth(&self.cache, common.seed, common.quiet)?;
        let label = |arm: usize| description.label(arm);

        let plan = self.run.plan();
        let arenas = LiveArenas { site, methods: &prepared.methods, gaps: &truth.gaps, content: description.content() };
        let progress = Progress::new("playing", plan.total_steps(), common.quiet);
        let results = play_all(&arenas, &plan, &progress)?;
        progress.finish();

        let config = Config {
            command: "live",
            version: env!("CARGO_PKG_VERSION"),
            seed: common.seed,
            steps: plan.steps,
            runs: plan.runs,
            algorithms: plan.names(),
            site: description,
            truth_effort: effort,
            truth: &truth,
        };
        let caption = description.caption("", &truth);
        study_output::leave(
            &folder,
            &config,
            &plan,
            &results,
            &Arms { winners: &truth.winners, names: &description.names() },
            &Outcome { caption, truth: truth.describe(label), json: self.run.json, quiet: common.quiet },
        )
    }
}
