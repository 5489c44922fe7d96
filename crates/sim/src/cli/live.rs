//! `sim` without a command: dueling bandits live on a data set.

use anyhow::Result;
use bandits::RegretKind;
use clap::Args;
use serde::Serialize;

use crate::cli::args::{self, RunArgs, SiteArgs, TruthArgs, Usual};
use crate::cli::study_output::{self, Presentation};
use crate::output;
use crate::output::progress::Progress;
use crate::results::{Arms, Measured};
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
    truth: TruthArgs,
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
    regret: RegretKind,
    site: &'a SiteDescription,
    truth_effort: Effort,
    truth: &'a GroundTruth,
}

impl Live {
    pub(super) fn run(&self) -> Result<()> {
        let RunArgs { common, .. } = &self.run;
        common.apply()?;
        self.run.regret.check_live()?;
        let prepared = self.site.prepare(common.seed, common.quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        let folder = self.run.output.out.clone().unwrap_or_else(|| {
            let more = self.run.regret.part(RegretKind::Condorcet) + &self.truth.part();
            self.site.default_folder("live", description, &more, common)
        });
        output::claim_folder(&folder, "live")?;
        let effort = self.truth.effort(site.arms());
        let truth = self.run.regret.truth(&prepared, effort, &self.truth.cache.cache, common)?;
        let measured = Measured::new(self.run.regret.live(&truth), &truth.gaps, Some(description.dataset.synthetic));
        let label = |arm: usize| description.label(arm);

        let usual = if self.site.is_default() { &Usual::FIRST } else { &Usual::STUDY };
        let plan = self.run.plan(usual);
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
            regret: measured.kind,
            site: description,
            truth_effort: effort,
            truth: &truth,
        };
        let caption = args::caption(description, "", &measured, self.run.look(usual));
        study_output::write_and_print(
            &folder,
            &config,
            &plan,
            &results,
            &Arms { winners: &truth.winners, names: &description.names(), measured },
            &Presentation {
                caption,
                truth: truth.describe(label),
                multileave: Some(description.multileave.clone()),
                json: self.run.output.json,
                quiet: common.quiet,
            },
        )
    }
}
