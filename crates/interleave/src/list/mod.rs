//! One ranker's list for one query: the borrowed view that methods take, in either of two forms, and an owned list.

mod error;
mod list_buf;
mod short_list;

use bytemuck::{Pod, Zeroable, cast_slice};
use serde::{Deserialize, Serialize};

use crate::Generator;
use crate::random::below;

pub use error::{RankedListError, RankedListErrorKind};
pub use list_buf::ListBuf;
pub(crate) use short_list::{ShortList, TiedRanks};

/// A document of one query: its 0-based row within the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
#[serde(transparent)]
pub struct Doc(pub u16);

impl Doc {
    /// The document as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The 0-based ranks `start..end` that a group of documents with equal scores occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct TieGroup {
    /// First rank of the group.
    pub start: u16,
    /// One past its last rank.
    pub end: u16,
}

impl TieGroup {
    /// The group of a document that the ranker does not list.
    pub const UNLISTED: Self = Self { start: 0, end: 0 };

    /// How many documents share these ranks; 0 for a document that is not listed.
    #[inline]
    #[must_use]
    pub fn size(self) -> usize {
        usize::from(self.end.wrapping_sub(self.start))
    }

    /// The ranks as a range of indices.
    #[inline]
    #[must_use]
    pub fn ranks(self) -> std::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }
}

/// One ranker's list of a query's documents: the document at each rank, and, for each
/// document, the ranks its tie group occupies. Inside a group the order is arbitrary: a method that
/// needs an order there draws one at random ([`break_ties`](Self::break_ties)).
///
/// A ranker may leave documents out: those have the empty group [`TieGroup::UNLISTED`], or lie
/// beyond the number of [`documents`](Self::documents). So lists of different lengths can meet in one impression.
#[derive(Debug, Clone, Copy)]
pub struct RankedList<'a> {
    form: Form<'a>,
}

/// How a list is held in memory.
#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    /// The document at each rank, the tie group of each document.
    Long {
        order: &'a [Doc],
        groups: &'a [TieGroup],
    },
    Short(ShortList<'a>),
}

impl<'a> RankedList<'a> {
    /// The largest number of documents in a list.
    pub const MAX_LEN: usize = u16::MAX as usize;

    /// A list from `order` (document at each rank) and `groups` (tie group of each document, empty
    /// for documents that are not in `order`), checked in O(n).
    ///
    /// # Errors
    /// When `order` lists a document twice or one without a group, when groups do not match it, or
    /// with more than 65,535 documents.
    pub fn new(order: &'a [Doc], groups: &'a [TieGroup]) -> Result<Self, RankedListError> {
        if groups.len() > Self::MAX_LEN {
            return Err(RankedListError::new(
                RankedListErrorKind::TooLong,
                format!("{} documents are more than {}; cut the list", groups.len(), Self::MAX_LEN),
            ));
        }
        let mut documents_listed = vec![false; groups.len()];
        for (rank, &doc) in order.iter().enumerate() {
            let Some(&group) = groups.get(doc.index()) else {
                return Err(RankedListError::new(
                    RankedListErrorKind::TieGroup,
                    format!("document {} at rank {rank} has no group; give one group per document", doc.0),
                ));
            };
            if std::mem::replace(&mut documents_listed[doc.index()], true) {
                return Err(RankedListError::new(
                    RankedListErrorKind::Duplicate,
                    format!("document {} is listed twice; list it once", doc.0),
                ));
            }
            // The first document of a run of ties opens its group, the others must repeat it.
            let opens = usize::from(group.start) == rank && usize::from(group.end) <= order.len();
            let repeats = rank > 0 && groups[order[rank - 1].index()] == group;
            if !group.ranks().contains(&rank) || !(opens || repeats) {
                return Err(RankedListError::new(
                    RankedListErrorKind::TieGroup,
                    format!("document {} is at rank {rank}, outside its group {}..{}", doc.0, group.start, group.end),
                ));
            }
            let closes = usize::from(group.end) == rank + 1;
            let next = order.get(rank + 1).and_then(|next| groups.get(next.index()));
            if !closes && next.is_some_and(|next| *next != group) {
                return Err(RankedListError::new(
                    RankedListErrorKind::TieGroup,
                    format!("group {}..{} of document {} ends early, at rank {rank}", group.start, group.end, doc.0),
                ));
            }
        }
        let stray = documents_listed.iter().zip(groups).position(|(is_listed, group)| !is_listed && group.size() > 0);
        if let Some(doc) = stray {
            return Err(RankedListError::new(
                RankedListErrorKind::TieGroup,
                format!("document {doc} has a group but no rank; leave its group empty"),
            ));
        }
        Ok(Self::from_trusted(order, groups))
    }

    /// Like [`new`](Self::new) for slices known to be sound; only their lengths are checked, and only
    /// in debug builds. Unsound slices make methods return nonsense or panic, but nothing worse.
    #[inline]
    #[must_use]
    pub fn from_trusted(order: &'a [Doc], groups: &'a [TieGroup]) -> Self {
        debug_assert!(order.len() <= groups.len() && groups.len() <= Self::MAX_LEN);
        Self { form: Form::Long { order, groups } }
    }

