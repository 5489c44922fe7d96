//! Cache files on disk: read if valid, written under a temporary name and renamed.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::format::{self, HEADER_LEN, Index};
use super::stamps;
use crate::dataset::{BlockFile, Blocks, Dataset, FileBlocks, Provenance, Recipe};
use crate::regular_file;

/// The ending of a cache that is being written.
const ASIDE_ENDING: &str = ".aside.letor-cache";

/// The data set in the cache at `path`, and whether the sources had to be read to check it; or why the cache is not used.
pub(super) fn load(
    path: &Path,
    key: &str,
    (name, provenance): (&str, Provenance),
    sources: &[PathBuf],
    recipe: impl FnOnce() -> Recipe,
) -> Result<(Dataset, bool), &'static str> {
    let Some((file, index)) = read_index(path) else {
        return Err(if path.exists() { "it is damaged or of another version" } else { "there is none yet" });
    };
    if index.key != key {
        return Err("the files, the options or the version are not those it was made with");
    }
    if index.proof.is_some_and(|hash| stamps::hash_files(sources) != Some(hash)) {
        return Err("the content of the files has changed");
    }
    let proved = index.proof.is_some();
    Ok((dataset(file, path, index, (name, provenance), recipe()), proved))
}

/// The cache file at `path`, open, and its index.
pub(super) fn read_index(path: &Path) -> Option<(File, Index)> {
    let mut file = regular_file::open(path).ok()?;
    let total = file.metadata().ok()?.len();
    let mut head = vec![0; HEADER_LEN];
    file.read_exact(&mut head).ok()?;
    let len = format::head_len(&head, total)?;
    head.try_reserve_exact(len - HEADER_LEN).ok()?;
    head.resize(len, 0);
    file.read_exact(&mut head[HEADER_LEN..]).ok()?;
    let index = format::read(&head, total)?;
    Some((file, index))
}

/// The data set in `file`, the cache at `path` with the index `index`.
fn dataset(file: File, path: &Path, mut index: Index, source: (&str, Provenance), recipe: Recipe) -> Dataset {
    let file = BlockFile {
        file,
        path: path.to_path_buf(),
        starts: std::mem::take(&mut index.starts),
        hashes: std::mem::take(&mut index.hashes),
        offsets: index.offsets.clone(),
        features: index.features,
        checksum: index.checksum.clone(),
        recipe,
    };
    index.dataset(source, Blocks::File(FileBlocks::new(file)))
}

/// Writes a cache of `dataset` to `path`, completely or not at all. Failures are ignored.
pub(super) fn save(path: &Path, key: &str, proof: Option<u64>, dataset: &Dataset) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let Some(head) = format::encode_head(key, proof, dataset) else {
        return;
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".{}.{}.{number}{ASIDE_ENDING}", name.display(), std::process::id()));
    let write = || -> io::Result<()> {
        create_folder(folder)?;
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

/// Creates `folder` and its missing parents, for this user only: data may be licensed or private.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Removes what killed writers left in `folder`. Files of running processes stay; where the system does not list
/// processes, all stay.
pub(super) fn remove_leftovers(folder: &Path) {
    let processes = Path::new("/proc");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(ASIDE_ENDING)?.rsplit_once('.'));
        let writer = parts.and_then(|(rest, _number)| rest.rsplit_once('.')?.1.parse::<u32>().ok());
        let Some(writer) = writer else { continue };
        if processes.join("self").exists() && !processes.join(writer.to_string()).exists() {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}
