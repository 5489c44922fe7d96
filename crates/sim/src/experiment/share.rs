//! Shares of an experiment: what all shards need, the runs of one shard, and what the parts of all are parts of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::fingerprint::Fingerprint;
use super::{ExperimentContext, check, estimate, kinds, name_of, sources};
use output::shards::{Cell, Share};
use output::usage::usage;
use simulation::runs::kept_runs;

/// Which share of the runs of an experiment a call plays, and where it keeps them.
#[derive(Debug, Default)]
pub struct ExperimentShare {
    /// How much is done.
    pub share: Share,
    /// The folder of a shard.
    pub folder: Option<PathBuf>,
    /// What the shard has finished.
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

/// What is shared out: what the runs depend on, their revisions, and how many runs there are.
#[derive(Debug)]
pub struct SharedWork {
    /// Names the experiment and what it measures.
    pub config: Value,
    /// The revisions of its algorithms.
    pub revisions: BTreeMap<String, u32>,
    /// Runs of all settings together, before sets of rankers without a Condorcet winner are left out.
    pub runs: u64,
}

/// What the shards of the experiment in `path` share.
///
/// # Errors
/// If the file is invalid, data are missing, or the experiment has no runs.
pub fn shared_work(context: &ExperimentContext, path: &Path) -> Result<SharedWork> {
    let (experiment, name) = (check(path)?, name_of(path)?);
    let fingerprint = Fingerprint::of(context, &experiment, &sources(context, &experiment)?, path)?;
    let algorithms = super::config::expand::algorithms(&experiment.algorithms)?;
    let runs = estimate::estimate(context, None, &experiment)?.runs;
    ensure!(
        runs > 0,
        usage(format!(
            "{}: an experiment of this kind has no runs to share out; run it without --shard",
            path.display()
        ))
    );
    let config = json!({
        "command": "experiment", "experiment": name, "version": env!("CARGO_PKG_VERSION"), "seed": experiment.master_seed(),
        "scale": context.scale, "measured": fingerprint.measured(),
    });
    Ok(SharedWork { config, revisions: kept_runs::revisions(&algorithms), runs })
}

/// Does the share of the experiment in `path` that `context` says, and returns what a shard has finished.
///
/// # Errors
/// As for [`run`](super::run).
pub fn run_share(context: &ExperimentContext, path: &Path) -> Result<Vec<Cell>> {
    let experiment = check(path)?;
    kinds::of(experiment.kind).measure(context, &experiment)?;
    Ok(context.sharing.cells.take())
}
