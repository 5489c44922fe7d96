//! Files to which several processes append lines, one after the other, and which survive a `kill -9` at any moment. Not here:
//! the meaning of lines.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use output::input;
use output::lock::Lock;
use output::path_error;

/// No log is larger.
const MAX_BYTES: u64 = 1 << 34;

/// A log, locked until this is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    _lock: Lock,
}

impl Journal {
    /// Locks the log at `path`, which need not exist, and waits for others for up to `patience`. The lock is a file beside it,
    /// NAME.lock, which is removed in the end.
    ///
    /// # Errors
    /// If another process still holds it then, or no file can be made there.
    pub fn lock(path: &Path, patience: Duration) -> Result<Self> {
        // Two names of one file have one lock.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let lock_path = path.with_file_name(name);
        let start = Instant::now();
        loop {
            if let Some(lock) = Lock::take(&lock_path)? {
                return Ok(Self { path, _lock: lock });
            }
            if start.elapsed() > patience {
                bail!(
                    "{} has been in use by another process for {} seconds; try again when that has ended",
                    path.display(),
                    patience.as_secs()
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Reads the file; `None` if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read, or is not a regular file.
    pub fn read(&self) -> Result<Option<Vec<u8>>> {
        read(&self.path)
    }

    /// Writes `lines` after the first `offset` bytes of the file, instead of whatever follows them, and returns when they are on the
    /// disk. A file that begins is written aside and renamed: it is whole, or not there.
    ///
    /// # Errors
    /// If they cannot be written; the file then ends after `offset` bytes, as before.
    pub fn append(&self, offset: u64, lines: &[u8]) -> Result<()> {
        if offset == 0 {
            return output::write_atomic(&self.path, lines);
        }
        let failed = |error| path_error(error, "append to", &self.path);
        let mut file = input::open_with(File::options().write(true), &self.path).map_err(failed)?;
        write(&mut file, offset, lines).map_err(|error| {
            // A last line that is not whole does no harm either: readers pass over it.
            let _ = file.set_len(offset).and_then(|()| file.sync_all());
            failed(error)
        })
    }
}

/// Reads the log at `path` without a lock: its last line may still be being written. `None` if it does not exist.
///
/// # Errors
/// If it cannot be read, or is not a regular file.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match input::read_file(path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(path_error(error, "read", path)),
    }
}

fn write(file: &mut File, offset: u64, lines: &[u8]) -> io::Result<()> {
    if file.metadata()?.len() > offset {
        file.set_len(offset)?;
    }
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(lines)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_where_the_last_whole_one_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let journal = Journal::lock(&path, Duration::ZERO).unwrap();
        assert_eq!(journal.read().unwrap(), None);
        journal.append(0, b"one\ntw").unwrap();
        journal.append(4, b"2\n").unwrap();
        assert_eq!(journal.read().unwrap().unwrap(), b"one\n2\n");
        let message = Journal::lock(&path, Duration::from_millis(30)).unwrap_err().to_string();
        assert!(message.contains("in use by another process"), "{message}");
        drop(journal);
        drop(Journal::lock(&path, Duration::ZERO).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the lock is gone");
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_one_file_have_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("log"), folder.path().join("link"));
        fs::write(&path, "").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let _journal = Journal::lock(&path, Duration::ZERO).unwrap();
        assert!(Journal::lock(&link, Duration::ZERO).is_err());
    }
}
