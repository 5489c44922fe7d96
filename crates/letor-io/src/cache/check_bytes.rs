//! Reads all of a cache from memory, for fuzzing and tests.

use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::format::{self, HEADER, Index, MAGIC, ORDER, VERSION};
use crate::dataset::{Blocks, Content, Dataset, Provenance, is_sound};

/// The data set in `file`, the bytes of a cache, or `None` if anything is invalid.
///
/// With `repair_hashes`, hashes are ignored or corrected, so that invalid contents behind a wrong hash are tested too.
pub(crate) fn check_bytes(file: &[u8], repair_hashes: bool) -> Option<Dataset> {
    let repaired = repair_hashes.then(|| repaired(file));
    let file = repaired.as_deref().unwrap_or(file);
    let Index { checksum, features, ids, id_ends, offsets, labels, starts, hashes, .. } =
        format::read(file, file.len() as u64)?;
    let block = |index: usize| {
        let bytes = &file[starts[index]..starts[index + 1]];
        let documents = offsets[index + 1] - offsets[index];
        let sound = (repair_hashes || xxh3_64(bytes) == hashes[index]) && is_sound(bytes, documents, features);
        sound.then(|| bytes.into())
    };
    let blocks = Blocks::Owned((0..hashes.len()).map(block).collect::<Option<_>>()?);
    let (name, provenance) = ("bytes".to_string(), Provenance::Files { files: Vec::new(), skipped: Vec::new() });
    let max_label = labels.iter().copied().reduce(f32::max).unwrap_or(0.0);
    let checksum = OnceLock::from(checksum);
    Some(
        Content {
            name,
            provenance,
            features,
            ids,
            id_ends,
            offsets,
            labels,
            max_label,
            blocks,
            checksum,
            all_null: 0,
            runs: None,
        }
        .into(),
    )
}

/// `file` with a header that matches its contents.
fn repaired(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    if file.len() < HEADER {
        return file;
    }
    let len = u64::from_le_bytes(*file[24..].first_chunk().expect("the file is longer than its header"));
    let index = file[HEADER..].get(..usize::try_from(len).unwrap_or(usize::MAX)).map_or(0, xxh3_64);
    let total = file.len() as u64;
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&ORDER.to_le_bytes());
    file[12..16].copy_from_slice(&VERSION.to_le_bytes());
    file[16..24].copy_from_slice(&total.to_le_bytes());
    file[32..40].copy_from_slice(&index.to_le_bytes());
    let hash = xxh3_64(&file[..HEADER - 8]);
    file[HEADER - 8..HEADER].copy_from_slice(&hash.to_le_bytes());
    file
}
