//! The contents of a folder of caches.
#![expect(clippy::disallowed_types, reason = "shows when a cache was written; no result depends on it")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{stamps, store};
use crate::file_names::is_cache;

/// A cache file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was written, if the system reports it.
    pub written: Option<SystemTime>,
    /// The files that it was made of; none for a look-alike, and none if it cannot be read.
    pub sources: Vec<PathBuf>,
    /// The name of the look-alike that it holds, if it holds one.
    pub look_alike: Option<String>,
    /// Whether it is of use.
    pub state: State,
}

/// Whether a cache is of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The next opening reads it.
    Current,
    /// A file that it was made of has changed: the next opening replaces it.
    Outdated,
    /// A file that it was made of is gone.
    Orphaned,
    /// It is damaged, or of another version.
    Unreadable,
}

/// The caches in `folder`, ordered by name; none if there is no such folder. What killed writers left there is removed.
///
/// # Errors
///
/// If the folder cannot be listed.
pub fn list(folder: &Path) -> io::Result<Vec<CacheFile>> {
    store::remove_leftovers(folder);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        // Hidden ones are being written.
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let Some(metadata) = std::fs::metadata(&path).ok().filter(|file| file.is_file() && is_cache(&path) && !hidden)
        else {
            continue;
        };
        let (bytes, written) = (metadata.len(), metadata.modified().ok());
        let mut file =
            CacheFile { path, bytes, written, sources: Vec::new(), look_alike: None, state: State::Unreadable };
        file.describe();
        files.push(file);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

impl CacheFile {
    /// Fills in the values of the index.
    fn describe(&mut self) {
        let Some((_, index)) = store::read_index(&self.path) else {
            return;
        };
        let options = index.key.lines().nth(1).unwrap_or_default();
        if !index.key.starts_with(&stamps::key_of(options)) {
            return;
        }
        let sources = stamps::sources(&index.key);
        self.state = match &sources {
            all if all.iter().any(|(_, same)| same.is_none()) => State::Orphaned,
            all if all.iter().any(|(_, same)| *same == Some(false)) => State::Outdated,
            _ => State::Current,
        };
        self.look_alike = sources.is_empty().then(|| options.to_string());
        self.sources = sources.into_iter().map(|(path, _)| path).collect();
    }
}
