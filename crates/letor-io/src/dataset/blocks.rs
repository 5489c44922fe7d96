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
            Self::Mapped(mapped) => mapped.hashes.len(),
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
            Self::Mapped(mapped) => mapped.starts[mapped.hashes.len()] - mapped.starts[0],
        }
    }

    pub(crate) fn mapped_from(&self) -> Option<&Path> {
        match self {
            Self::Owned(_) => None,
            Self::Mapped(mapped) => Some(&mapped.path),
        }
    }
}

/// How to make a data set again when its cache turns out to be damaged.
pub(crate) type Recipe = Box<dyn Fn() -> Result<Dataset, Error> + Send + Sync>;

/// The blocks of a cache file. Each is checked at its first use; where one is damaged, all are made
/// again from what the cache was made of.
pub(crate) struct MappedBlocks {
    map: Mmap,
    path: PathBuf,
    /// Where each block starts in `map`, and where the last one ends.
    starts: Vec<usize>,
    hashes: Vec<u64>,
    /// How many documents each query has is in here.
    offsets: Vec<usize>,
    features: u32,
    /// The checksum of the content, as the file's index tells it.
    checksum: String,
    /// A bit for each block that was checked.
    checked: Vec<AtomicU64>,
    recipe: Recipe,
    rebuilt: OnceLock<Dataset>,
}

impl MappedBlocks {
    /// The blocks of `map`, the file at `path`, which start at `starts` (one more entry says where the
    /// last ends; all are within the file) and have the hashes `hashes`.
    #[expect(clippy::too_many_arguments, reason = "the parts of one file's index, each once")]
    pub(crate) fn new(
        map: Mmap,
        path: PathBuf,
        starts: Vec<usize>,
        hashes: Vec<u64>,
        offsets: Vec<usize>,
        features: u32,
        checksum: String,
        recipe: Recipe,
    ) -> Self {
        let checked = (0..hashes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let rebuilt = OnceLock::new();
        Self { map, path, starts, hashes, offsets, features, checksum, checked, recipe, rebuilt }
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        let bytes = &self.map[self.starts[index]..self.starts[index + 1]];
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
        let documents = self.offsets[index + 1] - self.offsets[index];
        xxh3_64(bytes) == self.hashes[index] && block::is_sound(bytes, documents, self.features)
    }

    /// Makes the data set again; the damaged file goes.
    ///
    /// Who asked for a block expects one and cannot be told that there is none: where there is neither
    /// an undamaged cache nor what it was made of, nothing can be done.
    #[cold]
    fn rebuild(&self) -> Dataset {
        let _ = std::fs::remove_file(&self.path);
        // A thread of its own, with helpers of its own: one that works for others while it waits could
        // come back to this very block.
        let again = std::thread::scope(|scope| {
            let build = || match rayon::ThreadPoolBuilder::new().build() {
                Ok(pool) => pool.install(|| (self.recipe)()),
                Err(_) => (self.recipe)(),
            };
            scope.spawn(build).join()
        });
        let path = self.path.display();
        match again {
            Ok(Ok(dataset)) if dataset.checksum() == self.checksum => dataset,
            Ok(Ok(_)) => panic!("the cache {path} is damaged, and what it was made of has changed: start again"),
            Ok(Err(error)) => panic!("the cache {path} is damaged, and what it was made of cannot be read: {error}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
