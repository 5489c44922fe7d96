//! Documents that a ranker does not list: the rank that credit gives them.

use crate::RankedList;

/// The length of the longest list.
pub(super) fn longest(lists: &[RankedList<'_>]) -> usize {
    lists.iter().map(RankedList::len).max().unwrap_or(0)
}

/// The 1-based rank of a document at the 0-based rank `listed`. One that its ranker does not list comes below the end of the
/// `longest` list: below the end of its own, a ranker that retrieves little would win clicks on documents that only others
/// retrieved.
pub(super) fn rank(listed: Option<usize>, longest: usize) -> u16 {
    (listed.unwrap_or(longest) + 1).min(usize::from(u16::MAX)) as u16
}
