//! What a cache was made of: the files' names, sizes and times of change.
#![expect(clippy::disallowed_types, reason = "tells whether a cache is of these files; no result depends on it")]

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

use super::format::VERSION;

/// What changes again within this after it was changed may show the same time: file systems count in
/// steps of up to two seconds.
const STEP: Duration = Duration::from_secs(3);

/// What the file system says of some files.
#[derive(Debug)]
pub(super) struct Stamps {
    /// Name, bytes, and time of change.
    files: Vec<(String, u64, SystemTime)>,
    just_written: bool,
}

impl Stamps {
    /// Of `files` and the side files they have, named from `base` on where they are below it; nothing
    /// where one is no plain file.
    pub(super) fn of(files: &[PathBuf], base: Option<&PathBuf>) -> Option<Self> {
        let now = SystemTime::now();
        let mut stamps = Self { files: Vec::new(), just_written: false };
        for file in files {
            let metadata = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
            stamps.push(file, &metadata, base, now)?;
            let side = crate::text::side_file(file);
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
        // A name that is no text cannot be told from others like it.
        self.files.push((named.to_str()?.to_string(), metadata.len(), modified));
        self.just_written |= now.duration_since(modified).unwrap_or_default() < STEP;
        Some(())
    }

    /// Whether `other` is of the same files in the same state.
    pub(super) fn same_files(&self, other: &Self) -> bool {
        self.files == other.files
    }

    /// How many bytes all files have.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes, _)| bytes).sum()
    }

    /// Whether a file is so new that another change might not show.
    pub(super) fn just_written(&self) -> bool {
        self.just_written
    }

    /// All that a cache must agree with, as text.
    pub(super) fn key(&self, options: &str) -> String {
        let mut key = key_of(options);
        for (name, bytes, modified) in &self.files {
            let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let _ = writeln!(key, "{name:?} {bytes} {}.{:09}", since.as_secs(), since.subsec_nanos());
        }
        key
    }
}

/// What a cache must agree with beside its sources, as text.
pub(super) fn key_of(options: &str) -> String {
    format!("letor-io {} format {VERSION}\n{options}\n", env!("CARGO_PKG_VERSION"))
}

/// The hash of what is in `files` and their side files, one after the other.
pub(super) fn hash(files: &[PathBuf]) -> Option<u64> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    for file in files {
        for path in [file.clone(), crate::text::side_file(file)].iter().filter(|path| path.is_file()) {
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
