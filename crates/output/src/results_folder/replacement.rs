//! Results that take the place of others: made in a folder beside them, and exchanged with them when they are complete.
//!
//! However a command ends, one of the two is there, whole: until the exchange the former results, afterwards the new ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{CreatedFolders, config_in, is_empty, lock_folder, refuse_other_key};
use crate::difference::Compare;
use crate::files::path_error;
use crate::interrupt::finish_writing;
use crate::lock::Lock;
use crate::usage::usage;

/// A folder of new results, and the one it replaces.
#[derive(Debug)]
pub(super) struct Replacement {
    /// The folder as the user calls it, which may be a symbolic link.
    requested_path: PathBuf,
    /// The folder itself.
    target: PathBuf,
    /// Where its content moves.
    aside: PathBuf,
    is_done: AtomicBool,
    _lock: Lock,
}

impl Replacement {
    /// Begins the replacement of the folder at `requested_path`, which is locked by `lock_of_old`: returns it with the folder of the
    /// new results, locked, and with what an interrupted replacement of the same `key` kept in there.
    ///
    /// # Errors
    /// If another command replaces the folder, or no folder can be made beside it.
    pub(super) fn begin(
        requested_path: &Path,
        lock_of_old: Lock,
        key: &Value,
        created: &mut CreatedFolders,
    ) -> Result<(Self, PathBuf, Lock)> {
        let target = fs::canonicalize(requested_path).map_err(|error| path_error(error, "read", requested_path))?;
        let name = target.file_name().filter(|_| requested_path.file_name().is_some());
        let name = name.ok_or_else(|| {
            usage(format!("--replace cannot move {} aside; give it a name", requested_path.display()))
        })?;
        let new_folder = target.with_file_name(format!(".{}.new", name.to_string_lossy()));
        let mut new_lock = lock_folder(&new_folder, created)?;
        match config_in(&new_folder)? {
            // Complete results, which a process that was killed had just exchanged.
            (Some(_), true) => {
                rename(&new_folder, &free_name(&path_for_names(requested_path, &target))?)?;
                new_lock = lock_folder(&new_folder, created)?;
            }
            (Some(kept), false) if refuse_other_key(&new_folder, &kept, key, Compare::WhatIsWanted).is_ok() => {}
            (None, _) if is_empty(&new_folder)? => {}
            // Part of a replacement by other results, which was given up.
            (Some(_), false) => {
                fs::remove_dir_all(&new_folder).map_err(|error| path_error(error, "empty", &new_folder))?;
                new_lock = lock_folder(&new_folder, created)?;
            }
            // A foreign folder.
            (None, _) => {
                rename(&new_folder, &free_name(&new_folder)?)?;
                new_lock = lock_folder(&new_folder, created)?;
            }
        }
        let aside = free_name(&path_for_names(requested_path, &target))?;
        let is_done = AtomicBool::new(false);
        Ok((
            Self { requested_path: requested_path.to_path_buf(), target, aside, is_done, _lock: lock_of_old },
            new_folder,
            new_lock,
        ))
    }

    /// Where the former content moves.
    pub(super) fn aside(&self) -> &Path {
        &self.aside
    }

    /// The folder as the user calls it, once the new results are there.
    pub(super) fn finished_path(&self) -> Option<&Path> {
        self.is_done.load(Ordering::Acquire).then_some(&self.requested_path)
    }

    /// Exchanges the complete results in `new_folder` with the former ones, and moves these aside.
    ///
    /// # Errors
    /// If folders cannot be renamed.
    pub(super) fn finish(&self, new_folder: &Path) -> Result<()> {
        let _whole = finish_writing();
        let aside = if fs::symlink_metadata(&self.aside).is_ok() { &free_name(&self.target)? } else { &self.aside };
        if exchange(new_folder, &self.target) {
            rename(new_folder, aside)?;
        } else {
            rename(&self.target, aside)?;
            rename(new_folder, &self.target)?;
        }
        self.is_done.store(true, Ordering::Release);
        Ok(())
    }
}

/// Exchanges two folders in one step, where the system can.
#[cfg(target_os = "linux")]
fn exchange(first: &Path, second: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

fn rename(source: &Path, target: &Path) -> Result<()> {
    fs::rename(source, target).map_err(|error| path_error(error, "move aside", source))
}

/// The folder or file `requested_path` for names beside it: as the user calls it, unless that is a symbolic link elsewhere.
fn path_for_names(requested_path: &Path, target: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(requested_path).is_ok_and(|data| data.is_symlink());
    if is_link { target } else { requested_path }.to_path_buf()
}

/// A name beside `path` that is free: `NAME.old-1`, `NAME.old-2` and so on.
pub(super) fn free_name(path: &Path) -> Result<PathBuf> {
    let name = path.file_name();
    let name = name.ok_or_else(|| usage(format!("--replace cannot move {} aside; give it a name", path.display())))?;
    let aside = |number: u32| path.with_file_name(format!("{}.old-{number}", name.to_string_lossy()));
    (1..).map(aside).find(|aside| fs::symlink_metadata(aside).is_err()).context("there is no free name")
}

/// A file of results that may be written.
#[derive(Debug)]
pub struct ClaimedFile {
    path: PathBuf,
    /// Where other results that it holds move.
    aside: Option<PathBuf>,
}

impl ClaimedFile {
    pub(super) fn new(path: &Path, aside: Option<PathBuf>) -> Self {
        Self { path: path.to_path_buf(), aside }
    }

    /// Where its former content moves when it is written.
    #[must_use]
    pub fn moves_to(&self) -> Option<&Path> {
        self.aside.as_deref()
    }

    /// Writes the file with `write`, which replaces it in one step. Former content gets its other name first, so that it is
    /// there at any time.
    ///
    /// # Errors
    /// Errors of `write`, and if the former content cannot be kept.
    pub fn write(&self, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        if let Some(aside) = &self.aside {
            let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            let backup = fs::hard_link(&target, aside).or_else(|_| fs::copy(&target, aside).map(drop));
            backup.map_err(|error| path_error(error, "keep", &self.path))?;
        }
        write(&self.path)
    }
}

/// The name to which former content of the file at `path` moves.
pub(super) fn aside_path_of(path: &Path) -> Result<PathBuf> {
    free_name(&path_for_names(path, &fs::canonicalize(path).map_err(|error| path_error(error, "read", path))?))
}
