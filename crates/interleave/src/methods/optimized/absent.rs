//! Documents that a ranker does not list: the rank that credit gives them, and receipts of builds that ranked them too high.

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

/// How to read a receipt of a build that ranked absent documents below the end of the ranker's own list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outdated {
    /// By ranker: the rank of its absent documents, if it has any that can be recognised.
    absent: Vec<Option<u16>>,
    /// A rank below all that are listed.
    below_all: u16,
}

impl Outdated {
    /// How to read the ranks that a receipt has for `rankers` and the positions shown; `None` if a present build may have
    /// written them.
    ///
    /// Two documents with one rank in one ranker's list cannot both be listed, because ties are broken. Present builds give
    /// absent documents one rank, the largest of all, and show no document that is absent from every list.
    pub(super) fn of(rankers: usize, shown: usize, rank: impl Fn(usize, usize) -> u16) -> Option<Self> {
        // Absent documents have the largest rank of their ranker.
        let absent: Vec<Option<u16>> = (0..rankers)
            .map(|x| {
                let largest = (0..shown).map(|n| rank(x, n)).max()?;
                let is_shared = (0..shown).filter(|&n| rank(x, n) == largest).nth(1).is_some();
                is_shared.then_some(largest)
            })
            .collect();
        let largest = (0..rankers).flat_map(|x| (0..shown).map(move |n| (x, n))).map(|(x, n)| rank(x, n)).max()?;
        let is_absent_from_all = |n: usize| (0..rankers).all(|x| rank(x, n) == largest);
        let is_present = absent.iter().flatten().all(|&absent| absent == largest)
            && (absent.iter().all(Option::is_none) || !(0..shown).any(is_absent_from_all));
        if is_present {
            return None;
        }
        let ranks = (0..rankers).flat_map(|x| (0..shown).map(move |n| (x, n)));
        let listed = ranks.filter(|&(x, n)| Some(rank(x, n)) != absent[x]).map(|(x, n)| rank(x, n));
        let below_all = listed.max().unwrap_or(0).saturating_add(1);
        Some(Self { absent, below_all })
    }

    /// The rank that ranker `x` gives a document for which its receipt has `rank`.
    pub(super) fn rank(&self, x: usize, rank: u16) -> u16 {
        let is_absent = self.absent.get(x).copied().flatten() == Some(rank);
        if is_absent { self.below_all.max(rank) } else { rank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(columns: &[&[u16]]) -> Option<Vec<Vec<u16>>> {
        let outdated = Outdated::of(columns.len(), columns[0].len(), |x, n| columns[x][n])?;
        let column = |(x, ranks): (usize, &&[u16])| ranks.iter().map(|&rank| outdated.rank(x, rank)).collect();
        Some(columns.iter().enumerate().map(column).collect())
    }

    #[test]
    fn absent_documents_are_recognised_by_their_common_rank() {
        // a b c against nothing, against x, and against x y.
        assert_eq!(read(&[&[1, 2, 3], &[1, 1, 1]]), Some(vec![vec![1, 2, 3], vec![4, 4, 4]]));
        assert_eq!(read(&[&[4, 1, 2, 3], &[1, 2, 2, 2]]), Some(vec![vec![4, 1, 2, 3], vec![1, 5, 5, 5]]));
        let both = [&[1, 4, 2, 4, 3][..], &[3, 1, 3, 2, 3]];
        assert_eq!(read(&both), Some(vec![vec![1, 4, 2, 4, 3], vec![4, 1, 4, 2, 4]]));
        // Three rankers, of which the last lists nothing.
        let three = [&[1, 2, 4][..], &[4, 4, 1], &[1, 1, 1]];
        assert_eq!(read(&three).map(|ranks| ranks[2].clone()), Some(vec![5, 5, 5]));
    }

    #[test]
    fn ranks_of_present_builds_are_left_alone() {
        for columns in [
            [&[1, 2, 3][..], &[3, 1, 2]],
            [&[1, 2, 3], &[4, 4, 4]],
            [&[1, 2, 3, 4], &[1, 2, 3, 5]],
            [&[4, 1, 2, 3], &[1, 4, 4, 4]],
            [&[1, 4, 2, 4, 3], &[4, 1, 4, 2, 4]],
            [&[], &[]],
            [&[1], &[1]],
        ] {
            assert_eq!(read(&columns), None, "{columns:?}");
        }
    }
}
