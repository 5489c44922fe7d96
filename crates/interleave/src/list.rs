//! The borrowed view of one ranker's list for one query.

/// A document of one query: its 0-based row within the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
#[serde(transparent)]
pub struct Doc(pub u16);

/// The 0-based ranks `start..end` that a group of documents with equal scores occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct TieGroup {
    /// First rank of the group.
    pub start: u16,
    /// One past its last rank.
    pub end: u16,
}

/// One ranker's list of a query's `n` documents: which document stands at each rank, and, for each
/// document, the ranks its tie group occupies. Inside a group `order` is arbitrary: a method that
/// needs an order there reveals one at random.
#[derive(Debug, Clone, Copy)]
pub struct RankedList<'a> {
    order: &'a [Doc],
    groups: &'a [TieGroup],
}

impl<'a> RankedList<'a> {
    /// A list from `order` (document at each rank) and `groups` (tie group of each document),
    /// checked in O(n).
    ///
    /// # Errors
    /// When lengths differ, `order` is no permutation of `0..n`, groups do not match it, or n > 65,535.
    pub fn new(order: &'a [Doc], groups: &'a [TieGroup]) -> Result<Self, RankedListError> {
        todo!()
    }

    /// As [`new`](Self::new) for slices known to be sound, checked in debug builds only.
    #[must_use]
    pub fn from_trusted(order: &'a [Doc], groups: &'a [TieGroup]) -> Self {
        Self { order, groups }
    }

    /// How many documents the list ranks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it ranks none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Document at each rank, best first; arbitrary inside tie groups.
    #[must_use]
    pub fn order(&self) -> &'a [Doc] {
        self.order
    }

    /// Tie group of each document.
    #[must_use]
    pub fn groups(&self) -> &'a [TieGroup] {
        self.groups
    }
}

/// Why two slices are not a ranked list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a ranked list: {0}")]
pub struct RankedListError(String);
