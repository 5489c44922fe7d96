//! A folder of results and its one owner.
//!
//! Every command that writes a folder claims it first and holds its lock until `config.json` is written, the last of its
//! files. A folder is keyed by its `config.json` without what makes a study larger or smaller ([`SIZES`]): a claim with
//! another key is refused, and with the same key the folder can only grow. A folder whose `config.json` is not written yet
//! has its key in `.unfinished.json`. Results that replace others are made beside them (`replacement`).
//!
//! # Inside
//!
//! A folder is locked with `flock` on the folder itself, so that a lock leaves no file and ends with its process; where only files can be
//! locked, with a file `.lock`. The *key* of a folder is its configuration without sizes (`results_folder::SIZES`). A study claims a folder
//! with the part of the key known before the ground truth is estimated (`Study::key`), and the rest is checked afterwards. A folder without
//! `config.json` keeps its key in `.unfinished.json`, and while the files of a finished study are written, its sizes too: then a killed
//! writer loses no algorithm. `studies::runner::Size` joins the content of the folder and the request.
//!
//! Files that were in a folder before any results are foreign. While results are written they have a second, hidden name, and one that
//! results replaced becomes `NAME.old-1` (`results_folder::foreign`). A symbolic link among them is replaced itself, and its target stays
//! as it is; links above the folder are followed.
//!
//! `--replace` makes the new results in a hidden folder beside the old ones (`.NAME.new`), exchanges both in one step when they are
//! complete, and then calls the old ones `NAME.old-1`. So a failure or a signal leaves the old results, and the same command continues with
//! its kept work. A symbolic link stays, and its target is replaced.
//!
//! `simulation::kept_runs` keeps each finished run in `.runs/`, one file per cell, through `output::records`, as experiments do in their
//! cache. A record has a checksum, which covers the line that names the cell. A line that was cut off is ignored. A line with a missing or
//! wrong checksum is damaged: its run is played again with a warning. When a study is complete, its cells are rewritten in order and
//! without seconds, so that they too have the same bytes after any interruption; cells of shorter runs or other checkpoints of its
//! algorithms are removed. Runs themselves are not saved halfway. A folder of an earlier version has no kept runs, and its runs are played
//! again when it is extended.
//!
//! `output::interrupt` handles SIGINT and SIGTERM in a thread of its own: it waits until files that are being written are complete, prints
//! one line about what is kept, and ends the process by the same signal. `tests/interruptions` stops every writing command at random
//! moments and compares bytes.

mod foreign_files;
mod replacement;

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::Value;

use super::claimed_folder::ClaimedFolder;
use super::difference::{Compare, first_difference};
use super::files::{
    check_writable, create_folder_listing, path_error, remove_leftovers_in, remove_stale, write_json_pretty,
};
use super::lock::Lock;
use super::usage::usage;
use super::{input, interrupt};
use foreign_files::ForeignFiles;
use replacement::Replacement;

pub use replacement::ClaimedFile;

/// The fields of a configuration that are not part of a folder's key.
pub const SIZES: [&str; 7] = ["version", "steps", "runs", "algorithms", "own_algorithms", "checkpoints", "horizons"];

/// The field, of any object in a configuration, for what rankers and arms are called. It is not part of a folder's key
/// either.
pub const NAMES: &str = "names";

/// The name of the file with the key, and in the end the configuration, of a folder that is not finished.
const UNFINISHED: &str = ".unfinished.json";

/// The handling of a folder that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingResults {
    /// Accept only results of the same key.
    SameKey,
    /// Start in an empty one beside it, and move it aside when the new results are complete.
    MoveAside,
}

impl ExistingResults {
    /// As requested by the flag `--replace`.
    #[must_use]
    pub fn from_flag(replace: bool) -> Self {
        if replace { Self::MoveAside } else { Self::SameKey }
    }
}

