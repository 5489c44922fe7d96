//! `rankduel` without a command: dueling bandits live on a data set.

use anyhow::Result;
use bandits::RegretKind;
use clap::Args;
use output::progress::Progress;
use simulation::live_arena::LiveArenaFactory;
use simulation::runs::kept_runs::{KeptRuns, revisions};
use simulation::runs::{ArenaFactory as _, Late, StudyPlan, play_all};
use simulation::truth::GroundTruth;

use crate::cli::args::{EvidenceArgs, LateArgs, RunArgs, SiteArgs, StreamArgs, TruthArgs, Usual};
use crate::cli::notes;
use crate::cli::shards::{self, Work, extended_by};
use crate::cli::study::extension::Size;
use crate::cli::study::output::{self as study_output, Presentation};
use crate::results::{Arms, LiveConfig, Measured, VERSION, live_caption};
use output::shards::Share;

/// Run dueling bandits on simulated users: the same as rankduel without a command.
///
/// The algorithms choose rankers, whose result lists are interleaved or multileaved into the one list that a simulated user
/// sees; the clicks decide which ranker won, and regret measures the cost of the search. Without --dataset it runs on a
/// built-in look-alike of MSLR-WEB30K.
#[derive(Debug, Args)]
pub(super) struct Live {
    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    truth: TruthArgs,

    #[command(flatten)]
    streams: StreamArgs,

    #[command(flatten)]
    evidence: EvidenceArgs,

    #[command(flatten)]
    late: LateArgs,
}

impl Live {
    pub(super) fn run(&self) -> Result<()> {
        let RunArgs { common, .. } = &self.run;
        self.run.regret.check_live()?;
        let evidence = self.evidence.plan()?;
        let share = self.run.shard.share()?;
        let usual = if self.site.is_default() { &Usual::FIRST } else { &Usual::STUDY };
        let late = self.late.late(self.run.steps(usual))?;
        let prepared = self.site.prepare_for(&share, common.seed, common.quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        let effort = self.truth.effort(site.arms());
        let asked = self.run.size(usual);
        notes::tell(common.quiet, notes::of_late(&late, &asked.algorithms, site.arms(), asked.length.steps()));
        let config = |size: &Size, regret, truth: Option<&GroundTruth>, evidence| LiveConfig {
            command: "live",
            version: VERSION,
            seed: common.seed,
            steps: size.length.steps(),
            runs: size.runs,
            checkpoints: size.length.per_decade(),
            algorithms: size.names(),
            regret,
            site: description.clone(),
            streams: self.streams.streams(),
            late: late.clone(),
            truth_effort: effort,
            evidence,
            truth: truth.cloned(),
        };
        let part = [self.truth.part(), self.streams.part(), self.evidence.part(), late.part()].concat();
        let part = self.run.regret.part(RegretKind::Condorcet) + &part;
        if matches!(share, Share::Prepare) {
            let truth = self.run.regret.truth(&prepared, effort, &self.truth.cache.cache, common)?;
            shards::prepared(&truth.describe(|arm| description.label(arm)), common.quiet);
            return Ok(());
        }
        let folder = || self.site.default_folder("live", description, &part, common);
        let key = config(&asked, self.run.regret.given(), None, Some(evidence));
        let folder = self.run.output.claim_share(&share, folder, &key, common.quiet)?;
        let Some(folder) = folder else { return Ok(()) };
        let size = extended_by(&share, asked, &folder, common.quiet)?;
        let truth = self.run.regret.truth(&prepared, effort, &self.truth.cache.cache, common)?;
        let measured = Measured::new(self.run.regret.live(&truth), &truth.gaps, Some(description.dataset.synthetic));
        let config = config(&size, Some(measured.kind), Some(&truth), evidence.map(Some));
        folder.check(&config)?;

        let plan = StudyPlan { evidence, ..self.run.plan(size) };
        let arenas = LiveArenaFactory::new(&prepared, &truth.gaps, self.streams.streams());
        let arenas = Late::new(arenas, late.clone());
        let cells = plan.cells();
        let work = Work::new(&config, revisions(&plan.algorithms), ("run", plan.runs * cells.len() as u64))?;
        work.begin(&share, &folder)?;
        let kept = KeptRuns::new(&folder, arenas.content(), &truth.gaps, "timings.json").sharing(&share);
        let progress = Progress::new("playing", kept.share_of(plan.total_steps()), common.quiet);
        let results = play_all(&arenas, &plan, Some(&kept), &progress)?;
        progress.finish();
        if let Some(shard) = share.shard() {
            return work.finish(shard, folder, &kept.cells_of(shard, &cells, plan.runs)?, common.quiet);
        }

        let caption = live_caption(description, "", &measured, self.run.look(usual)).with(late.describe());
        let label = |arm: usize| description.label(arm);
        study_output::write_and_print(
            (&folder, &kept),
            &config,
            &plan,
            &results,
            &Arms {
                winners: &truth.winners,
                phases: &[],
                names: &description.names(),
                measured,
                multileave: Some(&description.multileave),
            },
            &Presentation {
                caption,
                truth: truth.describe(label),
                late: late.describe(),
                json: self.run.output.json,
                compare: self.evidence.compare_algorithms,
                quiet: common.quiet,
            },
        )
    }
}
