//! The documents of a query, looked up by their numbers.
#![expect(clippy::disallowed_types, reason = "only looked up; its order has no effect")]

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// The number of a document, with its hash: hashing once is most of looking up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Docno<'a> {
    pub(super) hash: u64,
    pub(super) bytes: &'a [u8],
}

impl<'a> Docno<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { hash: xxh3_64(bytes), bytes }
    }
}

/// The part hashed already.
#[derive(Debug, Default)]
struct HashedPrefix(u64);

impl Hasher for HashedPrefix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("numbers of documents are hashed as one number")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The distinct documents, in the order of their first occurrence. They own their numbers, so that the files that have them can be dropped.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// By hash, the place of a document. If another document had its hash, it has the next free one.
    places: HashMap<u64, u32, BuildHasherDefault<HashedPrefix>>,
    /// The numbers, one after the other.
    bytes: Vec<u8>,
    /// By place, where the number of a document ends.
    ends: Vec<usize>,
}

impl Documents {
    /// The place of a document, which is added if it is new.
    pub(super) fn add(&mut self, document: Docno<'_>) -> u32 {
        match self.find(document) {
            Ok(place) => place,
            Err(free) => {
                let place = self.ends.len() as u32;
                self.places.insert(free, place);
                self.bytes.extend_from_slice(document.bytes);
                self.ends.push(self.bytes.len());
                place
            }
        }
    }

    /// The place of a document, if it is there.
    pub(super) fn get(&self, document: Docno<'_>) -> Option<u32> {
        self.find(document).ok()
    }

    /// The place of a document, or the hash under which it would be added.
    fn find(&self, document: Docno<'_>) -> Result<u32, u64> {
        let mut hash = document.hash;
        while let Some(&place) = self.places.get(&hash) {
            if self.number(place) == document.bytes {
                return Ok(place);
            }
            hash = hash.wrapping_add(1);
        }
        Err(hash)
    }

    fn number(&self, place: u32) -> &[u8] {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// By place: where the document is in the order of numbers as bytes.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&place| self.number(place));
        let mut ranks = vec![0; order.len()];
        (0..).zip(order).for_each(|(rank, place)| ranks[place as usize] = rank);
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_the_places_of_their_first_lines_and_the_ranks_of_their_bytes() {
        let mut documents = Documents::default();
        let places: Vec<u32> =
            ["b", "a", "b", "c", "a", ""].map(|one| documents.add(Docno::new(one.as_bytes()))).into();
        assert_eq!(places, [0, 1, 0, 2, 1, 3]);
        assert_eq!(documents.ranks(), [2, 1, 3, 0]);
        assert_eq!((documents.get(Docno::new(b"c")), documents.get(Docno::new(b"d"))), (Some(2), None));
        // The same hash, other documents.
        let hash = Docno::new(b"a").hash;
        for (bytes, place) in [(b"x", 4), (b"y", 5)] {
            let other = Docno { hash, bytes };
            assert_eq!((documents.get(other), documents.add(other), documents.add(other)), (None, place, place));
        }
        assert_eq!(documents.get(Docno::new(b"a")), Some(1));
    }
}
