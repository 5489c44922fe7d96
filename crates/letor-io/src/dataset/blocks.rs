//! The packed values of all queries, in memory or in a cache file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::{Dataset, block};
use crate::error::Error;

/// The packed values of all queries, one block per query.
pub(crate) enum Blocks {
    /// In memory.
    Owned(Vec<Box<[u8]>>),
    /// In a cache file, and in memory once used.
    File(FileBlocks),
}

impl Blocks {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Owned(blocks) => blocks.len(),
            Self::File(blocks) => blocks.read.len(),
        }
    }

    /// The block of query `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        match self {
            Self::Owned(blocks) => &blocks[index],
            Self::File(blocks) => blocks.get(index),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Owned(blocks) => blocks.iter().map(|block| block.len()).sum(),
            Self::File(FileBlocks { file, .. }) => file.starts[file.hashes.len()] - file.starts[0],
        }
    }

    pub(crate) fn cache_file(&self) -> Option<&Path> {
        match self {
            Self::Owned(_) => None,
            Self::File(blocks) => Some(&blocks.file.path),
        }
    }
}

/// Makes a data set again if its cache turns out to be damaged.
pub(crate) type Recipe = Box<dyn Fn() -> Result<Dataset, Error> + Send + Sync>;

/// A cache file, and the description of its blocks in its index.
pub(crate) struct BlockFile {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
    /// The start of each block in the file, then the end of the last one; all are within the file.
    pub(crate) starts: Vec<usize>,
    pub(crate) hashes: Vec<u64>,
    /// The index of each query's first document, then the number of documents.
    pub(crate) offsets: Vec<usize>,
    pub(crate) features: u32,
    /// The checksum of the content.
    pub(crate) checksum: String,
    pub(crate) recipe: Recipe,
}

/// The blocks of a cache file. Each is read and checked at its first use; if one is damaged, the data set is made again
/// from the sources of the cache.
pub(crate) struct FileBlocks {
    file: BlockFile,
    read: Vec<OnceLock<Box<[u8]>>>,
    rebuilt: OnceLock<Dataset>,
}

impl FileBlocks {
    /// The blocks of `file`, none read yet.
    pub(crate) fn new(file: BlockFile) -> Self {
        let read = file.hashes.iter().map(|_| OnceLock::new()).collect();
        Self { file, read, rebuilt: OnceLock::new() }
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        match self.read[index].get() {
            Some(bytes) => bytes,
            None => self.read(index),
        }
    }

    #[cold]
    fn read(&self, index: usize) -> &[u8] {
        match self.read_sound_block(index) {
            Some(bytes) => self.read[index].get_or_init(|| bytes),
            None => self.rebuilt.get_or_init(|| self.rebuild()).block_bytes(index),
        }
    }

    /// A block, if the file has it undamaged.
    fn read_sound_block(&self, index: usize) -> Option<Box<[u8]>> {
        let BlockFile { file, starts, offsets, hashes, features, .. } = &self.file;
        let mut bytes = vec![0; starts[index + 1] - starts[index]].into_boxed_slice();
        read_at(file, &mut bytes, starts[index] as u64).ok()?;
        let documents = offsets[index + 1] - offsets[index];
        (xxh3_64(&bytes) == hashes[index] && block::is_sound(&bytes, documents, *features)).then_some(bytes)
    }

    /// Removes the damaged file and makes the data set again.
    ///
    /// Panics if that is impossible, because reading a block cannot return an error.
    #[cold]
    fn rebuild(&self) -> Dataset {
        let BlockFile { path, checksum, recipe, .. } = &self.file;
        let _ = std::fs::remove_file(path);
        // Uses a separate thread and pool: a thread of the current pool, while it waits, could take work that needs
        // this very block.
        let mut attempts = 50;
        let again = std::thread::scope(|scope| {
            let build = || {
                let one = || rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                match rayon::ThreadPoolBuilder::new().build().or_else(|_| one()) {
                    Ok(pool) => pool.install(recipe),
                    Err(_) => recipe(),
                }
            };
            // The limit on threads may be reached only for a moment.
            loop {
                match std::thread::Builder::new().spawn_scoped(scope, build) {
                    Ok(thread) => break thread.join(),
                    Err(_) if attempts > 0 => {
                        attempts -= 1;
                        std::thread::sleep(std::time::Duration::from_millis(100));
                    }
                    Err(error) => {
                        let path = path.display();
                        panic!("the cache {path} is damaged, and no thread can be started to make it again: {error}")
                    }
                }
            }
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

/// Fills `buffer` from the place `start` of `file`, which several threads may do at the same time.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[filled..], start + filled as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
