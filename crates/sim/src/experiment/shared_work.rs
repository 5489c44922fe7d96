//! Shares of an experiment: the needs of all shards, the runs of one shard, and the work that all parts are parts of.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::context::{ExperimentContext, sources};
use super::experiment_file::{check, name_of};
use super::fingerprint::Fingerprint;
use super::{estimate, kinds};
use output::shards::Cell;
use output::usage::usage;
use simulation::runs::kept_runs;

/// The work to be shared out: its identity, the revisions of its algorithms, and the number of runs.
#[derive(Debug)]
pub struct SharedWork {
    /// Identifies the experiment and its measurements.
    pub config: Value,
    /// The revisions of its algorithms.
    pub revisions: BTreeMap<String, u32>,
    /// Runs of all settings together, before sets of rankers without a Condorcet winner are left out.
    pub runs: u64,
}

/// The work that the shards of the experiment in `path` share.
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
        "scale": context.scale, "measured": fingerprint.measurements_hash(),
    });
    Ok(SharedWork { config, revisions: kept_runs::revisions(&algorithms), runs })
}

/// Does the share of the experiment in `path` that `context` selects, and returns the finished cells of a shard.
///
/// # Errors
/// As for [`run`](super::run).
pub fn run_share(context: &ExperimentContext, path: &Path) -> Result<Vec<Cell>> {
    let experiment = check(path)?;
    kinds::kind_named(experiment.kind).measure(context, &experiment)?;
    Ok(context.sharing.cells.take())
}
