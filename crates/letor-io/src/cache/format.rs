//! The bytes of a cache file: written, and validated when read.

use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use crate::dataset::{Blocks, Content, Dataset, MAX_ID, Provenance};

/// Increment if the layout of caches, the packing of values or what the reader makes of a text changes.
pub(super) const VERSION: u32 = 3;

pub(super) const MAGIC: &[u8; 8] = b"letorbin";
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;
pub(super) const HEADER_LEN: usize = 48;
/// The number of hex digits of a checksum.
const CHECKSUM_DIGITS: usize = 64;

/// The header and index of the cache of `dataset`. `key` describes its sources; `proof` is the hash of the sources if
/// their times of change are too recent to be reliable. `None` if something is too large for the format.
pub(super) fn encode_head(key: &str, proof: Option<u64>, dataset: &Dataset) -> Option<Vec<u8>> {
    let content = dataset.content();
    let narrow = |number: usize| u32::try_from(number).ok();
    let mut index = Vec::new();
    index.extend_from_slice(&narrow(key.len())?.to_le_bytes());
    index.extend_from_slice(key.as_bytes());
    index.push(u8::from(proof.is_some()));
    index.extend_from_slice(&proof.unwrap_or(0).to_le_bytes());
    index.extend_from_slice(dataset.checksum().as_bytes());
    index.extend_from_slice(&content.features.to_le_bytes());
    for number in [dataset.queries(), dataset.documents(), content.ids.len()] {
        index.extend_from_slice(&(number as u64).to_le_bytes());
    }
    for &end in &content.id_ends {
        index.extend_from_slice(&narrow(end)?.to_le_bytes());
    }
    for pair in content.offsets.windows(2) {
        index.extend_from_slice(&narrow(pair[1] - pair[0])?.to_le_bytes());
    }
    let mut blocks_len = 0u64;
    for query in 0..dataset.queries() {
        let len = narrow(dataset.block_bytes(query).len())?;
        index.extend_from_slice(&len.to_le_bytes());
        blocks_len += u64::from(len);
    }
    for query in 0..dataset.queries() {
        index.extend_from_slice(&xxh3_64(dataset.block_bytes(query)).to_le_bytes());
    }
    content.labels.iter().for_each(|label| index.extend_from_slice(&label.to_le_bytes()));
    index.extend_from_slice(content.ids.as_bytes());

    let mut head = Vec::with_capacity(HEADER_LEN + index.len());
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&BYTE_ORDER.to_le_bytes());
    head.extend_from_slice(&VERSION.to_le_bytes());
    let len = index.len() as u64;
    for number in [HEADER_LEN as u64 + len + blocks_len, len, xxh3_64(&index)] {
        head.extend_from_slice(&number.to_le_bytes());
    }
    head.extend_from_slice(&xxh3_64(&head).to_le_bytes());
    head.extend_from_slice(&index);
    Some(head)
}

/// The validated index of a cache.
pub(super) struct Index {
    pub(super) key: String,
    pub(super) proof: Option<u64>,
    pub(super) checksum: String,
    pub(super) features: u32,
    pub(super) ids: String,
    pub(super) id_ends: Vec<usize>,
    pub(super) offsets: Vec<usize>,
    pub(super) labels: Vec<f32>,
    /// The start of each block in the file, then the end of the last one.
    pub(super) starts: Vec<usize>,
    pub(super) hashes: Vec<u64>,
}

impl Index {
    /// The data set that the cache holds, its blocks being `blocks`.
    pub(super) fn dataset(self, (name, provenance): (&str, Provenance), blocks: Blocks) -> Dataset {
        let Self { checksum, features, ids, id_ends, offsets, labels, .. } = self;
        Content {
            name: name.to_owned(),
            provenance,
            features,
            ids,
            id_ends,
            offsets,
            max_label: labels.iter().copied().reduce(f32::max).unwrap_or(0.0),
            labels,
            blocks,
            checksum: OnceLock::from(checksum),
            all_null: 0,
            runs: None,
        }
        .into()
    }
}

