//! `rankduel` without a command: dueling bandits live on a data set.

use anyhow::Result;
use bandits::RegretKind;
use clap::Args;
use studies::live::{LiveStudy, Request};
use studies::site::TruthRequest;

use crate::cli::args::{EvidenceArgs, LateArgs, RunArgs, SiteArgs, StreamArgs, StudyDefaults};
use crate::cli::study::Asking;

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
    truth: TruthRequest,

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
        let asking = Asking::new(&self.run.output, &self.run.shard, common)?;
        let usual = if self.site.is_default() { &StudyDefaults::FIRST } else { &StudyDefaults::STUDY };
        let late = self.late.late(self.run.steps(usual))?;
        let part = [self.truth.part(), self.streams.part(), self.evidence.part(), late.part()].concat();
        let part = self.run.regret.part(RegretKind::Condorcet) + &part;
        let site = self.site.open_for(&asking.share, common)?;
        let run = self.run.request(usual, late, evidence);
        let folder = self.site.default_folder("live", &site.prepared.description, &part, common);
        let request = Request { run, streams: self.streams.streams(), truth: self.truth.clone() };
        asking.compare(self.evidence.compare_algorithms).run(LiveStudy { site, request }, folder)
    }
}
