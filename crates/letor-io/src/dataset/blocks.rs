//! Where the packed values of the queries are: in memory, or mapped from a cache file.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::{Dataset, block};
use crate::error::Error;

/// The packed values of all queries, a block each.
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

/// How to make a data set again when its cache turns out to be damaged.
pub(crate) type Recipe = Box<dyn Fn() -> Result<Dataset, Error> + Send + Sync>;

/// A cache file, and what its index says of the blocks in it.
pub(crate) struct MappedFile {
    pub(crate) map: Mmap,
    pub(crate) path: PathBuf,
    /// Where each block starts in `map`, and where the last one ends; all within the file.
    pub(crate) starts: Vec<usize>,
    pub(crate) hashes: Vec<u64>,
    /// How many documents each query has is in here.
    pub(crate) offsets: Vec<usize>,
    pub(crate) features: u32,
    /// The checksum of the content.
    pub(crate) checksum: String,
    pub(crate) recipe: Recipe,
}

/// The blocks of a cache file. Each is checked at its first use; where one is damaged, all are made
/// again from what the cache was made of.
pub(crate) struct MappedBlocks {
    file: MappedFile,
    /// A bit for each block that was checked.
    checked: Vec<AtomicU64>,
    rebuilt: OnceLock<Dataset>,
}

impl MappedBlocks {
    /// The blocks of `file`, none of them checked yet.
    pub(crate) fn new(file: MappedFile) -> Self {
        let checked = (0..file.hashes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { file, checked, rebuilt: OnceLock::new() }
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        let MappedFile { map, starts, .. } = &self.file;
        let bytes = &map[starts[index]..starts[index + 1]];
        // The file is never changed in place, so what was sound once stays so; no other memory depends
        // on the bit.
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

    /// Makes the data set again; the damaged file goes.
    ///
    /// Who asked for a block expects one and cannot be told that there is none: where there is neither
    /// an undamaged cache nor what it was made of, nothing can be done.
    #[cold]
    fn rebuild(&self) -> Dataset {
        let MappedFile { path, checksum, recipe, .. } = &self.file;
        let _ = std::fs::remove_file(path);
        // A thread of its own, with helpers of its own: one that works for others while it waits could
        // come back to this very block.
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
            Ok(Ok(_)) => panic!("the cache {path} is damaged, and what it was made of has changed: start again"),
            Ok(Err(error)) => panic!("the cache {path} is damaged, and what it was made of cannot be read: {error}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
