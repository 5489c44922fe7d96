//! Shards: `--shard`, what a command does differently with it, and the commands about all shards together.
//!
//! | in | is |
//! |---|---|
//! | this file | the flag; claiming the folder of a shard; the part that it leaves |
//! | `merge` | `sim merge` |
//! | `status` | `sim status` |
//! | `submit` | `sim submit`: scripts for clusters, processes of this machine |
//!
//! A shard works in a results folder of its own, `OUT.shards/3-of-64`, as the command does in `OUT`, on its share of the
//! runs. In the end it writes them as a part, `OUT.shards/3-of-64.part`, and removes that folder. Merging is the command
//! itself with `--shard merge:OUT.shards`: it finds all runs in the parts and plays none.

pub(super) mod merge;
pub(super) mod status;
pub(super) mod submit;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::args::OutputArgs;
use super::print::{self, eprintln};
use super::study::extension::{Size, extended};
use output::difference::{Compare, first_difference};
use output::results_folder::{Existing, ResultsFolder};
use output::shards::shard::of_this_task;
use output::shards::{Cell, Header, Made, Part, Parts, Shard, ShardSpec, Share, folder_of, part};
use output::usage::usage;
use output::{create_folder, remove_leftovers, warn, write_json_pretty};
use simulation::lists::Lists;

/// The file in the folder of a working shard that says what it is a share of.
const WORK: &str = ".share.json";

/// The file in the folder of a shard of a matrix with the pieces that are counted.
pub(in crate::cli) const PIECES: &str = "counts";

/// A share of the work.
#[derive(Debug, Args)]
pub(in crate::cli) struct ShardArgs {
    /// Do only share I of N of the work, e.g. 3/64 (0 to 63), and write it to the folder OUT.shards; `sim merge` unites all
    /// shares to the files that one process writes, byte for byte
    ///
    /// auto/N takes I from the number of this task in a job array: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or
    /// PBS_ARRAY_INDEX (auto-1/N if they count from 1). Shares can be done on any machine, in any order and twice; one that
    /// was stopped continues, and one that is finished is not repeated. `prepare` does only what all shares need (the binary
    /// cache of the data, the ranked lists, the ground truth) and keeps it in caches. `sim submit` writes the scripts for a cluster.
    #[arg(long, value_name = "I/N", help_heading = "Runs and results")]
    shard: Option<ShardSpec>,
}

impl ShardArgs {
    /// What is asked for; to merge, the parts are read and checked.
    pub(in crate::cli) fn share(&self) -> Result<Share> {
        Ok(match &self.shard {
            None => Share::All,
            Some(ShardSpec::Prepare) => Share::Prepare,
            Some(ShardSpec::Shard(shard)) => Share::One(*shard),
            Some(ShardSpec::Auto { offset, of }) => Share::One(of_this_task(*offset, *of)?),
            Some(ShardSpec::Merge(folder)) => Share::Merge(Arc::new(Parts::read(folder)?)),
        })
    }
}

/// What is shared out: what all shares have in common.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Work {
    config: Value,
    revisions: BTreeMap<String, u32>,
    unit: &'static str,
    total: u64,
    /// Records that make up a unit, for the status.
    records: u64,
    start: Instant,
}

/// What is written into the folder of a working shard, for the status.
#[derive(Debug, Serialize, Deserialize)]
struct Working {
    header: Header,
    records: u64,
}

