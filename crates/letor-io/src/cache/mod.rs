//! The binary cache, which is mapped into memory instead of parsing text again; not the packing of values, which it
//! takes from memory as it is.
//!
//! The first [`open`](crate::open) of files writes a cache file beside them; later ones map it and read what they
//! need. A cache is used only if it was made of these very files (names, sizes, times of change), with the same
//! options and by the same version. Otherwise, or if it is damaged, the text is read and the cache written again.
//! Header and index are checked at opening, the values of each query at their first use.
//!
//! # Format
//!
//! Integers are little-endian. Hashes are XXH3 of 64 bits.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | `letorbin` |
//! | 4 | `0x01020304`, which identifies the byte order |
//! | 4 | version of the format |
//! | 8, 8 | lengths of the whole file and of the index |
//! | 8 | hash of the index |
//! | 8 | hash of all preceding bytes |
//!
//! | bytes | index |
//! |---|---|
//! | 4, n | description of the sources, as text, with its length |
//! | 1, 8 | 1 if the sources were too recent for their times to be reliable, and the hash of their bytes |
//! | 64 | checksum of the content, in hex |
//! | 4, 8, 8, 8 | numbers of features, queries and documents; bytes of all ids |
//! | 4 per query | end of its id |
//! | 4 per query | number of its documents |
//! | 4 per query | size of its block in bytes |
//! | 8 per query | hash of its block |
//! | 4 per document | its label |
//! | n | all ids |
//!
//! The blocks of the queries follow, each as it is in memory.

#[cfg(feature = "fuzz")]
mod check_bytes;
mod format;
mod open;
mod stamps;
mod store;

use std::path::{Path, PathBuf};

#[cfg(feature = "fuzz")]
pub(crate) use check_bytes::check_bytes;
pub(crate) use open::{open_files, open_generated};

/// Where the binary cache of an opened data set is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cache {
    /// In the folder given by the environment variable `ORE_CACHE_DIR`, otherwise beside the data. If the folder is
    /// not writable, there is no cache.
    #[default]
    Beside,
    /// In this folder, which is created if it does not exist.
    Folder(PathBuf),
    /// Nowhere: the text is read every time.
    Off,
}

/// The environment variable with the folder for all caches.
const FOLDER_VARIABLE: &str = "ORE_CACHE_DIR";

impl Cache {
    /// The folder for the cache of data whose first file is `first`, and whether it is the folder of that file.
    fn folder(&self, first: &Path) -> Option<(PathBuf, bool)> {
        match self {
            Self::Off => None,
            Self::Folder(folder) => Some((folder.clone(), false)),
            Self::Beside => match std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
                Some(folder) => Some((folder.into(), false)),
                None => {
                    let folder = first.parent().filter(|folder| !folder.as_os_str().is_empty());
                    Some((folder.unwrap_or(Path::new(".")).into(), true))
                }
            },
        }
    }
}