/// A claimed folder. A folder that was created for the claim and is empty in the end is removed.
#[derive(Debug)]
pub struct ResultsFolder {
    path: PathBuf,
    /// The configuration without sizes, as far as it was known when the folder was claimed.
    key: Value,
    held: Option<Value>,
    /// The names of visible files that were there before any results: they are foreign.
    foreign: Vec<OsString>,
    /// Whether `config.json` was there.
    finished: bool,
    /// The key is written before the first thing that depends on it.
    marked: Arc<Mutex<bool>>,
    created: CreatedFolders,
    replacement: Option<Replacement>,
    _claimed: ClaimedFolder,
    // Declared last: the lock is released after everything else.
    _lock: Lock,
}

impl ResultsFolder {
    /// Claims the folder at `path` for results of the configuration `key`, which may lack fields that are not known yet:
    /// creates it, locks it, checks that it is writable, and removes temporary files of killed writers.
    ///
    /// # Errors
    /// If another command is working in the folder, if it holds results of another key, or if it cannot be created or written
    /// to; then nothing in it changes.
    pub fn claim(path: &Path, key: &impl Serialize, existing: ExistingResults) -> Result<Self> {
        let key = serde_json::to_value(key).context("failed to turn the configuration into JSON")?;
        let mut created = CreatedFolders(Vec::new());
        // Without the slash or dot at the end, with which a symbolic link would be the folder that it leads to.
        let path = &path.components().collect::<PathBuf>();
        let requested_path = path;
        let (mut replaces, mut path, mut folder_lock) = (None, path.to_path_buf(), lock_folder(path, &mut created)?);
        if existing == ExistingResults::MoveAside && !is_empty(&path)? {
            let (replacement, new_path, lock_of_new) = Replacement::begin(&path, folder_lock, &key, &mut created)?;
            (replaces, path, folder_lock) = (Some(replacement), new_path, lock_of_new);
        }
        let path = &path;
        let (held, finished) = config_in(path)?;
        if let Some(held) = &held {
            refuse_other_key(path, held, &key, Compare::WhatIsWanted)?;
        }
        foreign_files::settle_leftovers(path)?;
        let foreign = if held.is_none() { foreign_files::files_in(path)? } else { Vec::new() };
        let claimed = ClaimedFolder::new(path);
        check_writable(&path.join("config.json"))?;
        remove_leftovers_in(path, None);
        interrupt::remove_when_stopped(created.0.clone());
        let name = requested_path.display().to_string();
        interrupt::say_when_stopped(move || format!("stopped; {name} is as it was, and the same command starts again"));
        let marked = Arc::new(Mutex::new(held.is_some()));
        Ok(Self {
            path: path.clone(),
            key,
            held,
            foreign,
            finished,
            marked,
            created,
            replacement: replaces,
            _claimed: claimed,
            _lock: folder_lock,
        })
    }

