//! The sources of a cache: paths, sizes, times of change and inodes of files.
#![expect(clippy::disallowed_types, reason = "only decides whether a cache is current; no result depends on it")]

use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

use super::format::VERSION;
use crate::file_names::group_sizes_of;
use crate::regular_file;

/// A file that changes again within this time may keep its time of change: the resolution of file systems is up to two
/// seconds.
const CLOCK_STEP: Duration = Duration::from_secs(3);

/// The state of some files according to the file system.
#[derive(Debug)]
pub(super) struct Stamps {
    lines: Vec<String>,
    bytes: u64,
    just_written: bool,
}

impl Stamps {
    /// The state of `files` and their files of group sizes. `None` if a path is not a regular file, or if its name cannot
    /// be written down.
    pub(super) fn of(files: &[PathBuf]) -> Option<Self> {
        let now = SystemTime::now();
        let mut stamps = Self { lines: Vec::new(), bytes: 0, just_written: false };
        for file in files {
            stamps.push(file, now)?;
            for side in group_sizes_of(file) {
                stamps.push(&side, now)?;
            }
        }
        Some(stamps)
    }

    fn push(&mut self, path: &Path, now: SystemTime) -> Option<()> {
        let metadata = std::fs::metadata(path).ok()?;
        self.lines.push(file_stamp(path, &metadata)?);
        self.bytes += metadata.len();
        self.just_written |= now.duration_since(last_change(&metadata)?).unwrap_or_default() < CLOCK_STEP;
        Some(())
    }

    /// Whether `other` describes the same files in the same state.
    pub(super) fn same_files(&self, other: &Self) -> bool {
        self.lines == other.lines
    }

    /// The size of all files in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a file is so recent that another change might not change its time.
    pub(super) fn just_written(&self) -> bool {
        self.just_written
    }

    /// The text that the key of a cache must equal.
    pub(super) fn key(&self, options: &str) -> String {
        let mut key = key_of(options);
        for line in &self.lines {
            key += line;
            key.push('\n');
        }
        key
    }
}

/// One file's part of a key: its size, the time of the last change of its content, what else identifies its state, and
/// its path.
fn file_stamp(path: &Path, metadata: &Metadata) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    // A name that is not valid Unicode, or has a line feed, could be confused with others.
    let name = path.to_str().filter(|name| metadata.is_file() && !name.contains('\n'))?;
    Some(format!("{} {} {name}", metadata.len(), inode_state(metadata)?))
}

/// Times and inode. A program can set the time of the last change of the content (`touch -d`), but not that of the last
/// change of anything, and a file that replaces another has another inode.
#[cfg(unix)]
fn inode_state(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let (modified, changed) = ((metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec()));
    Some(format!("{}.{:09} {}.{:09} {}", modified.0, modified.1, changed.0, changed.1, metadata.ino()))
}

/// The time of the last change of the content alone: the standard library reports no more on this system.
#[cfg(not(unix))]
fn inode_state(metadata: &Metadata) -> Option<String> {
    let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Some(format!("{}.{:09} - -", since.as_secs(), since.subsec_nanos()))
}

/// When the file last changed, as far as the system says.
#[cfg(unix)]
fn last_change(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let since = Duration::new(metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(not(unix))]
fn last_change(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// The sources in `key`, each with whether it is in the state that the key describes; `None` for a source that is gone.
pub(super) fn sources(key: &str) -> Vec<(PathBuf, Option<bool>)> {
    // Two lines of version and options come first.
    let sources = key.lines().skip(2).filter_map(|before| {
        let path = PathBuf::from(before.splitn(5, ' ').nth(4)?);
        let now = std::fs::metadata(&path).ok();
        let same = now.map(|metadata| file_stamp(&path, &metadata).as_deref() == Some(before));
        Some((path, same))
    });
    sources.collect()
}

/// The part of a cache key that does not depend on the sources.
pub(super) fn key_of(options: &str) -> String {
    format!("letor-io {} format {VERSION}\n{options}\n", env!("CARGO_PKG_VERSION"))
}

/// The hash of the contents of `files` and their files of group sizes, in order.
pub(super) fn hash_files(files: &[PathBuf]) -> Option<u64> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    for file in files {
        for path in std::iter::once(file.clone()).chain(group_sizes_of(file)) {
            let mut file = regular_file::open(&path).ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a file.txt", "another"].map(|name| folder.path().join(name));
        for name in &names {
            std::fs::write(name, "x").unwrap();
        }
        let key = Stamps::of(&names).unwrap().key("options");
        let [one, other] = names;
        assert_eq!(sources(&key), [(one.clone(), Some(true)), (other.clone(), Some(true))]);
        std::fs::write(&one, "xy").unwrap();
        std::fs::remove_file(&other).unwrap();
        assert_eq!(sources(&key), [(one, Some(false)), (other, None)]);
        assert_eq!(sources(&key_of("mslr-lookalike")), []);
        assert!(Stamps::of(&[folder.path().into()]).is_none(), "a folder has no stamp");
    }
}
