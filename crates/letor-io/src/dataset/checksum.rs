//! A data set's checksum: SHA-256 over a digest of each query.

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::Dataset;

/// The version of the hashed content; a change of the packing needs a new version.
const VERSION: &[u8] = b"letor-io content 1\n";

/// The checksum as 64 hex digits.
///
/// The digest of a query covers its id, labels and packed values, which depend only on its content.
pub(super) fn checksum_of(dataset: &Dataset) -> String {
    let digests: Vec<_> = (0..dataset.queries())
        .into_par_iter()
        .map(|index| {
            let query = dataset.query(index);
            let mut hasher = Sha256::new();
            hasher.update((query.id().len() as u64).to_le_bytes());
            hasher.update(query.id());
            hasher.update((query.documents() as u64).to_le_bytes());
            for label in query.labels() {
                hasher.update(label.to_le_bytes());
            }
            hasher.update(dataset.block_bytes(index));
            hasher.finalize()
        })
        .collect();
    let mut hasher = Sha256::new_with_prefix(VERSION);
    digests.iter().for_each(|digest| hasher.update(digest));
    if let Some(runs) = dataset.runs() {
        runs.hash_into(|bytes| hasher.update(bytes));
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
