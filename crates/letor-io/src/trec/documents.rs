//! The documents of a query, looked up by their numbers.
#![expect(clippy::disallowed_types, reason = "only looked up; its order has no effect")]

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

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

impl Hash for Docno<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// What was hashed already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
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

/// Different documents, as they come.
#[derive(Debug, Default)]
pub(super) struct Documents<'a> {
    places: HashMap<Docno<'a>, u32, BuildHasherDefault<Hashed>>,
    found: Vec<&'a [u8]>,
}

impl<'a> Documents<'a> {
    /// The place of a document, which is added if it is new.
    pub(super) fn add(&mut self, document: Docno<'a>) -> u32 {
        let next = self.found.len() as u32;
        let place = *self.places.entry(document).or_insert(next);
        if place == next {
            self.found.push(document.bytes);
        }
        place
    }

    /// The place of a document, if it is there.
    pub(super) fn get(&self, document: Docno<'_>) -> Option<u32> {
        self.places.get(&document).copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// By place: where the document is in the order of numbers as bytes.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.found.len() as u32).collect();
        order.sort_unstable_by_key(|&place| self.found[place as usize]);
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
        // The same hash, another document.
        let other = Docno { hash: Docno::new(b"a").hash, bytes: b"x" };
        assert_eq!((documents.get(other), documents.add(other)), (None, 4));
    }
}
