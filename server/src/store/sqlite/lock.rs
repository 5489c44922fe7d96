//! One server per store, and how it notices that its files are no longer the ones that it opened.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::store::StoreError;

/// The server's lock on its store. The locks end with its process, so that nothing is left to clean up.
///
/// `FILE.lock` beside the store is locked; it also has the number of events that were acknowledged. On Unix the store itself is
/// locked too: by whatever path it is opened, it is the same file.
#[derive(Debug)]
pub struct StoreLock {
    lock_file: File,
    store: PathBuf,
    private_file: Option<File>,
    state_seen: Mutex<FileState>,
}

/// The state of the files at the last look.
#[derive(Debug, Default)]
struct FileState {
    /// The size of the store, in bytes.
    bytes: u64,
    /// Which file its write-ahead log is.
    log: Option<(u64, u64)>,
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // Closing the files would keep the locks for a moment where another thread is starting a process, which has a copy of them.
        // Where even this fails, closing does it.
        for file in std::iter::once(&self.lock_file).chain(&self.private_file) {
            let _ = file.unlock();
        }
    }
}

impl StoreLock {
    /// Locks a store, which is made, empty, if it is missing and `may_create`.
    ///
    /// # Errors
    /// If another process has it, it is missing or empty, or a file cannot be opened.
    pub fn take(store: &Path, may_create: bool) -> Result<Self, StoreError> {
        let real = Self::real_path(store)?;
        if !is_made(&real) && !may_create {
            return Err(StoreError::NotMade(store.display().to_string()));
        }
        let path = beside(&real, ".lock");
        let failed = |error: io::Error| StoreError::Io(format!("cannot lock {}: {error}", path.display()));
        let in_use = |error: TryLockError| match error {
            TryLockError::WouldBlock => StoreError::InUse(store.display().to_string()),
            TryLockError::Error(error) => failed(error),
        };
        let lock = private_file_options().create(true).truncate(false).open(&path).map_err(failed)?;
        lock.try_lock().map_err(in_use)?;
        let mut lock_taken =
            Self { lock_file: lock, store: real.clone(), private_file: None, state_seen: Mutex::default() };
        if cfg!(unix) {
            // Not on Windows, where nothing else could read the file then.
            if real.metadata().is_ok_and(|found| !found.is_file()) {
                return Err(StoreError::NoFile(store.display().to_string()));
            }
            let own = private_file_options().read(true).create(may_create).truncate(false).open(&real);
            let own = own.map_err(|error| StoreError::Io(format!("cannot open {}: {error}", store.display())))?;
            own.try_lock().map_err(in_use)?;
            lock_taken.private_file = Some(own);
        }
        Ok(lock_taken)
    }

    /// Notes which files are in use, once they are all there.
    pub fn look(&self) {
        let mut seen = self.state_seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.bytes = self.store.metadata().map_or(0, |found| found.len());
        seen.log = beside(&self.store, "-wal").metadata().ok().as_ref().and_then(identity);
    }

    /// The change to the files since then, if no server survives it.
    #[must_use]
    pub fn disturbance(&self) -> Option<String> {
        let store = self.store.display();
        let own = self.private_file.as_ref()?.metadata().ok()?;
        let mut state_seen = self.state_seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match self.store.metadata() {
            Ok(bytes_found) if identity(&bytes_found) == identity(&own) => {
                let before = std::mem::replace(&mut state_seen.bytes, bytes_found.len());
                if bytes_found.len() < before {
                    return Some(format!("{store} was cut from {before} bytes to {}", bytes_found.len()));
                }
            }
            Ok(_) => return Some(format!("{store} was replaced by another file")),
            Err(error) => return Some(format!("{store} was moved or removed ({error})")),
        }
        let log = beside(&self.store, "-wal");
        let bytes_found = log.metadata().ok().as_ref().and_then(identity);
        (state_seen.log.is_some() && bytes_found != state_seen.log)
            .then(|| format!("{} was moved, removed or replaced", log.display()))
    }

    /// Notes the number of acknowledged events of all experiments together. It is not flushed to the disk: it serves to detect a store that
    /// lost data the machine had written.
    pub fn acknowledge(&self, events: u64) {
        // Compared with the transaction this costs nothing; without it, only a warning is missing.
        let _ = write_at_start(&self.lock_file, format!("{events:020}\n").as_bytes());
    }

    /// The number of acknowledged events, as far as it was noted.
    #[must_use]
    pub fn acknowledged(&self) -> Option<u64> {
        output::input::read_text(&beside(&self.store, ".lock"), 64).ok()?.trim().parse().ok()
    }

    /// The file itself: a store that is reached by a link has the same lock.
    fn real_path(store: &Path) -> Result<PathBuf, StoreError> {
        let failed = |error: io::Error| {
            let folder = store.parent().unwrap_or(store).display();
            StoreError::Io(format!(
                "cannot use {}: {error}; make the folder {folder} first, or choose another --store",
                store.display()
            ))
        };
        match store.canonicalize() {
            Ok(real) => Ok(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let name = store.file_name().ok_or_else(|| failed(error))?;
                Ok(folder.canonicalize().map_err(failed)?.join(name))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// Whether there is something at a path that is not an empty file: a store, or something else that is not one to be made.
#[must_use]
pub(in crate::store) fn is_made(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() || found.len() > 0)
}

/// A file beside another one.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Opens files that only their owner may read.
#[cfg(unix)]
pub(super) fn private_file_options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// On Windows, files have the rights of their folder.
#[cfg(not(unix))]
pub(super) fn private_file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek as _, Write as _};

    file.rewind()?;
    file.write_all(bytes)
}

/// Which file it is, whatever its name.
#[cfg(unix)]
fn identity(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}
