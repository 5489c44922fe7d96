//! Which share of the runs of an experiment a call plays.

use std::path::PathBuf;

use output::shards::{Cell, Share};

/// Which share of the runs of an experiment a call plays, and where it keeps them.
#[derive(Debug, Default)]
pub struct ExperimentShare {
    /// The share to do.
    pub share: Share,
    /// The folder of a shard.
    pub folder: Option<PathBuf>,
    /// The finished cells of the shard.
    pub(crate) cells: std::cell::RefCell<Vec<Cell>>,
}

impl ExperimentShare {
    /// Whether all that is measured is known in the end, so that it can be drawn.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self.share, Share::All | Share::Merge(_))
    }

    /// Whether nothing is played.
    pub(crate) fn only_prepares(&self) -> bool {
        matches!(self.share, Share::Prepare)
    }
}
