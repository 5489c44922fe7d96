//! Cache files on disk: mapped if valid, written under a temporary name and renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;

use super::format::{self, Index};
use super::stamps;
use crate::dataset::{Blocks, Content, Dataset, MappedBlocks, MappedFile, Provenance, Recipe};
use crate::file_names::CACHE_ENDING;

/// The data set in the cache at `path`, and whether the sources had to be read to check it. `None` if the cache is
/// missing, has another key or version, or is damaged.
pub(super) fn load(
    path: &Path,
    key: &str,
    (name, provenance): (&str, Provenance),
    sources: &[PathBuf],
    recipe: impl FnOnce() -> Recipe,
) -> Option<(Dataset, bool)> {
    let map = map(&File::open(path).ok()?).ok()?;
    let index = format::read(&map)?;
    let of_these = || index.proof.is_none_or(|hash| stamps::hash(sources) == Some(hash));
    if index.key != key || !of_these() {
        return None;
    }
    let proved = index.proof.is_some();
    Some((dataset(map, path, index, (name, provenance), recipe()), proved))
}

/// The data set in `map`, the cache file at `path` with the index `index`.
fn dataset(map: Mmap, path: &Path, index: Index, (name, provenance): (&str, Provenance), recipe: Recipe) -> Dataset {
    let Index { checksum, features, ids, id_ends, offsets, labels, starts, hashes, .. } = index;
    let file = MappedFile {
        map,
        path: path.to_path_buf(),
        starts,
        hashes,
        offsets: offsets.clone(),
        features,
        checksum: checksum.clone(),
        recipe,
    };
    let max_label = labels.iter().copied().reduce(f32::max).unwrap_or(0.0);
    let (name, checksum) = (name.to_string(), OnceLock::from(checksum));
    let blocks = Blocks::Mapped(MappedBlocks::new(file));
    Content { name, provenance, features, ids, id_ends, offsets, labels, max_label, blocks, checksum }.into()
}

#[expect(unsafe_code, reason = "mapping a file is unsafe because another process may truncate it")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: cache files never change in place: a new one is written under another name and renamed, so an existing
    // map keeps the old file. The contents of the file are validated before use.
    unsafe { Mmap::map(file) }
}

/// Writes a cache of `dataset` to `path`, completely or not at all. Failures are ignored.
pub(super) fn save(path: &Path, key: &str, proof: Option<u64>, dataset: &Dataset) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let Some(head) = format::head(key, proof, dataset) else {
        return;
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".{}.{}.{number}.aside{}", name.display(), std::process::id(), CACHE_ENDING));
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut out = BufWriter::with_capacity(1 << 20, File::create_new(&aside)?);
        out.write_all(&head)?;
        for query in 0..dataset.queries() {
            out.write_all(dataset.block_bytes(query))?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?;
        fs::rename(&aside, path)
    };
    if write().is_err() {
        let _ = fs::remove_file(&aside);
    }
}
