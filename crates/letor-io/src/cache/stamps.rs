//! The sources of a cache: names, sizes and times of change of files.
#![expect(clippy::disallowed_types, reason = "only decides whether a cache is current; no result depends on it")]

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

use super::format::VERSION;
use crate::file_names::group_sizes_of;

/// A file that changes again within this time may keep its time of change: the resolution of file systems is up to two
/// seconds.
const STEP: Duration = Duration::from_secs(3);

/// The state of some files according to the file system.
#[derive(Debug)]
pub(super) struct Stamps {
    /// Name, size in bytes, and time of change.
    files: Vec<(String, u64, SystemTime)>,
    just_written: bool,
}

impl Stamps {
    /// The state of `files` and their files of group sizes. Paths below `base` are relative to it. `None` if a path is
    /// not a plain file.
    pub(super) fn of(files: &[PathBuf], base: Option<&PathBuf>) -> Option<Self> {
        let now = SystemTime::now();
        let mut stamps = Self { files: Vec::new(), just_written: false };
        for file in files {
            let metadata = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
            stamps.push(file, &metadata, base, now)?;
            let side = group_sizes_of(file);
            if let Ok(metadata) = std::fs::metadata(&side) {
                stamps.push(&side, &metadata, base, now)?;
            }
        }
        Some(stamps)
    }

    fn push(
        &mut self,
        path: &Path,
        metadata: &std::fs::Metadata,
        base: Option<&PathBuf>,
        now: SystemTime,
    ) -> Option<()> {
        let modified = metadata.modified().ok()?;
        let below = base.and_then(|base| path.strip_prefix(base).ok());
        let named = match below {
            Some(below) => below.to_path_buf(),
            None => std::path::absolute(path).ok()?,
        };
        // A name that is not valid Unicode could be confused with others.
        self.files.push((named.to_str()?.to_string(), metadata.len(), modified));
        self.just_written |= now.duration_since(modified).unwrap_or_default() < STEP;
        Some(())
    }

    /// Whether `other` describes the same files in the same state.
    pub(super) fn same_files(&self, other: &Self) -> bool {
        self.files == other.files
    }

    /// The size of all files in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes, _)| bytes).sum()
    }

    /// Whether a file is so recent that another change might not change its time.
    pub(super) fn just_written(&self) -> bool {
        self.just_written
    }

    /// The text that the key of a cache must equal.
    pub(super) fn key(&self, options: &str) -> String {
        let mut key = key_of(options);
        for (name, bytes, modified) in &self.files {
            let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let _ = writeln!(key, "{name:?} {bytes} {}.{:09}", since.as_secs(), since.subsec_nanos());
        }
        key
    }
}

/// The part of a cache key that does not depend on the sources.
pub(super) fn key_of(options: &str) -> String {
    format!("letor-io {} format {VERSION}\n{options}\n", env!("CARGO_PKG_VERSION"))
}

/// The hash of the contents of `files` and their files of group sizes, in order.
pub(super) fn hash(files: &[PathBuf]) -> Option<u64> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    for file in files {
        for path in [file.clone(), group_sizes_of(file)].iter().filter(|path| path.is_file()) {
            let mut file = File::open(path).ok()?;
            loop {
                match file.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => hash.update(&buffer[..read]),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => return None,
                }
            }
        }
    }
    Some(hash.digest())
}
