//! Studies of an open site, whose commands follow from them.

use std::sync::Arc;

use anyhow::Result;
use output::shards::Share;
use simulation::spec::SiteSpec;

use crate::runner::Study;
use crate::site::OpenSite;

/// A study of an open site, whose request is flags of the command line, too. The command, its help, shards, `rankduel.toml` and the
/// function in Python follow from this.
pub trait OnSite: Study {
    /// What was asked for, apart from the site and the seed. Its fields are flags, and arguments in Python.
    type Request: clap::Args + Send + 'static;
    /// What it does, in half a line.
    const ABOUT: &'static str;
    /// What it writes, and what else its users should know.
    const DETAILS: &'static str;
    /// Commands to begin with, a line each: `rankduel ties --draws 50`, two spaces before.
    const EXAMPLES: &'static str;
    /// Where its results go if nothing else is said.
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

/// Where the results of a study go if nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsualPlace {
    /// A folder in `results/`, named after the command and the site.
    Folder,
    /// Nowhere: they are printed.
    Memory,
}