    /// Where it is: while results that replace others are not complete, a hidden folder beside these.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.replacement.as_ref().and_then(Replacement::finished_path).unwrap_or(&self.path)
    }

    /// The path of a file in it.
    #[must_use]
    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The configuration of the results that it holds. If they were being written when the process was killed, the sizes are those of all
    /// runs, which are finished; if runs are missing, there are no sizes.
    #[must_use]
    pub fn config(&self) -> Option<&Value> {
        self.held.as_ref()
    }

    /// Whether it was complete when it was claimed.
    #[must_use]
    pub fn was_finished(&self) -> bool {
        self.finished
    }

    /// Where its former content moves when the new results are complete.
    #[must_use]
    pub fn moves_to(&self) -> Option<&Path> {
        self.replacement.as_ref().map(Replacement::aside)
    }

    /// The outermost folder that was created above it, if any.
    #[must_use]
    pub fn created_parent(&self) -> Option<&Path> {
        self.created.0.last().filter(|folder| **folder != self.path).map(PathBuf::as_path)
    }

    /// Checks that its content has the key of the complete configuration `config`.
    ///
    /// # Errors
    /// If it has not.
    pub fn check(&self, config: &impl Serialize) -> Result<()> {
        let config = serde_json::to_value(config).context("failed to turn the configuration into JSON")?;
        match &self.held {
            // The configuration of an unfinished folder may be incomplete.
            Some(held) if held.get("version").is_some() => {
                refuse_other_key(&self.path, held, &config, Compare::Everything)
            }
            _ => Ok(()),
        }
    }

    /// A function that marks the folder as unfinished, to be called before anything of a larger study is kept in it, any
    /// number of times and on any thread.
    pub fn marker(&self) -> impl Fn() -> Result<()> + Send + Sync + use<> {
        let (marked, path, key) = (Arc::clone(&self.marked), self.path.join(UNFINISHED), without_sizes(&self.key));
        move || {
            let mut marked = marked.lock().unwrap_or_else(PoisonError::into_inner);
            if !*marked {
                write_json_pretty(&path, &key)?;
                *marked = true;
            }
            Ok(())
        }
    }

    /// Writes results: `files` writes everything except `config.json`, which describes the results. The old `config.json` is
    /// removed first and the new one is written last, so a folder whose writer was interrupted has none and is recognisably
    /// incomplete.
    ///
    /// # Errors
    /// If a file cannot be written, or the folder holds results of another key.
    pub fn write<T>(&self, config: &impl Serialize, files: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check(config)?;
        let name = self.path.display().to_string();
        interrupt::say_when_stopped(move || {
            format!("stopped while {name} was being written; the same command completes it")
        });
        // From here on, an interrupted writer leaves this instead of `config.json`.
        write_json_pretty(&self.path.join(UNFINISHED), config)?;
        let path = self.path.join("config.json");
        remove_stale(&path)?;
        let foreign = ForeignFiles::keep(&self.path, &self.foreign)?;
        let file_names = files()?;
        foreign.set_aside()?;
        write_json_pretty(&path, config)?;
        remove_stale(&self.path.join(UNFINISHED))?;
        if let Some(replacement) = &self.replacement {
            replacement.finish(&self.path)?;
        }
        interrupt::say_nothing_when_stopped();
        Ok(file_names)
    }
}

/// A folder described by something else than `config.json`, such as an experiment's, and its one owner. Empty in the end, it is removed if
/// it was created for the claim.
#[derive(Debug)]
pub struct FolderOfOtherFiles {
    _created: CreatedFolders,
    _claimed: ClaimedFolder,
    _lock: Lock,
}

impl FolderOfOtherFiles {
    /// Creates and locks the folder at `path` for `command`, and removes temporary files of killed writers.
    ///
    /// # Errors
    /// If another command is working in it, if it holds results with a `config.json`, or if it cannot be created or written to.
    pub fn claim(path: &Path, command: &str) -> Result<Self> {
        let mut created = CreatedFolders(Vec::new());
        let lock = lock_folder(path, &mut created)?;
        if let (Some(held), _) = config_in(path)? {
            refuse_other_key(path, &held, &serde_json::json!({"command": command}), Compare::WhatIsWanted)?;
        }
        check_writable(&path.join("summary.json"))?;
        remove_leftovers_in(path, None);
        interrupt::remove_when_stopped(created.0.clone());
        Ok(Self { _created: created, _claimed: ClaimedFolder::new(path), _lock: lock })
    }
}

/// Checks that a file of results may be written to `path`: there is none, or one with the fields of `key`. With
/// [`ExistingResults::MoveAside`], a file that is there moves to a free name when the new one is written.
///
/// # Errors
/// If the file holds other results, or cannot be read.
pub fn claim_file(path: &Path, key: &impl Serialize, existing: ExistingResults) -> Result<ClaimedFile> {
    let bytes = match input::read_file(path, input::MAX_RESULT_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ClaimedFile::new(path, None)),
        Err(error) => return Err(path_error(error, "read", path)),
    };
    if existing == ExistingResults::MoveAside {
        return Ok(ClaimedFile::new(path, Some(replacement::aside_path_of(path)?)));
    }
    let key = serde_json::to_value(key).context("failed to turn the configuration into JSON")?;
    let held = serde_json::from_slice(&bytes).unwrap_or_default();
    refuse_other_key(path, &held, &key, Compare::WhatIsWanted).map(|()| ClaimedFile::new(path, None))
}

/// Folders created for a claim, inner ones first. Those that are empty in the end are removed.
#[derive(Debug)]
struct CreatedFolders(Vec<PathBuf>);

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        interrupt::remove_empty(&self.0);
    }
}

