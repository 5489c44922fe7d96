//! One server per store.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Held by the server as long as it runs. The lock ends with its process, so that nothing is left to clean up.
#[derive(Debug)]
pub struct StoreLock {
    file: File,
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // Closing the file would keep the lock for a moment where another thread is starting a process, which has a copy of it.
        // Where even this fails, closing does it.
        let _ = self.file.unlock();
    }
}

impl StoreLock {
    /// Locks `FILE.lock` beside the store.
    ///
    /// # Errors
    /// If another process has it, or the file cannot be opened.
    pub fn take(store: &Path) -> Result<Self, StoreError> {
        let path = Self::path(store)?;
        let failed = |error: std::io::Error| StoreError::Io(format!("cannot lock {}: {error}", path.display()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(store.display().to_string())),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Beside the file itself: a store that is reached by a link has the same lock.
    fn path(store: &Path) -> Result<PathBuf, StoreError> {
        let failed = |error: std::io::Error| {
            let folder = store.parent().unwrap_or(store).display();
            StoreError::Io(format!(
                "cannot use {}: {error}; make the folder {folder} first, or choose another --store",
                store.display()
            ))
        };
        let real = match store.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let name = store.file_name().ok_or_else(|| failed(error))?;
                folder.canonicalize().map_err(failed)?.join(name)
            }
            Err(error) => return Err(failed(error)),
        };
        let mut name = real.into_os_string();
        name.push(".lock");
        Ok(name.into())
    }
}
