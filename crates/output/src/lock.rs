//! Locks, so that only one run at a time works on the same files. The operating system releases them when a process ends,
//! even if it is killed.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use crate::files::path_error;
use crate::input;

/// A lock on a file or a folder, held until this is dropped. A lock file left behind does not block anything.
#[derive(Debug)]
pub struct Lock {
    /// The file to remove in the end.
    path: Option<PathBuf>,
    /// Kept open: closing it releases the lock.
    file: File,
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
            let file = input::open_with(File::options().create(true).truncate(false).write(true), path);
            let file = file.map_err(|error| path_error(error, "lock", path))?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(None);
            }
            // The last owner may have removed the file between our opening and our locking it.
            if !is_removed(&file) {
                return Ok(Some(Self { path: Some(path.to_path_buf()), file }));
            }
        }
    }

    /// Locks an existing folder without waiting; `None` if another run holds it. Where the system locks folders (on Unix),
    /// no file is made; elsewhere, and on file systems that lock only files, the lock is a file `.lock` in the folder.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be opened.
    pub fn of_folder(folder: &Path) -> Result<Option<Self>> {
        if cfg!(unix) {
            let file = File::open(folder).map_err(|error| path_error(error, "lock", folder))?;
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { path: None, file })),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(_)) => {}
            }
        }
        Self::take(&folder.join(".lock"))
    }

    /// Locks an existing folder, waiting until no other run holds it.
    ///
    /// # Errors
    /// As for [`of_folder`](Self::of_folder).
    pub fn wait_for_folder(folder: &Path) -> Result<Self> {
        loop {
            if let Some(lock) = Self::of_folder(folder)? {
                return Ok(lock);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether this lock is on the folder that is now at `path`: the locked one may have been moved away or removed between its opening and
    /// its locking.
    #[must_use]
    pub fn is_of(&self, path: &Path) -> bool {
        self.path.is_some() || is_same(&self.file, path)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // On other systems a removal cannot be detected, and two runs could lock two files of the same name.
        if let Some(path) = self.path.as_ref().filter(|_| cfg!(unix)) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(path);
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

#[cfg(unix)]
pub(super) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device_and_inode = |data: fs::Metadata| (data.dev(), data.ino());
    let current = fs::metadata(path).map(device_and_inode);
    file.metadata().map(device_and_inode).is_ok_and(|locked| current.is_ok_and(|current| current == locked))
}

#[cfg(not(unix))]
pub(super) fn is_same(_: &File, _: &Path) -> bool {
    true
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
    fn folders_are_locked_without_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        assert!(Lock::of_folder(&path).is_err(), "it must exist");
        fs::create_dir(&path).unwrap();
        let first = Lock::of_folder(&path).unwrap().unwrap();
        assert!(Lock::of_folder(&path).unwrap().is_none());
        assert!(first.is_of(&path));
        if cfg!(unix) {
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
            fs::rename(&path, folder.path().join("moved")).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(!first.is_of(&path) && first.is_of(&folder.path().join("moved")));
        }
        drop(first);
        drop(Lock::wait_for_folder(&path).unwrap());
        assert!(Lock::of_folder(&path).unwrap().is_some());
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
