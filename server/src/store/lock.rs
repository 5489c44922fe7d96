//! One server per store.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::StoreError;

/// Held by the server as long as it runs. The lock ends with its process, so that nothing is left to clean up.
#[derive(Debug)]
pub struct StoreLock {
    _file: File,
}

impl StoreLock {
    /// Locks `FILE.lock` beside the store.
    ///
    /// # Errors
    /// If another process has it, or the file cannot be opened.
    pub fn take(store: &Path) -> Result<Self, StoreError> {
        let path = Self::path(store);
        let failed = |error: std::io::Error| StoreError::Io(format!("cannot lock {}: {error}", path.display()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::InUse(store.display().to_string())),
            Err(error) => Err(failed(error.into())),
        }
    }

    fn path(store: &Path) -> PathBuf {
        let mut name = store.as_os_str().to_owned();
        name.push(".lock");
        name.into()
    }
}
