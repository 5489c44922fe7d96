//! Cache files on disk: mapped where they are what they should be, written aside and renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;

use super::format::{self, Index};
use super::source;
use crate::dataset::{Blocks, Content, Dataset, MappedBlocks, MappedFile, Provenance, Recipe};

/// The data set in the cache at `path`, unless that is missing, of something else than `key` says, of
/// another version, or damaged; and whether the sources had to be read to tell.
pub(super) fn load(
    path: &Path,
    key: &str,
    (name, provenance): (&str, Provenance),
    sources: &[PathBuf],
    recipe: impl FnOnce() -> Recipe,
) -> Option<(Dataset, bool)> {
    let map = map(&File::open(path).ok()?).ok()?;
    let index = format::read(&map)?;
    let of_these = || index.proof.is_none_or(|hash| source::hash(sources) == Some(hash));
    if index.key != key || !of_these() {
        return None;
    }
    let proved = index.proof.is_some();
    Some((dataset(map, path, index, (name, provenance), recipe()), proved))
}

/// The data set that the cache `map`, the file at `path`, with the index `index` holds.
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

#[expect(unsafe_code, reason = "mapping a file is unsafe, as somebody may cut it short while it is mapped")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: cache files are never changed in place: they are written under another name, then renamed,
    // which leaves whoever has mapped the old one with the old one. What is in the file is not trusted.
    unsafe { Mmap::map(file) }
}

/// Leaves a cache of `dataset` at `path`, whole or not at all. Who cannot write one goes without.
pub(super) fn save(path: &Path, key: &str, proof: Option<u64>, dataset: &Dataset) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let Some(head) = format::head(key, proof, dataset) else {
        return;
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".{}.{}.{number}.aside{}", name.display(), std::process::id(), super::ENDING));
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
