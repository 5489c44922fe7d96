//! Files that were in a folder before any results: none is lost when results of the same name are written.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::replacement::free_name;
use crate::files::path_error;
use crate::messages::warn;

/// The ending of a second name, which begins with a dot.
const SECOND: &str = ".before-results";

/// The files of others in a folder, each with a second name while results are written.
#[derive(Debug, Default)]
pub(super) struct ForeignFiles {
    second_names: Vec<SecondName>,
}

/// A file, its second name, and its identity.
#[derive(Debug)]
struct SecondName {
    path: PathBuf,
    second: PathBuf,
    identity: Option<Identity>,
}

/// The names of the visible files in `folder`.
pub(super) fn files_in(folder: &Path) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| path_error(error, "read", folder))? {
        let entry = entry.map_err(|error| path_error(error, "read", folder))?;
        // Also the target of a link: it would be written over.
        let is_file = fs::metadata(entry.path()).is_ok_and(|data| data.is_file());
        if is_file && !entry.file_name().to_string_lossy().starts_with('.') {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

/// Settles the second names that a killed writer left in `folder`.
pub(super) fn settle_leftovers(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| path_error(error, "read", folder))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_prefix('.').and_then(|name| name.strip_suffix(SECOND)) else { continue };
        let second = entry.path();
        SecondName { path: folder.join(name), identity: identity(&second), second }.settle()?;
    }
    Ok(())
}

impl ForeignFiles {
    /// Gives the files of these `names` in `folder` second names. They cost no space where files can have several names.
    pub(super) fn keep(folder: &Path, names: &[OsString]) -> Result<Self> {
        let mut second_names = Self::default();
        for name in names {
            let (path, second) = (folder.join(name), folder.join(format!(".{}{SECOND}", name.to_string_lossy())));
            let identity = identity(&path);
            let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            let linked = fs::hard_link(&target, &second).or_else(|_| fs::copy(&target, &second).map(drop));
            match linked {
                Ok(()) => second_names.second_names.push(SecondName { path, second, identity }),
                // Its owner removed it meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(path_error(error, "keep", &path)),
            }
        }
        Ok(second_names)
    }

    /// Those that results replaced get a name beside them; the others lose their second name.
    pub(super) fn set_aside(mut self) -> Result<()> {
        std::mem::take(&mut self.second_names).iter().try_for_each(SecondName::settle)
    }
}

/// Also where writing failed in the middle.
impl Drop for ForeignFiles {
    fn drop(&mut self) {
        for second_name in &self.second_names {
            let _ = second_name.settle();
        }
    }
}

impl SecondName {
    fn settle(&self) -> Result<()> {
        let Self { path, second, identity: before } = self;
        // Results are written aside and renamed.
        if before.is_some() && identity(path) == *before {
            let _ = fs::remove_file(second);
            return Ok(());
        }
        let aside = free_name(path)?;
        fs::rename(second, &aside).with_context(|| format!("failed to keep {}", path.display()))?;
        warn(false, &format!("{} was there before and is now {}", path.display(), aside.display()));
        Ok(())
    }
}

/// The identity of a file, to recognize one that replaced it.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
type Identity = (u64, Option<std::time::SystemTime>);

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|data| (data.len(), data.modified().ok()))
}
