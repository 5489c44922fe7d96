//! Lists in as little memory as they need: random impressions mostly wait for memory.
//!
//! A list of at most 256 documents takes three bytes for each: the document at each rank; and for each document the first and
//! the last rank of its tie group. Longer lists take six: the document at each rank, and the tie group of each document.

use bytemuck::{cast_slice, cast_slice_mut};

use super::{Doc, Form, RankedList, TieGroup};

/// The most documents with numbers that fit into a byte.
const MAX_SHORT_DOCUMENTS: usize = ShortList::MAX_DOCUMENTS;

/// Words of 16 bits per document of a longer list.
const WORDS_PER_DOCUMENT: usize = 3;

/// A list of at most [`MAX_SHORT_DOCUMENTS`] documents, all of them listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortList<'a> {
    /// The document at each rank.
    order: &'a [u8],
    /// The first and the last rank of each document's group.
    groups: &'a [[u8; 2]],
}

/// The first and the last rank of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TiedRanks {
    pub(crate) first: u8,
    pub(crate) last: u8,
}

impl<'a> ShortList<'a> {
    /// The most documents with numbers that fit into a byte.
    pub(crate) const MAX_DOCUMENTS: usize = 1 << u8::BITS;

    /// The document at a rank, which the list has.
    #[inline]
    pub(crate) fn at(self, rank: u8) -> u8 {
        self.order[usize::from(rank)]
    }

    /// The group of the document at a rank, which the list has.
    #[inline]
    pub(crate) fn tied_at(self, rank: u8) -> TiedRanks {
        self.tied_with(self.at(rank))
    }

    /// The group of a document of the list.
    #[inline]
    pub(crate) fn tied_with(self, doc: u8) -> TiedRanks {
        let [first, last] = self.groups[usize::from(doc)];
        TiedRanks { first, last }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.order.len()
    }

    #[inline]
    pub(super) fn get(self, rank: usize) -> Option<Doc> {
        self.order.get(rank).map(|&doc| Doc(doc.into()))
    }

    /// The document at each rank.
    #[inline]
    pub(super) fn order(self) -> &'a [u8] {
        self.order
    }

    /// The first rank of the group of `doc`.
    #[inline]
    pub(super) fn start(self, doc: Doc) -> Option<u16> {
        self.groups.get(doc.index()).map(|&[first, _]| first.into())
    }

    #[inline]
    pub(super) fn group(self, doc: Doc) -> TieGroup {
        match self.groups.get(doc.index()) {
            Some(&[first, last]) => TieGroup { start: first.into(), end: u16::from(last) + 1 },
            None => TieGroup::UNLISTED,
        }
    }

    /// Its bytes: the order, and the groups.
    #[inline]
    pub(super) fn memory(self) -> [&'a [u8]; 2] {
        [self.order, self.groups.as_flattened()]
    }
}

impl<'a> RankedList<'a> {
    /// The number of 16-bit words in which a list of all of `documents` documents is [stored](Self::store).
    #[inline]
    #[must_use]
    pub const fn words(documents: usize) -> usize {
        if documents <= MAX_SHORT_DOCUMENTS {
            (WORDS_PER_DOCUMENT * documents).div_ceil(2)
        } else {
            WORDS_PER_DOCUMENT * documents
        }
    }

    /// Stores a list of all documents in `words`, which are [as many](Self::words) as it takes: the document at each rank, and
    /// one past the last rank of each tie group, ascending. The bytes are those of a machine of this byte order.
    ///
    /// # Panics
    /// If there are other numbers of words or documents than the last group ends at.
    pub fn store(order: &[Doc], ends: &[u16], stored_words: &mut [u16]) {
        let documents = order.len();
        assert_eq!(stored_words.len(), Self::words(documents), "words of a list of {documents} documents");
        assert_eq!(ends.last().copied().unwrap_or(0), documents as u16, "the end of the last group");
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let groups = starts.zip(ends).map(|(start, &end)| TieGroup { start, end });
        if documents > MAX_SHORT_DOCUMENTS {
            let (rank_words, of_documents) = stored_words.split_at_mut(documents);
            cast_slice_mut(rank_words).copy_from_slice(order);
            let of_documents: &mut [TieGroup] = cast_slice_mut(of_documents);
            for group in groups {
                order[group.ranks()].iter().for_each(|doc| of_documents[doc.index()] = group);
            }
            return;
        }
        let (rank_words, rest) = cast_slice_mut::<u16, u8>(stored_words).split_at_mut(documents);
        let (of_documents, unlisted_words) = rest.as_chunks_mut();
        rank_words.iter_mut().zip(order).for_each(|(place, doc)| *place = doc.0 as u8);
        for group in groups {
            let ranks = [group.start as u8, (group.end - 1) as u8];
            order[group.ranks()].iter().for_each(|doc| of_documents[doc.index()] = ranks);
        }
        unlisted_words.fill(0);
    }