/// The length of header and index of a cache file of `total` bytes that begins with `header`; `None` if it has another
/// version, is truncated or damaged.
pub(super) fn head_len(header: &[u8], total: u64) -> Option<usize> {
    let (len, _) = read_header(header, total)?;
    HEADER_LEN.checked_add(len).filter(|&len| len as u64 <= total)
}

/// The index of a cache file of `total` bytes; `head` has at least header and index. `None` if the file has another
/// version or is truncated, damaged or inconsistent.
pub(super) fn read(head: &[u8], total: u64) -> Option<Index> {
    let (len, hash) = read_header(head.get(..HEADER_LEN)?, total)?;
    let index = head[HEADER_LEN..].get(..len)?;
    if xxh3_64(index) != hash {
        return None;
    }
    read_index(index, HEADER_LEN + index.len(), usize::try_from(total).ok()?)
}

/// The length of the index and its hash.
fn read_header(bytes: &[u8], total: u64) -> Option<(usize, u64)> {
    let mut header = Reader { rest: bytes.get(..HEADER_LEN)? };
    if header.take(8)? != MAGIC || header.u32()? != BYTE_ORDER || header.u32()? != VERSION {
        return None;
    }
    let (stated, len, hash) = (header.u64()?, header.u64()?, header.u64()?);
    if header.u64()? != xxh3_64(&bytes[..HEADER_LEN - 8]) || stated != total {
        return None;
    }
    Some((usize::try_from(len).ok()?, hash))
}

fn read_index(index: &[u8], blocks_start: usize, end: usize) -> Option<Index> {
    let mut reader = Reader { rest: index };
    let len = reader.u32()? as usize;
    let key = str::from_utf8(reader.take(len)?).ok()?.to_string();
    let (proved, proof) = (reader.take(1)?[0], reader.u64()?);
    let proof = match proved {
        0 => None,
        1 => Some(proof),
        _ => return None,
    };
    let checksum = reader.take(CHECKSUM_DIGITS)?;
    if !checksum.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let checksum = str::from_utf8(checksum).ok()?.to_string();
    let features = reader.u32()?;
    let mut count = || usize::try_from(reader.u64()?).ok();
    let (queries, documents, id_bytes) = (count()?, count()?, count()?);

    let id_ends: Vec<usize> = reader.u32s(queries)?.map(|end| end as usize).collect();
    let mut offsets = Vec::with_capacity(queries + 1);
    offsets.push(0usize);
    for documents in reader.u32s(queries)? {
        let before = offsets[offsets.len() - 1];
        offsets.push(before.checked_add(documents as usize).filter(|_| documents > 0)?);
    }
    let mut starts = Vec::with_capacity(queries + 1);
    starts.push(blocks_start);
    for len in reader.u32s(queries)? {
        let start = starts[starts.len() - 1];
        starts.push(start.checked_add(len as usize).filter(|&stop| stop <= end)?);
    }
    let hashes = reader.take(queries.checked_mul(8)?)?.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let hashes = hashes.collect();
    let labels: Vec<f32> = reader.u32s(documents)?.map(f32::from_bits).collect();
    let ids = str::from_utf8(reader.take(id_bytes)?).ok()?.to_string();

    let mut start = 0;
    let sound_ids = id_ends.iter().all(|&end| {
        let sound = start < end && end - start <= MAX_ID && ids.is_char_boundary(end);
        start = end;
        sound
    });
    let sound = sound_ids
        && start == ids.len()
        && offsets[queries] == documents
        && starts[queries] == end
        && reader.rest.is_empty()
        && labels.iter().all(|label| label.is_finite());
    sound.then_some(Index { key, proof, checksum, features, ids, id_ends, offsets, labels, starts, hashes })
}

/// Reads numbers from bytes until they run out.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    fn u32s(&mut self, count: usize) -> Option<impl Iterator<Item = u32> + use<'a>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)))
    }
}
