//! Shards: the folder in which one works, and the part that it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use letor_io::cache;
use output::difference::{Compare, first_difference};
use output::messages::{info, note, warn};
use output::results_folder::{ExistingResults, ResultsFolder};
use output::shards::{Cell, Header, Invocation, Part, Shard, Share, folder_of, part};
use output::usage::usage;
use output::{create_folder, remove_leftovers, write_json_pretty};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simulation::lists::ListSource;

use crate::runner::Units;

/// The file in the folder of a working shard with the header of its work.
pub const WORK: &str = ".share.json";

/// The file in the folder of a shard of a matrix with the pieces that are counted.
pub const COUNTS_FILE: &str = "counts";

/// Work that is divided into shares, as far as all shares have it in common.
#[derive(Debug, Clone)]
pub struct ShardedWork {
    config: Value,
    units: Units,
    invocation: Invocation,
    start: Instant,
}

/// What is written into the folder of a working shard, for the status.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkingShard {
    /// That of the part to come.
    pub header: Header,
    /// Kept records that make up a unit.
    pub records: u64,
}

impl ShardedWork {
    /// The work with the complete configuration `config`, started by `invocation`.
    ///
    /// # Errors
    /// If the configuration has no JSON form.
    pub fn new(config: &impl Serialize, units: Units, invocation: &Invocation) -> Result<Self> {
        let config = serde_json::to_value(config).context("failed to turn the configuration into JSON")?;
        Ok(Self { config, units, invocation: invocation.clone(), start: Instant::now() })
    }

    fn header(&self, shard: Shard) -> Header {
        let Self { config, units: Units { unit, total, revisions, .. }, .. } = self.clone();
        Header { config, revisions, shard, unit: unit.to_owned(), range: shard.range(total), total }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Value {
        &self.config
    }

    /// Before anything is computed: checks that parts to be merged are of this work, or writes the header into the
    /// folder of a shard.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and if the folder cannot be written to.
    pub fn begin(&self, share: &Share, folder: &ResultsFolder) -> Result<()> {
        if let Share::One(shard) = share {
            folder.marker()()?;
            let working = WorkingShard { header: self.header(*shard), records: self.units.records };
            write_json_pretty(&folder.join(WORK), &working)?;
        }
        self.check(share)
    }

    /// Checks that parts to be merged are of this work.
    ///
    /// # Errors
    /// If they are not.
    pub fn check(&self, share: &Share) -> Result<()> {
        let Share::Merge(parts) = share else { return Ok(()) };
        if let Some(other_builds) = parts.other_builds(&self.invocation.build) {
            note(false, &other_builds);
        }
        parts.check(&self.config, &self.units.revisions)
    }

    /// Writes the part of `shard` with these records, and removes the folder in which it worked.
    ///
    /// # Errors
    /// If the part cannot be written.
    pub fn leave_part(&self, shard: Shard, folder: ResultsFolder, cells: &[Cell], quiet: bool) -> Result<()> {
        let invocation = Invocation { seconds: self.start.elapsed().as_secs_f64(), ..self.invocation.clone() };
        leave_part(&Part::of_cells(self.header(shard), invocation, cells), folder, quiet)
    }
}

/// Writes a part beside the folder in which its shard worked, and removes that.
///
/// # Errors
/// If the part cannot be written.
pub fn leave_part(part: &Part, folder: ResultsFolder, quiet: bool) -> Result<()> {
    let path = part_of(folder.path());
    part.write(&path)?;
    // What cannot be removed does no harm: the part counts.
    let _ = fs::remove_dir_all(folder.path());
    drop(folder);
    let Header { shard, range, unit, .. } = &part.header;
    let count = output::numbers::with_unit(range.end - range.start, unit);
    info(quiet, &format!("shard {shard} is finished: {count} in {}", path.display()));
    Ok(())
}

/// The part that the shard working in `folder` leaves.
fn part_of(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(format!(".{}", part::ENDING));
    name.into()
}

/// Claims the folder that `shard` of the results `results_path` works in, with the configuration `key`. `None` for a shard whose
/// part is there already.
///
/// # Errors
/// If the part or the folder is of other work, or cannot be written to.
pub fn claim_shard(
    shard: Shard,
    results_path: &Path,
    key: &impl Serialize,
    quiet: bool,
) -> Result<Option<ResultsFolder>> {
    let parts_folder = folder_of(results_path);
    let folder = parts_folder.join(shard.name());
    let path = part_of(&folder);
    match path.exists().then(|| Part::read(&path)) {
        None => {}
        Some(Err(error)) => warn(false, &format!("{}: {error:#}; the shard is computed again", path.display())),
        Some(Ok(part)) => {
            let key = serde_json::to_value(key).context("failed to turn the configuration into JSON")?;
            let without_version = |mut config: Value| {
                config.as_object_mut().map(|fields| fields.remove("version"));
                config
            };
            let held = without_version(part.header.config);
            if let Some(difference) = first_difference(&held, &without_version(key), Compare::WhatIsWanted) {
                bail!(usage(format!(
                    "{0} is a part of other work: {difference}; choose another --out, or remove {0}",
                    path.display()
                )));
            }
            // Left if the process was killed after it had written the part.
            let _ = fs::remove_dir_all(&folder);
            info(quiet, &format!("shard {shard} is finished already: {}", path.display()));
            return Ok(None);
        }
    }
    create_folder(&parts_folder)?;
    remove_leftovers(&path);
    ResultsFolder::claim(&folder, key, ExistingResults::SameKey).map(Some)
}

/// The error for `--replace` of a shard: the other shards would not see it.
#[must_use]
pub fn no_replace() -> anyhow::Error {
    let program = output::program::name();
    usage(format!("--replace does not go with --shard, which replaces nothing; give it to `{program} merge`"))
}

/// Where the lists of a site come from for a share of the work: `prepare` keeps them beside the binary caches of data, and
/// every other share uses them if they are there. Merging needs few of them.
#[must_use]
pub fn lists_for(share: &Share, no_cache: bool) -> ListSource {
    match (share, cache::folder().filter(|_| !no_cache)) {
        (Share::Merge(_), _) => ListSource::Lazy,
        (Share::Prepare, Some(folder)) => ListSource::BuildAndCache(folder),
        (_, Some(folder)) => ListSource::FromCache(folder),
        (_, None) => ListSource::InMemory,
    }
}

/// The revisions of what computes the values of `command`, which have had one so far.
#[must_use]
pub fn first_revision(command: &str) -> BTreeMap<String, u32> {
    [(command.to_owned(), 1)].into()
}
