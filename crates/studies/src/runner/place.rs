//! Where results go, claimed before anything is computed.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use output::messages::info;
use output::results_folder::{ClaimedFile, ExistingResults, ResultsFolder, claim_file};
use output::shards::{Cell, Shard, Share};
use output::usage::usage;
use serde::Serialize;
use serde_json::Value;

use super::Execution;
use super::share::{ShardedWork, claim_shard, no_replace};
use crate::report::{Report, write_files};

/// Where the results of a study go.
#[derive(Debug, Clone, Default)]
pub enum Destination {
    /// Nowhere: they stay in memory.
    #[default]
    Memory,
    /// Into a results folder.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What it holds moves aside when the new results are complete.
        replace: bool,
        /// Whether the user named it: folders above it that had to be created are then named.
        is_named: bool,
    },
    /// Into one file: the JSON of the report.
    File {
        /// The file.
        path: PathBuf,
        /// What is there moves aside.
        replace: bool,
    },
}

/// A place that is claimed, in which a share of a study is at work.
#[derive(Debug)]
pub struct Workplace {
    pub(super) claimed: ClaimedPlace,
    share: Share,
    quiet: bool,
}

#[derive(Debug)]
pub(super) enum ClaimedPlace {
    Memory,
    Folder(Box<ResultsFolder>),
    File { path: PathBuf, file: ClaimedFile },
}

impl Workplace {
    /// Claims the place of an execution for results of the configuration `key`; `None` for a shard whose part is there already.
    pub(super) fn claim_for(execution: &Execution, key: &impl Serialize) -> Result<Option<Self>> {
        let Execution { destination: place, share, quiet, .. } = execution;
        let claimed = match (share.shard(), place) {
            (None, Destination::Memory) => ClaimedPlace::Memory,
            (Some(_), Destination::Memory) => {
                return Err(usage("a shard writes its part beside the results; say with --out where those are"));
            }
            (Some(shard), Destination::Folder { path, replace, .. } | Destination::File { path, replace }) => {
                ensure!(!replace, no_replace());
                let Some(folder) = claim_shard(shard, path, key, *quiet)? else { return Ok(None) };
                ClaimedPlace::Folder(Box::new(folder))
            }
            (None, Destination::Folder { path, replace, is_named: named }) => ClaimedPlace::Folder(Box::new(
                claim_folder(path, ExistingResults::from_flag(*replace), *named, key, *quiet)?,
            )),
            (None, Destination::File { path, replace }) => {
                let file = claim_file(path, key, ExistingResults::from_flag(*replace))?;
                if let Some(backup) = file.moves_to() {
                    info(*quiet, &move_notice(path, backup));
                }
                if let Some(parent) = path.parent() {
                    announce_missing(parent, *quiet);
                }
                output::create_folder_of(path)?;
                output::remove_leftovers(path);
                output::check_writable(path)?;
                ClaimedPlace::File { path: path.clone(), file }
            }
        };
        Ok(Some(Self { claimed, share: share.clone(), quiet: *quiet }))
    }

    /// The folder, if it is one.
    #[must_use]
    pub fn folder(&self) -> Option<&ResultsFolder> {
        match &self.claimed {
            ClaimedPlace::Folder(folder) => Some(folder),
            ClaimedPlace::Memory | ClaimedPlace::File { .. } => None,
        }
    }

    /// The results that are there already: the configuration of a folder, the content of a file.
    #[must_use]
    pub fn existing_results(&self) -> Option<Value> {
        match &self.claimed {
            ClaimedPlace::Memory => None,
            ClaimedPlace::Folder(folder) => folder.config().cloned(),
            ClaimedPlace::File { file, .. } if file.moves_to().is_some() => None,
            ClaimedPlace::File { path, .. } => {
                let bytes = output::input::read_file(path, output::input::MAX_RESULT_BYTES).ok()?;
                serde_json::from_slice(&bytes).ok()
            }
        }
    }

    /// Its name for users.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.claimed {
            ClaimedPlace::Memory => "memory".to_owned(),
            ClaimedPlace::Folder(folder) => folder.path().display().to_string(),
            ClaimedPlace::File { path, .. } => path.display().to_string(),
        }
    }

    /// Whether a folder has this file.
    #[must_use]
    pub fn has(&self, file: &str) -> bool {
        self.folder().is_some_and(|folder| folder.join(file).exists())
    }

    /// The share of the work that is done here.
    #[must_use]
    pub fn share(&self) -> &Share {
        &self.share
    }

    /// Whether neither progress nor remarks are printed.
    #[must_use]
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    pub(super) fn check(&self, config: &impl Serialize) -> Result<()> {
        self.folder().map_or(Ok(()), |folder| folder.check(config))
    }

    pub(super) fn begin(&self, work: &ShardedWork) -> Result<()> {
        match self.folder() {
            Some(folder) => work.begin(&self.share, folder),
            None => work.check(&self.share),
        }
    }

    /// Writes a report; `complete` is called among the files of a folder. Returns where it is, for people.
    pub(super) fn write(
        &self,
        config: &impl Serialize,
        report: &Report,
        complete: impl FnOnce() -> Result<()>,
    ) -> Result<String> {
        match &self.claimed {
            ClaimedPlace::Memory => Ok(String::new()),
            ClaimedPlace::Folder(folder) => {
                folder.write(config, || {
                    write_files(folder.path(), &report.files, config)?;
                    complete()
                })?;
                Ok(format!("results in {}: {}", folder.path().display(), report.names()))
            }
            ClaimedPlace::File { path, file } => {
                file.write(|path| output::write_atomic(path, &output::json_file(&report.json)))?;
                Ok(format!("results: {}", path.display()))
            }
        }
    }

    /// Writes the part of `shard` with these records, and removes the folder in which it worked.
    pub(super) fn leave_part(self, work: &ShardedWork, shard: Shard, cells: &[Cell]) -> Result<()> {
        let ClaimedPlace::Folder(folder) = self.claimed else { bail!("a shard has a folder") };
        work.leave_part(shard, *folder, cells, self.quiet)
    }
}

/// Claims the results folder at `path` for the configuration `key`. Unless `quiet`, prints what was moved aside and, if the
/// user `is_named` it, which folder was created.
///
/// # Errors
/// Those of [`ResultsFolder::claim`].
pub fn claim_folder(
    path: &Path,
    existing: ExistingResults,
    is_named: bool,
    key: &impl Serialize,
    quiet: bool,
) -> Result<ResultsFolder> {
    let folder = ResultsFolder::claim(path, key, existing)?;
    if let Some(backup) = folder.moves_to() {
        info(quiet, &move_notice(path, backup));
    }
    if let Some(parent) = folder.created_parent().filter(|_| is_named) {
        info(quiet, &format!("created the folder {} for --out {}", parent.display(), path.display()));
    }
    Ok(folder)
}

/// Where the results at `path` move.
fn move_notice(path: &Path, aside: &Path) -> String {
    format!("what {} holds moves to {} when the new results are complete", path.display(), aside.display())
}

/// Prints that `results_path`, a folder of folders or a file's parents, will be created.
pub fn announce_missing(results_path: &Path, quiet: bool) {
    let ancestors = results_path.ancestors().filter(|ancestors| !ancestors.as_os_str().is_empty());
    if let Some(topmost) = ancestors.take_while(|ancestors| !ancestors.exists()).last() {
        info(quiet, &format!("created the folder {} for --out", topmost.display()));
    }
}
