//! The borrowed view of one ranker's list for one query, and an owned form of it.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::Generator;
use crate::random::below;

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
/// document, the ranks its tie group occupies. Inside a group `order` is arbitrary: a method that
/// needs an order there draws one at random ([`break_ties`](Self::break_ties)).
///
/// A ranker may leave documents out: those have the empty group [`TieGroup::UNLISTED`], or lie
/// beyond the end of `groups`. So lists of different lengths can meet in one impression.
#[derive(Debug, Clone, Copy)]
pub struct RankedList<'a> {
    order: &'a [Doc],
    groups: &'a [TieGroup],
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
        let mut listed = vec![false; groups.len()];
        for (rank, &doc) in order.iter().enumerate() {
            let Some(&group) = groups.get(doc.index()) else {
                return Err(RankedListError::new(
                    RankedListErrorKind::TieGroup,
                    format!("document {} at rank {rank} has no group; give one group per document", doc.0),
                ));
            };
            if std::mem::replace(&mut listed[doc.index()], true) {
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
        let stray = listed.iter().zip(groups).position(|(listed, group)| !listed && group.size() > 0);
        if let Some(doc) = stray {
            return Err(RankedListError::new(
                RankedListErrorKind::TieGroup,
                format!("document {doc} has a group but no rank; leave its group empty"),
            ));
        }
        Ok(Self { order, groups })
    }

    /// Like [`new`](Self::new) for slices known to be sound; only their lengths are checked, and only
    /// in debug builds. Unsound slices make methods return nonsense or panic, but nothing worse.
    #[inline]
    #[must_use]
    pub fn from_trusted(order: &'a [Doc], groups: &'a [TieGroup]) -> Self {
        debug_assert!(order.len() <= groups.len() && groups.len() <= Self::MAX_LEN);
        Self { order, groups }
    }

    /// How many documents the list ranks.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it ranks none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Document at each rank, best first; arbitrary inside tie groups.
    #[inline]
    #[must_use]
    pub fn order(&self) -> &'a [Doc] {
        self.order
    }

    /// Tie group of each document.
    #[inline]
    #[must_use]
    pub fn groups(&self) -> &'a [TieGroup] {
        self.groups
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
        order.extend_from_slice(self.order);
        let mut start = 0;
        while start < order.len() {
            // At least one document, or an unsound list would never end.
            let end = usize::from(self.group(order[start]).end).max(start + 1);
            let group = &mut order[start..end];
            for last in (1..group.len()).rev() {
                group.swap(last, below(last + 1, generator));
            }
            start = end;
        }
    }

    /// Tie group of one document, empty where the list does not have it.
    #[inline]
    #[must_use]
    pub fn group(&self, doc: Doc) -> TieGroup {
        self.groups.get(doc.index()).copied().unwrap_or(TieGroup::UNLISTED)
    }
}

/// Why two slices are not a ranked list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a ranked list: {message}")]
pub struct RankedListError {
    kind: RankedListErrorKind,
    message: String,
}

/// The kinds of [`RankedListError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankedListErrorKind {
    /// More than 65,535 documents.
    TooLong,
    /// A document is listed twice.
    Duplicate,
    /// The tie groups do not match the order.
    TieGroup,
    /// A score is not a number.
    Score,
}

impl RankedListError {
    fn new(kind: RankedListErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> RankedListErrorKind {
        self.kind
    }
}

/// An owned [`RankedList`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListBuf {
    order: Vec<Doc>,
    groups: Vec<TieGroup>,
}

impl ListBuf {
    /// A list without ties: the documents best first.
    ///
    /// # Errors
    /// When a document is listed twice, or one is above 65,534.
    pub fn strict(order: impl IntoIterator<Item = Doc>) -> Result<Self, RankedListError> {
        let order: Vec<Doc> = order.into_iter().collect();
        let documents = order.iter().map(|doc| doc.index() + 1).max().unwrap_or(0);
        let mut groups = vec![TieGroup::UNLISTED; documents];
        for (rank, doc) in order.iter().enumerate().take(RankedList::MAX_LEN) {
            groups[doc.index()] = TieGroup { start: rank as u16, end: rank as u16 + 1 };
        }
        RankedList::new(&order, &groups)?;
        Ok(Self { order, groups })
    }

    /// All documents by descending score (`scores[d]` is that of document `d`), equal scores tied.
    ///
    /// # Errors
    /// For a score that is not a number, or more than 65,535 of them.
    pub fn from_scores(scores: &[f64]) -> Result<Self, RankedListError> {
        Self::from_some_scores(scores.iter().copied().map(Some))
    }

    /// Like [`from_scores`](Self::from_scores), without the documents that have no score.
    ///
    /// # Errors
    /// For a score that is not a number, or more than 65,535 documents.
    pub fn from_some_scores(scores: impl IntoIterator<Item = Option<f64>>) -> Result<Self, RankedListError> {
        let scores: Vec<Option<f64>> = scores.into_iter().collect();
        if let Some(doc) = scores.iter().position(|score| score.is_some_and(f64::is_nan)) {
            return Err(RankedListError::new(
                RankedListErrorKind::Score,
                format!("the score of document {doc} is not a number"),
            ));
        }
        if scores.len() > RankedList::MAX_LEN {
            return Err(RankedListError::new(
                RankedListErrorKind::TooLong,
                format!("{} documents are more than {}; cut the list", scores.len(), RankedList::MAX_LEN),
            ));
        }
        let documents = scores.len();
        let listed = scores.into_iter().enumerate();
        let listed = listed.filter_map(|(doc, score)| Some((doc, score?))).collect();
        Ok(Self::from_distinct(listed, documents))
    }

    /// From (document, score) pairs of different documents below `documents`, which is at most
    /// 65,535; no score is NaN.
    pub(crate) fn from_distinct(mut scored: Vec<(usize, f64)>, documents: usize) -> Self {
        scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal));
        let mut groups = vec![TieGroup::UNLISTED; documents];
        let mut start = 0;
        for run in scored.chunk_by(|a, b| a.1 == b.1) {
            let end = start + run.len() as u16;
            for &(doc, _) in run {
                groups[doc] = TieGroup { start, end };
            }
            start = end;
        }
        let order = scored.into_iter().map(|(doc, _)| Doc(doc as u16)).collect();
        Self { order, groups }
    }

    /// The view that methods take.
    #[must_use]
    pub fn as_list(&self) -> RankedList<'_> {
        RankedList { order: &self.order, groups: &self.groups }
    }
}
