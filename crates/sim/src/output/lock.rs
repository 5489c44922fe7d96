//! A lock file, so that only one run at a time works on the same files.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::files::explained;

/// A lock file, held until this is dropped. The operating system releases the lock when the process ends, even if
/// it is killed, so a file left behind does not lock anybody out.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Kept open: closing it releases the lock.
    _file: File,
}

impl Lock {
    /// Locks the file at `path` without waiting, creating it if needed; `None` if another run holds it.
    ///
    /// On file systems without locks this always succeeds.
    ///
    /// # Errors
    /// If no file can be created at `path`.
    pub fn take(path: &Path) -> Result<Option<Self>> {
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(path);
            let file = file.map_err(|error| explained(error, "lock", path))?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(None);
            }
            // The last owner may have removed the file between our opening and our locking it.
            if !is_removed(&file) {
                return Ok(Some(Self { path: path.to_path_buf(), _file: file }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // On other systems a removal cannot be detected, and two runs could lock two files of the same name.
        if cfg!(unix) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_removed(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap();
        assert!(first.is_some());
        assert!(Lock::take(&path).unwrap().is_none());
        assert!(Lock::take(&folder.path().join("other")).unwrap().is_some());
        drop(first);
        assert!(Lock::take(&path).unwrap().is_some());
    }

    #[test]
    fn a_file_left_behind_does_not_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        assert!(Lock::take(&path).unwrap().is_some());
        assert_eq!(path.exists(), !cfg!(unix), "it is removed");
    }

    #[cfg(unix)]
    #[test]
    fn threads_hold_the_lock_one_at_a_time() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let Some(lock) = Lock::take(&path).unwrap() else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        taken.fetch_add(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.into_inner() > 4);
    }

    #[test]
    fn the_error_names_a_missing_folder() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", Lock::take(&folder.path().join("absent/lock")).unwrap_err());
        assert!(error.contains("absent") && error.contains("does its folder exist?"), "{error}");
    }
}