/// Writes a folder within a claimed one, in the same order as [`ResultsFolder::write`].
///
/// # Errors
/// If a file cannot be written.
pub fn write_part<T>(folder: &Path, config: &impl Serialize, files: impl FnOnce() -> Result<T>) -> Result<T> {
    create_folder_listing(folder)?;
    remove_leftovers_in(folder, None);
    let path = folder.join("config.json");
    remove_stale(&path)?;
    let file_names = files()?;
    write_json_pretty(&path, config)?;
    Ok(file_names)
}

/// Creates the folder at `path`, adds the folders that were missing to `created`, and locks it.
fn lock_folder(path: &Path, created: &mut CreatedFolders) -> Result<Lock> {
    let mut missing_folders = Vec::new();
    loop {
        missing_folders.extend(create_folder_listing(path)?);
        match Lock::of_folder(path) {
            Ok(None) => {
                bail!("another command is working in {}; wait until it ends, or choose another --out", path.display())
            }
            Ok(Some(lock)) if lock.is_of(path) => {
                // Without the lock, an empty folder may belong to the other command.
                missing_folders.into_iter().for_each(|folder| created.0.insert(0, folder));
                return Ok(lock);
            }
            // It was moved away or removed in between.
            Ok(Some(_)) => {}
            Err(error) if path.exists() => return Err(error),
            Err(_) => {}
        }
    }
}

/// The configuration in the folder at `path`, if any, and whether it is finished.
fn config_in(path: &Path) -> Result<(Option<Value>, bool)> {
    for (name, finished) in [("config.json", true), (UNFINISHED, false)] {
        let path = path.join(name);
        match input::read_file(&path, input::MAX_RESULT_BYTES) {
            Ok(bytes) => {
                return Ok((Some(in_todays_form(serde_json::from_slice(&bytes).unwrap_or_default())), finished));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(path_error(error, "read", &path)),
        }
    }
    Ok((None, false))
}

/// A configuration with the fields that earlier versions left out because they had no choice.
fn in_todays_form(mut config: Value) -> Value {
    let counts_regret =
        config["command"].as_str().is_none_or(|command| ["live", "bandit", "compare"].contains(&command));
    if counts_regret && config.get("regret").is_none() && config.get("version").is_some() {
        let measure = config["truth"]["measure"].as_str().map(str::to_owned);
        let of_matrix = config["environment"]["condorcet"].as_bool();
        let of_matrix = of_matrix.map(|winner| if winner { "condorcet" } else { "copeland" }.to_owned());
        if let Some(regret) = measure.or(of_matrix) {
            config["regret"] = regret.into();
        }
    }
    config
}

fn is_empty(path: &Path) -> Result<bool> {
    let mut entries = fs::read_dir(path).map_err(|error| path_error(error, "read", path))?;
    Ok(entries.next().is_none())
}

/// `config` without its sizes.
fn without_sizes(config: &Value) -> Value {
    let mut config = config.clone();
    if let Value::Object(fields) = &mut config {
        fields.retain(|name, _| !SIZES.contains(&name.as_str()));
    }
    remove_names(&mut config);
    config
}

/// Removes what rankers and arms are called: the results of renamed ones are written again under the new names.
fn remove_names(config: &mut Value) {
    if let Value::Object(fields) = config {
        fields.remove(NAMES);
        fields.values_mut().for_each(remove_names);
    }
}

fn refuse_other_key(path: &Path, held: &Value, key: &Value, compare: Compare) -> Result<()> {
    let path = path.display();
    let advice = "choose another --out, or add --replace to move that aside";
    let command = |config: &Value| {
        let kinds = ["command", "setting"].into_iter().filter_map(|key| config[key].as_str());
        kinds.collect::<Vec<_>>().join(" ")
    };
    let (held_command, requested_command) = (command(held), command(key));
    if held_command.is_empty() {
        bail!(usage(format!("{path} holds files of another program; {advice}")));
    }
    if held_command != requested_command {
        bail!(usage(format!("{path} holds results of `{held_command}`, not of `{requested_command}`; {advice}")));
    }
    match first_difference(&without_sizes(held), &without_sizes(key), compare) {
        Some(difference) => {
            bail!(usage(format!("{path} holds other results of `{requested_command}`: {difference}; {advice}")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
