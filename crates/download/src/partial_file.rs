//! The partial file of a download, and its origin.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// Where the partial file comes from, as the server reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    address: String,
    /// The entity tag or the time of the last change, which must be the same for the rest to fit.
    validator: String,
}

/// A partial file, locked against other processes.
#[derive(Debug)]
pub(super) struct PartialFile {
    path: PathBuf,
    origin_path: PathBuf,
    file: File,
    len: u64,
    origin: Option<Origin>,
}

impl PartialFile {
    /// Opens the partial file of `name` in `folder`, with what an earlier run left of it.
    pub(super) fn open(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(format!(".{name}.part"));
        let origin_path = folder.join(format!(".{name}.part.json"));
        let failed = || format!("failed to open {}", path.display());
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&path);
        let file = file.with_context(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("another process is downloading {name}: wait until it is done"),
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let len = file.metadata().with_context(failed)?.len();
        let origin = fs::read(&origin_path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(Self { path, origin_path, file, len, origin })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes received.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes received if they came from `address`, else 0.
    pub(super) fn resumable(&self, address: &str) -> u64 {
        if self.origin.as_ref().is_some_and(|origin| origin.address == address) { self.len } else { 0 }
    }

    /// The validator that must be unchanged for the rest to fit.
    pub(super) fn validator(&self) -> Option<&str> {
        self.origin.as_ref().map(|origin| origin.validator.as_str())
    }

    /// Empties it.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        (self.len, self.origin) = (0, None);
        self.file.set_len(0)?;
        if self.origin_path.exists() { fs::remove_file(&self.origin_path) } else { Ok(()) }
    }

    /// Records where the bytes to come are from.
    pub(super) fn comes_from(&mut self, address: &str, validator: Option<String>) -> io::Result<()> {
        let Some(validator) = validator else {
            return Ok(());
        };
        let origin = Origin { address: address.to_owned(), validator };
        fs::write(&self.origin_path, serde_json::to_vec(&origin)?)?;
        self.origin = Some(origin);
        Ok(())
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name.
    pub(super) fn rename(self, path: &Path) -> Result<()> {
        self.file.sync_all().with_context(|| format!("failed to write {}", self.path.display()))?;
        fs::rename(&self.path, path).with_context(|| format!("failed to put {} in place", path.display()))?;
        if self.origin_path.exists() {
            fs::remove_file(&self.origin_path)?;
        }
        Ok(())
    }

    /// Removes it.
    pub(super) fn remove(mut self) -> Result<()> {
        self.restart()?;
        fs::remove_file(&self.path).with_context(|| format!("failed to remove {}", self.path.display()))
    }

    /// Keeps it for a later run if that can resume from it.
    pub(super) fn leave(self) -> Result<()> {
        if self.len == 0 || self.origin.is_none() { self.remove() } else { Ok(()) }
    }
}
