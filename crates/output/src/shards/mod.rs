//! Shards: the work of a command cut into n shares, each done by a process of its own, on any machine, in any order, and
//! twice if need be; united, they give the bytes that one process writes.
//!
//! | in | is |
//! |---|---|
//! | [`shard`] | which share a process does, and how that is written: `3/64`, `auto/64` |
//! | [`part`] | the file that a finished shard writes |
//! | [`parts`] | all parts of a folder, checked against each other |
//!
//! The parts of the results `OUT` are in the folder `OUT.shards`. While a shard works, it keeps its finished work in a folder of its own in
//! there.

pub mod part;
pub mod parts;
pub mod shard;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use part::{Cell, Header, Invocation, Part};
pub use parts::Parts;
pub use shard::{Shard, ShardSpec};

/// The share of its work that a command does.
#[derive(Debug, Clone, Default)]
pub enum Share {
    /// All of it.
    #[default]
    All,
    /// Only what all shards need, which is kept in caches.
    Prepare,
    /// One shard, which writes a part.
    One(Shard),
    /// All of it, taken from the parts of all shards: nothing is computed that a shard should have computed.
    Merge(Arc<Parts>),
}

impl Share {
    /// The shard, if it is one.
    #[must_use]
    pub fn shard(&self) -> Option<Shard> {
        match self {
            Self::One(shard) => Some(*shard),
            _ => None,
        }
    }

    /// The parts, if they are merged.
    #[must_use]
    pub fn parts(&self) -> Option<&Arc<Parts>> {
        match self {
            Self::Merge(parts) => Some(parts),
            _ => None,
        }
    }
}

/// The ending of the folder with the parts of some results.
const ENDING: &str = ".shards";

/// The folder with the parts of the results `out`, a folder or a file.
#[must_use]
pub fn folder_of(out: &Path) -> PathBuf {
    let mut name: OsString = without_slash(out).into_os_string();
    name.push(ENDING);
    name.into()
}

/// The results with parts in `folder`; `None` if that is not the name of such a folder.
#[must_use]
pub fn results_of(folder: &Path) -> Option<PathBuf> {
    let folder = without_slash(folder);
    let name = folder.file_name()?.to_str()?.strip_suffix(ENDING).filter(|name| !name.is_empty())?;
    Some(folder.with_file_name(name))
}

/// `path` without a slash at its end.
fn without_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_beside_the_results() {
        for (out, folder) in [("results/a", "results/a.shards"), ("P.npy", "P.npy.shards"), ("a/", "a.shards")] {
            assert_eq!(folder_of(Path::new(out)), Path::new(folder));
            assert_eq!(results_of(Path::new(folder)), Some(PathBuf::from(out.trim_end_matches('/'))));
        }
        assert_eq!(results_of(Path::new("x/a.shards/")), Some("x/a".into()));
        for other in ["results/a", ".shards", "/"] {
            assert_eq!(results_of(Path::new(other)), None);
        }
    }
}
