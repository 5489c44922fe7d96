//! The packed values of all queries, in memory or mapped from a cache file.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::{Dataset, block};
use crate::error::Error;

/// The packed values of all queries, one block per query.
pub(crate) enum Blocks {
    /// In memory.
    Owned(Vec<Box<[u8]>>),
    /// In a cache file.
    Mapped(MappedBlocks),
}

impl Blocks {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Owned(blocks) => blocks.len(),
            Self::Mapped(mapped) => mapped.file.hashes.len(),
        }
    }

    /// The block of query `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        match self {
            Self::Owned(blocks) => &blocks[index],
            Self::Mapped(mapped) => mapped.get(index),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Owned(blocks) => blocks.iter().map(|block| block.len()).sum(),
            Self::Mapped(MappedBlocks { file, .. }) => file.starts[file.hashes.len()] - file.starts[0],
        }
    }

    pub(crate) fn mapped_from(&self) -> Option<&Path> {
        match self {
            Self::Owned(_) => None,
            Self::Mapped(mapped) => Some(&mapped.file.path),
        }
    }
}

/// Makes a data set again if its cache turns out to be damaged.
pub(crate) type Recipe = Box<dyn Fn() -> Result<Dataset, Error> + Send + Sync>;

/// A cache file, and the description of its blocks in its index.
pub(crate) struct MappedFile {
    pub(crate) map: Mmap,
    pub(crate) path: PathBuf,
    /// The start of each block in `map`, then the end of the last one; all are within the file.
    pub(crate) starts: Vec<usize>,
    pub(crate) hashes: Vec<u64>,
    /// The index of each query's first document, then the number of documents.
    pub(crate) offsets: Vec<usize>,
    pub(crate) features: u32,
    /// The checksum of the content.
    pub(crate) checksum: String,
    pub(crate) recipe: Recipe,
}

/// The blocks of a cache file. Each is checked at its first use; if one is damaged, the data set is made again from
/// the sources of the cache.
pub(crate) struct MappedBlocks {
    file: MappedFile,
    /// One bit per block: whether it has been checked.
    checked: Vec<AtomicU64>,
    rebuilt: OnceLock<Dataset>,
}

impl MappedBlocks {
    /// The blocks of `file`, all unchecked.
    pub(crate) fn new(file: MappedFile) -> Self {
        let checked = (0..file.hashes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { file, checked, rebuilt: OnceLock::new() }
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        let MappedFile { map, starts, .. } = &self.file;
        let bytes = &map[starts[index]..starts[index + 1]];
        // The file never changes in place, so a valid block stays valid; no other memory depends on the bit.
        if self.checked[index / 64].load(Ordering::Relaxed) >> (index % 64) & 1 == 1 {
            return bytes;
        }
        self.check(index, bytes)
    }

    #[cold]
    fn check<'a>(&'a self, index: usize, bytes: &'a [u8]) -> &'a [u8] {
        if self.is_sound(index, bytes) {
            self.checked[index / 64].fetch_or(1 << (index % 64), Ordering::Relaxed);
            return bytes;
        }
        self.rebuilt.get_or_init(|| self.rebuild()).block_bytes(index)
    }

    fn is_sound(&self, index: usize, bytes: &[u8]) -> bool {
        let MappedFile { offsets, hashes, features, .. } = &self.file;
        let documents = offsets[index + 1] - offsets[index];
        xxh3_64(bytes) == hashes[index] && block::is_sound(bytes, documents, *features)
    }

    /// Removes the damaged file and makes the data set again.
    ///
    /// Panics if that is impossible, because reading a block cannot return an error.
    #[cold]
    fn rebuild(&self) -> Dataset {
        let MappedFile { path, checksum, recipe, .. } = &self.file;
        let _ = std::fs::remove_file(path);
        // Uses a separate thread and pool: a thread of the current pool, while it waits, could take work that needs
        // this very block.
        let again = std::thread::scope(|scope| {
            let build = || match rayon::ThreadPoolBuilder::new().build() {
                Ok(pool) => pool.install(recipe),
                Err(_) => recipe(),
            };
            scope.spawn(build).join()
        });
        let path = path.display();
        match again {
            Ok(Ok(dataset)) if dataset.checksum() == *checksum => dataset,
            Ok(Ok(_)) => panic!("the cache {path} is damaged, and its sources have changed: start again"),
            Ok(Err(error)) => panic!("the cache {path} is damaged, and its sources cannot be read: {error}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
