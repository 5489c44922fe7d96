//! `rankduel` without a command: dueling bandits live on a data set.

use anyhow::Result;
use bandits::RegretKind;
use clap::Args;
use studies::live::LiveStudy;
use studies::request::{LiveRequest, StudyDefaults};

use crate::cli::args::{ComparisonArgs, PlaceArgs, SiteArgs};
use crate::cli::study::StudyLauncher;

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
    request: LiveRequest,

    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    comparison: ComparisonArgs,
}

impl Live {
    pub(super) fn run(&self) -> Result<()> {
        let Self { site, request, place, comparison } = self;
        let defaults = if site.is_default() { &StudyDefaults::FIRST_RUN } else { &StudyDefaults::STUDY };
        let settings = request.settings(defaults, place.common.seed, None)?;
        let launcher = StudyLauncher::new(place)?.compare(comparison.compare_algorithms);
        let suffixes = [
            request.run.regret_suffix(RegretKind::Condorcet),
            request.truth.folder_suffix(),
            request.streams.folder_suffix(),
            request.evidence.folder_suffix(),
            settings.run.late.folder_suffix(),
        ];
        let open_site = site.open_for(&launcher.share, &place.common)?;
        let folder = site.default_folder("live", &open_site.prepared.description, &suffixes.concat(), &place.common);
        launcher.run(LiveStudy { site: open_site, settings }, folder)
    }
}
