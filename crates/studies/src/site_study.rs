//! Studies of an open site; their commands follow from them.

use std::sync::Arc;

use anyhow::Result;
use output::shards::Share;
use simulation::spec::SiteSpec;

use crate::runner::Study;
use crate::site::OpenSite;

/// A study of an open site, with a request that is also the flags of the command line. The command, its help, shards,
/// `rankduel.toml` and the function in Python follow from this.
pub trait SiteStudy: Study {
    /// The request, apart from the site and the seed. Its fields are flags, and arguments in Python.
    type Request: clap::Args + Send + 'static;
    /// A summary, in half a line.
    const ABOUT: &'static str;
    /// The files it writes, and other details for users.
    const DETAILS: &'static str;
    /// Commands to begin with, one per line: `rankduel ties --draws 50`, two spaces before.
    const EXAMPLES: &'static str;
    /// The default place of its results.
    const USUAL_PLACE: UsualPlace;

    /// Checks what can be checked before data are opened.
    ///
    /// # Errors
    /// As wrong usage, or if memory has no room.
    fn check(_request: &Self::Request, _site: &SiteSpec, _share: &Share) -> Result<()> {
        Ok(())
    }

    /// The study of this site.
    ///
    /// # Errors
    /// As wrong usage, if the site does not allow the request.
    fn on(site: Arc<OpenSite>, request: Self::Request, seed: u64) -> Result<Self>;
}

/// The default place of the results of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsualPlace {
    /// A folder in `results/`, named after the command and the site.
    Folder,
    /// Nowhere: they are printed.
    Memory,
}