    /// The list of `documents` documents that [`store`](Self::store) has written to `words`. Other words make methods
    /// return nonsense or panic, but nothing worse.
    #[inline]
    #[must_use]
    pub fn stored(words: &'a [u16], documents: usize) -> Self {
        debug_assert_eq!(words.len(), Self::words(documents));
        if documents <= MAX_SHORT_DOCUMENTS {
            let (order, rest) = cast_slice::<u16, u8>(words).split_at(documents);
            Self { form: Form::Short(ShortList { order, groups: rest.as_chunks().0 }) }
        } else {
            let (order, groups) = words.split_at(documents);
            Self::from_trusted(cast_slice(order), cast_slice(groups))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ListBuf;

    fn groups(list: RankedList<'_>, documents: usize) -> Vec<TieGroup> {
        // Documents that do not exist have no group.
        (0..documents as u16 + 3).map(|doc| list.group(Doc(doc))).collect()
    }

    proptest! {
        /// A stored list equals the list, up to and beyond the number of documents that fit into a byte each.
        #[test]
        fn a_stored_list_is_the_list(
            documents in prop_oneof![0_usize..140, 250_usize..270],
            levels in prop_oneof![1_u64..4, 1_u64..400],
            seed: u64,
        ) {
            let score = |doc: u64| (doc + 1).wrapping_mul(seed | 1).rotate_left(29) % levels;
            let scores: Vec<f64> = (0..documents as u64).map(|doc| score(doc) as f64).collect();
            let owned = ListBuf::from_scores(&scores).expect("a list");
            let plain = owned.as_list();
            let order: Vec<Doc> = plain.docs().collect();
            let mut ends: Vec<u16> = order.iter().map(|&doc| plain.group(doc).end).collect();
            ends.dedup();
            // Whatever was there before.
            let mut words = vec![0xBEEF; RankedList::words(documents)];
            RankedList::store(&order, &ends, &mut words);
            let stored = RankedList::stored(&words, documents);

            prop_assert_eq!((stored.len(), stored.documents()), (documents, documents));
            prop_assert_eq!(stored.docs().collect::<Vec<_>>(), order.clone());
            prop_assert_eq!(stored.get(documents), None);
            prop_assert_eq!(groups(stored, documents), groups(plain, documents));
            for (rank, &doc) in order.iter().enumerate() {
                let group = plain.group(doc);
                prop_assert_eq!(stored.get(rank), Some(doc));
                prop_assert_eq!(stored.group_at(rank), group);
                prop_assert_eq!(stored.start(doc), Some(group.start));
                prop_assert_eq!(stored.tied(group).collect::<Vec<_>>(), &order[group.ranks()]);
            }
        }
    }

    #[test]
    fn words_are_few() {
        assert_eq!([0, 1, 2, 120, 256, 257].map(RankedList::words), [0, 2, 3, 180, 384, 771]);
    }

    #[test]
    #[should_panic(expected = "the end of the last group")]
    fn a_group_without_an_end_is_refused() {
        RankedList::store(&[Doc(0), Doc(1)], &[1], &mut [0; 3]);
    }

    #[test]
    fn words_of_another_list_are_nonsense_only() {
        let words = vec![u16::MAX; RankedList::words(100)];
        let list = RankedList::stored(&words, 100);
        assert_eq!(list.docs().count(), 100);
        assert!(list.tied(list.group(Doc(3))).count() <= 100);
    }
}
