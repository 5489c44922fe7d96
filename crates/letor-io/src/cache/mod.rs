//! The binary cache, read instead of parsing text again. It stores packed values as in memory; packing is elsewhere.
//!
//! The first [`open`](crate::open) of files writes a cache file into the folder of
//! [`OpenOptions::cache`](crate::OpenOptions::cache); later ones read from it what they need. A cache is used only if it
//! was made of files with the same paths, sizes, times of change of the content, and on Unix also the same inodes and
//! times of any change, which no program can set; with the same options and by the same version. Otherwise, or if it is
//! damaged, the text is read and the cache written again. Header and index are checked at opening, the values of each
//! query when they are read, which is at their first use.
//!
//! Caches are read, not mapped: a mapped file that another program shortens ends the process. Files appear under their
//! names complete, by renaming.
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
mod folder;
mod format;
mod list;
mod open;
mod stamps;
mod store;

#[cfg(feature = "fuzz")]
pub(crate) use check_bytes::check_bytes;
pub use folder::folder;
pub use list::{CacheFile, State, list};
pub(crate) use open::{open_files, open_generated};
