//! `sim` without a command: dueling bandits live on a data set.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::cli::args::{self, CacheArgs, RunArgs, SiteArgs};
use crate::cli::study_output::{self, Presentation};
use crate::output;
use crate::output::progress::Progress;
use crate::results::Arms;
use crate::simulation::live_arena::LiveArenaFactory;
use crate::simulation::prepared::SiteDescription;
use crate::simulation::runs::play_all;
use crate::simulation::truth::{Effort, GroundTruth};

#[derive(Debug, Args)]
pub(super) struct Live {
    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    algorithms: Vec<String>,
    site: &'a SiteDescription,
    truth_effort: Effort,
    truth: &'a GroundTruth,
}

impl Live {
    pub(super) fn run(&self) -> Result<()> {
        let RunArgs { common, .. } = &self.run;
        common.apply()?;
        let prepared = self.site.prepare(common.seed, common.quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        let folder =
            self.run.output.out.clone().unwrap_or_else(|| self.site.default_folder("live", description, common));
        output::claim_folder(&folder, "live")?;
        let effort = Effort::for_arms(site.arms());
        let truth = prepared.truth(effort, common.seed, &self.cache.cache, common.quiet)?;
        let label = |arm: usize| description.label(arm);

        let plan = self.run.plan();
        let arenas =
            LiveArenaFactory { site, methods: &prepared.methods, gaps: &truth.gaps, content: description.seed_text() };
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
        let caption = args::caption(description, "", &truth);
        study_output::write_and_print(
            &folder,
            &config,
            &plan,
            &results,
            &Arms { winners: &truth.winners, names: &description.names() },
            &Presentation { caption, truth: truth.describe(label), json: self.run.output.json, quiet: common.quiet },
        )
    }
}
