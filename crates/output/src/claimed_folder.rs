//! Folders of results of this process: in these a symbolic link is replaced instead of its target.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// A folder; its files are results of this process, as long as this lives.
#[derive(Debug)]
pub(super) struct ClaimedFolder(PathBuf);

/// All of them; few at a time.
static CLAIMED_FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

impl ClaimedFolder {
    pub(super) fn new(folder: &Path) -> Self {
        CLAIMED_FOLDERS.write().unwrap_or_else(PoisonError::into_inner).push(folder.to_path_buf());
        Self(folder.to_path_buf())
    }

    /// Whether `path` is in such a folder.
    pub(super) fn has(path: &Path) -> bool {
        CLAIMED_FOLDERS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .any(|folder| path != folder && path.starts_with(folder))
    }
}

impl Drop for ClaimedFolder {
    fn drop(&mut self) {
        let mut claimed = CLAIMED_FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = claimed.iter().position(|folder| *folder == self.0) {
            claimed.swap_remove(index);
        }
    }
}