    /// How many documents the list ranks.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self.form {
            Form::Long { order, .. } => order.len(),
            Form::Short(list) => list.len(),
        }
    }

    /// Whether it ranks none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many documents have a [`group`](Self::group), which is empty for those that are not listed.
    #[inline]
    #[must_use]
    pub fn documents(&self) -> usize {
        match self.form {
            Form::Long { groups, .. } => groups.len(),
            Form::Short(list) => list.len(),
        }
    }

    /// The document at a 0-based rank, arbitrary inside tie groups; `None` from [`len`](Self::len) on.
    #[inline]
    #[must_use]
    pub fn get(&self, rank: usize) -> Option<Doc> {
        match self.form {
            Form::Long { order, .. } => order.get(rank).copied(),
            Form::Short(list) => list.get(rank),
        }
    }

    /// The document at a 0-based rank below [`len`](Self::len), arbitrary inside tie groups.
    ///
    /// # Panics
    /// From [`len`](Self::len) on.
    #[inline]
    #[must_use]
    pub fn at(&self, rank: usize) -> Doc {
        self.get(rank).expect("a rank of the list")
    }

    /// The documents, best first; in arbitrary order inside tie groups.
    #[inline]
    pub fn docs(self) -> impl ExactSizeIterator<Item = Doc> + Clone + use<'a> {
        match self.form {
            Form::Long { order, .. } => Docs::Long(order.iter()),
            Form::Short(list) => Docs::Short(list.order().iter()),
        }
    }

    /// The list in its short form, if it has that.
    #[inline]
    pub(crate) fn short(self) -> Option<ShortList<'a>> {
        match self.form {
            Form::Long { .. } => None,
            Form::Short(list) => Some(list),
        }
    }

    /// The documents at the ranks of a tie group of this list.
    #[inline]
    pub fn tied(self, group: TieGroup) -> impl ExactSizeIterator<Item = Doc> + Clone + use<'a> {
        match self.form {
            Form::Long { order, .. } => Docs::Long(order.get(group.ranks()).unwrap_or_default().iter()),
            Form::Short(list) => Docs::Short(list.order().get(group.ranks()).unwrap_or_default().iter()),
        }
    }

    /// Tie group of one document, empty where the list does not have it.
    #[inline]
    #[must_use]
    pub fn group(&self, doc: Doc) -> TieGroup {
        match self.form {
            Form::Long { groups, .. } => groups.get(doc.index()).copied().unwrap_or(TieGroup::UNLISTED),
            Form::Short(list) => list.group(doc),
        }
    }

    /// The first rank of the tie group of one document, `None` where the list does not have it.
    #[inline]
    #[must_use]
    pub fn start(&self, doc: Doc) -> Option<u16> {
        match self.form {
            Form::Long { .. } => Some(self.group(doc)).filter(|group| group.size() > 0).map(|group| group.start),
            Form::Short(list) => list.start(doc),
        }
    }

    /// The tie group of the document at a rank; the empty one from [`len`](Self::len) on.
    #[inline]
    #[must_use]
    pub fn group_at(&self, rank: usize) -> TieGroup {
        self.get(rank).map_or(TieGroup::UNLISTED, |doc| self.group(doc))
    }

    /// The tie group of each document.
    #[inline]
    pub fn groups(self) -> impl ExactSizeIterator<Item = TieGroup> + Clone + use<'a> {
        (0..self.documents()).map(move |doc| self.group(Doc(doc as u16)))
    }

    /// The memory that the list is in: that of the order, and that of the groups.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> [&'a [u8]; 2] {
        match self.form {
            Form::Long { order, groups } => [cast_slice(order), cast_slice(groups)],
            Form::Short(list) => list.memory(),
        }
    }

    /// Writes the documents best first into `order` (cleared first), every tie broken at random: all orders
    /// that the ties allow are equally likely, up to one part in 2^48 for each document.
    ///
    /// ```
    /// use interleave::{Doc, Generator, ListBuf};
    /// use rand::SeedableRng;
    ///
    /// let list = ListBuf::from_scores(&[1.0, 3.0, 1.0, 2.0])?;
    /// let mut generator = Generator::seed_from_u64(3);
    /// let mut order = Vec::new();
    /// list.as_list().break_ties(&mut generator, &mut order);
    /// // Documents 0 and 2 tie for the last ranks.
    /// assert_eq!(order, [1, 3, 2, 0].map(Doc));
    /// # Ok::<(), interleave::RankedListError>(())
    /// ```
    #[inline]
    pub fn break_ties(&self, generator: &mut Generator, order: &mut Vec<Doc>) {
        order.clear();
        match self.form {
            Form::Long { order: docs, .. } => order.extend_from_slice(docs),
            Form::Short(list) => order.extend(list.order().iter().map(|&doc| Doc(doc.into()))),
        }
        let mut start = 0;
        while start < order.len() {
            let end = usize::from(self.group(order[start]).end);
            // At least one document and not more than there are, or an unsound list would never end.
            let end = end.clamp(start + 1, order.len());
            let group = &mut order[start..end];
            for last in (1..group.len()).rev() {
                group.swap(last, below(last + 1, generator));
            }
            start = end;
        }
    }
}

/// Documents of a list, in either form.
#[derive(Debug, Clone)]
enum Docs<'a> {
    Long(std::slice::Iter<'a, Doc>),
    Short(std::slice::Iter<'a, u8>),
}

impl Iterator for Docs<'_> {
    type Item = Doc;

    #[inline]
    fn next(&mut self) -> Option<Doc> {
        match self {
            Self::Long(docs) => docs.next().copied(),
            Self::Short(docs) => docs.next().map(|&doc| Doc(doc.into())),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Long(docs) => docs.size_hint(),
            Self::Short(docs) => docs.size_hint(),
        }
    }

    /// The base of `for_each` and `count`: a loop for each form.
    #[inline]
    fn fold<B, F: FnMut(B, Doc) -> B>(self, init: B, mut f: F) -> B {
        match self {
            Self::Long(docs) => docs.fold(init, |all, &doc| f(all, doc)),
            Self::Short(docs) => docs.fold(init, |all, &doc| f(all, Doc(doc.into()))),
        }
    }
}

impl ExactSizeIterator for Docs<'_> {}
