//! Reads all of a cache from memory, for fuzzing and tests.

use xxhash_rust::xxh3::xxh3_64;

use super::format::{self, BYTE_ORDER, HEADER_LEN, MAGIC, VERSION};
use crate::dataset::{Blocks, Dataset, Provenance, is_sound};

/// The data set in `file`, the bytes of a cache, or `None` if anything is invalid.
///
/// With `repair_hashes`, hashes are ignored or corrected, so that invalid contents behind a wrong hash are tested too.
pub(crate) fn check_bytes(file: &[u8], repair_hashes: bool) -> Option<Dataset> {
    let repaired = repair_hashes.then(|| with_matching_header(file));
    let file = repaired.as_deref().unwrap_or(file);
    let index = format::read(file, file.len() as u64)?;
    let block = |query: usize| {
        let bytes = &file[index.starts[query]..index.starts[query + 1]];
        let documents = index.offsets[query + 1] - index.offsets[query];
        let sound =
            (repair_hashes || xxh3_64(bytes) == index.hashes[query]) && is_sound(bytes, documents, index.features);
        sound.then(|| bytes.into())
    };
    let blocks = Blocks::Owned((0..index.hashes.len()).map(block).collect::<Option<_>>()?);
    Some(index.dataset(("bytes", Provenance::Files { files: Vec::new(), skipped: Vec::new() }), blocks))
}

/// `file` with a header that matches its contents.
fn with_matching_header(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    if file.len() < HEADER_LEN {
        return file;
    }
    let len = u64::from_le_bytes(*file[24..].first_chunk().expect("the file is longer than its header"));
    let index = file[HEADER_LEN..].get(..usize::try_from(len).unwrap_or(usize::MAX)).map_or(0, xxh3_64);
    let total = file.len() as u64;
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&BYTE_ORDER.to_le_bytes());
    file[12..16].copy_from_slice(&VERSION.to_le_bytes());
    file[16..24].copy_from_slice(&total.to_le_bytes());
    file[32..40].copy_from_slice(&index.to_le_bytes());
    let hash = xxh3_64(&file[..HEADER_LEN - 8]);
    file[HEADER_LEN - 8..HEADER_LEN].copy_from_slice(&hash.to_le_bytes());
    file
}
