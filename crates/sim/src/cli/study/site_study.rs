//! The command of any study of a site, made from the study's description of itself.

use anyhow::Result;
use clap::{Arg, Args};
use studies::{SiteStudy, UsualPlace};

use super::StudyLauncher;
use crate::cli::args::{PlaceArgs, SiteArgs};

/// The flags of a study of a site: the site's, its own, and those common to studies.
#[derive(Args)]
#[command(about = S::ABOUT, long_about = format!("{}.\n\n{}", S::ABOUT, S::DETAILS))]
#[command(after_long_help = format!("Examples:\n{}", S::EXAMPLES))]
#[command(mut_args = |flag| with_site_default(flag, S::USUAL_PLACE))]
pub(in crate::cli) struct SiteStudyArgs<S: SiteStudy> {
    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    request: S::Request,

    #[command(flatten)]
    place: PlaceArgs,
}

impl<S: SiteStudy> SiteStudyArgs<S> {
    pub(in crate::cli) fn run(self) -> Result<()> {
        let Self { site, request, place } = self;
        let launcher = StudyLauncher::new(&place)?.with_default_place(S::USUAL_PLACE);
        S::check(&request, &site.spec()?, &launcher.share)?;
        let open_site = site.open_for(&launcher.share, &place.common)?;
        let folder = site.default_folder(S::COMMAND, &open_site.prepared.description, "", &place.common);
        launcher.run(S::on(open_site, request, place.common.seed)?, folder)
    }
}

/// `flag` with help on where results go, if that is not a folder in any case.
fn with_site_default(flag: Arg, default_place: UsualPlace) -> Arg {
    match (flag.get_id().as_str(), default_place) {
        ("out", UsualPlace::Memory) => flag
            .help("Results folder, or a file ending in .json for the JSON alone [default: nothing is written]")
            .long_help(None),
        ("out", UsualPlace::Folder) => flag
            .help("Results folder [default: results/NAME, where NAME is made of the command, the data, rankers and users]")
            .long_help(
                "Results folder [default: results/NAME, where NAME is made of the command, the data, rankers and users]\n\n\
                 The same command continues there after an interruption. Results of other settings are refused.",
            ),
        _ => flag,
    }
}
