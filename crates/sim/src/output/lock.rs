//! One run at a time on the same files.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::files::explained;

/// A lock file that is ours until this is dropped. The system gives it free when the process ends, however
/// that comes about: a file that was left behind locks nobody out.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Held open: closing it gives the lock free.
    _file: File,
}

impl Lock {
    /// Locks the file at `path`, which is made if need be, without waiting; none where another run has it.
    ///
    /// A file system without locks keeps nobody out.
    ///
    /// # Errors
    /// When there can be no file at `path`.
    pub fn take(path: &Path) -> Result<Option<Self>> {
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(path);
            let file = file.map_err(|error| explained(error, "lock", path))?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(None);
            }
            // Between our opening and our locking it, its last owner may have removed it.
            if !is_removed(&file) {
                return Ok(Some(Self { path: path.to_path_buf(), _file: file }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Elsewhere nobody could tell that it was removed, and two might lock two files of one name.
        if cfg!(unix) {
            // One that cannot be removed is in nobody's way.
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
    fn a_file_that_was_left_behind_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        assert!(Lock::take(&path).unwrap().is_some());
        assert_eq!(path.exists(), !cfg!(unix), "and goes");
    }

    #[cfg(unix)]
    #[test]
    fn many_at_once_are_one_at_a_time() {
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
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", Lock::take(&folder.path().join("absent/lock")).unwrap_err());
        assert!(error.contains("absent") && error.contains("does its folder exist?"), "{error}");
    }
}