impl Work {
    /// The work with the complete configuration `config`: `total` units, e.g. of `run`, computed by these revisions.
    pub(in crate::cli) fn new(
        config: &impl Serialize,
        revisions: BTreeMap<String, u32>,
        (unit, total): (&'static str, u64),
    ) -> Result<Self> {
        let config = serde_json::to_value(config).context("failed to turn the configuration into JSON")?;
        Ok(Self { config, revisions, unit, total, records: 1, start: Instant::now() })
    }

    /// The same for units that consist of several kept records each.
    pub(in crate::cli) fn of_records(self, records: usize) -> Self {
        Self { records: records as u64, ..self }
    }

    fn header(&self, shard: Shard) -> Header {
        let Self { config, revisions, unit, total, .. } = self.clone();
        Header { config, revisions, shard, unit: unit.to_owned(), range: shard.range(total), total }
    }

    /// The configuration.
    pub(in crate::cli) fn config(&self) -> &Value {
        &self.config
    }

    /// Of `units`, those of a share.
    #[must_use]
    pub(in crate::cli) fn share_of(share: &Share, units: u64) -> u64 {
        share.shard().map_or(units, |shard| shard.length(units))
    }

    /// Before anything is computed: checks that parts to be merged are of this work, or writes down in the folder of a
    /// shard what it is a share of.
    pub(in crate::cli) fn begin(&self, share: &Share, folder: &ResultsFolder) -> Result<()> {
        if let Share::One(shard) = share {
            folder.marker()()?;
            let working = Working { header: self.header(*shard), records: self.records };
            write_json_pretty(&folder.join(WORK), &working)?;
        }
        self.check(share)
    }

    /// Checks that parts to be merged are of this work.
    pub(in crate::cli) fn check(&self, share: &Share) -> Result<()> {
        let Share::Merge(parts) = share else { return Ok(()) };
        if let Some(note) = parts.other_builds(env!("SIM_VERSION")) {
            print::note(false, &note);
        }
        parts.check(&self.config, &self.revisions)
    }

    /// Writes the part of `shard` with these records, and removes `folder`, in which it worked.
    pub(in crate::cli) fn finish(
        &self,
        shard: Shard,
        folder: ResultsFolder,
        cells: &[Cell],
        quiet: bool,
    ) -> Result<()> {
        let made = Made { seconds: self.start.elapsed().as_secs_f64(), ..made() };
        leave(&Part::of_cells(self.header(shard), made, cells), folder, quiet)
    }
}

/// Writes a part beside the folder in which its shard worked, and removes that.
pub(in crate::cli) fn leave(part: &Part, folder: ResultsFolder, quiet: bool) -> Result<()> {
    let path = part_of(folder.path());
    part.write(&path)?;
    // What cannot be removed does no harm: the part counts.
    let _ = fs::remove_dir_all(folder.path());
    drop(folder);
    if !quiet {
        let Header { shard, range, unit, .. } = &part.header;
        let count = output::numbers::with_unit(range.end - range.start, unit);
        eprintln!("shard {shard} is finished: {count} in {}", path.display());
    }
    Ok(())
}

/// The part that the shard working in `folder` leaves.
fn part_of(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(format!(".{}", part::ENDING));
    name.into()
}

/// Claims the folder that `share` of the results `out` works in, with the configuration `key`. `None` for a shard whose
/// part is there already, which is said.
pub(in crate::cli) fn claim_shard(
    shard: Shard,
    out: &Path,
    key: &impl Serialize,
    quiet: bool,
) -> Result<Option<ResultsFolder>> {
    let parts = folder_of(out);
    let folder = parts.join(shard.name());
    let path = part_of(&folder);
    match path.exists().then(|| Part::read(&path)) {
        None => {}
        Some(Err(error)) => warn(&format!("{}: {error:#}; the shard is computed again", path.display())),
        Some(Ok(part)) => {
            let key = serde_json::to_value(key).context("failed to turn the configuration into JSON")?;
            let without_version = |mut config: Value| {
                config.as_object_mut().map(|fields| fields.remove("version"));
                config
            };
            let held = without_version(part.header.config);
            if let Some(difference) = first_difference(&held, &without_version(key), Compare::WhatIsWanted) {
                bail!(usage(format!(
                    "{} is a part of other work: {difference}; choose another --out, or remove {}",
                    path.display(),
                    parts.display()
                )));
            }
            // Left if the process was killed after it had written the part.
            let _ = fs::remove_dir_all(&folder);
            if !quiet {
                eprintln!("shard {shard} is finished already: {}", path.display());
            }
            return Ok(None);
        }
    }
    create_folder(&parts)?;
    remove_leftovers(&path);
    ResultsFolder::claim(&folder, key, Existing::SameKey).map(Some)
}

impl OutputArgs {
    /// [`claim`](Self::claim) for a share: a shard gets a folder of its own, or `None` if it is finished already.
    pub(in crate::cli) fn claim_share(
        &self,
        share: &Share,
        usual: impl FnOnce() -> PathBuf,
        key: &impl Serialize,
        quiet: bool,
    ) -> Result<Option<ResultsFolder>> {
        let Some(shard) = share.shard() else { return self.claim(usual, key, quiet).map(Some) };
        ensure!(!self.replace, no_replace());
        claim_shard(shard, &self.out.clone().unwrap_or_else(usual), key, quiet)
    }
}

/// The error for `--replace` of a shard, which others would not know of.
pub(in crate::cli) fn no_replace() -> anyhow::Error {
    usage("--replace does not go with --shard, which replaces nothing; give it to `sim merge`")
}

/// What must be played for a share of what is `asked`, as [`extended`]. Results that shards are merged into may not hold
/// more than the shards were asked for.
pub(in crate::cli) fn extended_by(share: &Share, asked: Size, folder: &ResultsFolder, quiet: bool) -> Result<Size> {
    let Share::Merge(parts) = share else { return extended(asked, folder, quiet) };
    let all = extended(asked.clone(), folder, true)?;
    ensure!(
        all.equals(&asked),
        usage(format!(
            "{} holds more than the parts in {}: {}; merge them into another folder with --out, or add --replace to move it aside",
            folder.path().display(),
            parts.folder().display(),
            all.describe()
        ))
    );
    Ok(all)
}

/// Where the lists of a site come from for a share of the work: `prepare` keeps them beside the binary caches of data, and
/// whoever finds them there uses them. What is merged needs few of them.
pub(in crate::cli) fn lists_for(share: &Share, no_cache: bool) -> Lists {
    match (share, letor_io::cache::folder().filter(|_| !no_cache)) {
        (Share::Merge(_), _) => Lists::WhenUsed,
        (Share::Prepare, Some(folder)) => Lists::Keep(folder),
        (_, Some(folder)) => Lists::Kept(folder),
        (_, None) => Lists::Ranked,
    }
}

/// Says that a command has nothing that all shards need.
pub(in crate::cli) fn nothing_to_prepare(quiet: bool) {
    if !quiet {
        eprintln!("nothing to prepare: every shard reads what it needs");
    }
}

/// Says what was prepared.
pub(in crate::cli) fn prepared(what: &str, quiet: bool) {
    if !quiet {
        eprintln!("prepared for all shards: {what}");
    }
}

thread_local! {
    /// The arguments of the command that this thread runs.
    static ARGUMENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Remembers the arguments of the command that this thread is about to run, with those from `sim.toml`.
pub(super) fn invoked_with(arguments: &[OsString]) {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    ARGUMENTS.set(words);
}

/// How the part of the present command comes about.
pub(in crate::cli) fn made() -> Made {
    Made {
        arguments: of_the_work(&ARGUMENTS.with_borrow(Clone::clone)),
        folder: std::env::current_dir().map_or_else(|_| String::new(), |folder| folder.to_string_lossy().into_owned()),
        build: env!("SIM_VERSION").to_owned(),
        ..Made::default()
    }
}

/// Flags of a process, which say nothing of the work: with values, and without.
const OF_A_PROCESS: ([&str; 3], [&str; 5]) =
    (["--shard", "--out", "--threads"], ["--quiet", "--json", "--replace", "--again", "--resume"]);

/// `arguments` without the flags of a process.
fn of_the_work(arguments: &[String]) -> Vec<String> {
    let (with_value, alone) = OF_A_PROCESS;
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if with_value.contains(&name) {
            if !word.contains('=') {
                words.next();
            }
        } else if !alone.contains(&name) {
            kept.push(word.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_process_are_not_those_of_the_work() {
        let words = "bandit --shard 3/7 --problem btl:k=10 --out=a --quiet --threads 2 --runs 5 --json --out b";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(of_the_work(&words).join(" "), "bandit --problem btl:k=10 --runs 5");
    }
}
