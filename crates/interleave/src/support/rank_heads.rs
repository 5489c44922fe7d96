//! Partial sums of the first ranks' weights, to find the rank on which a draw from the remaining mass falls.
//!
//! Nearly all draws fall on the first few ranks. Which of these are taken is one of 256 sets, so that a table holds the sums
//! for each set: no draw waits for sums that the draw before has changed. Sums of 4, 12 or 16 ranks gained nothing.

use super::rank_table::RankTable;

/// How many ranks have their partial sums kept.
pub(crate) const HEAD: usize = u8::BITS as usize;

/// The weights that are left of the first 1, 2, ... ranks, together.
pub(crate) type Head = [u64; HEAD];

/// Which of the first ranks are taken, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TakenRanksMask(u8);

impl TakenRanksMask {
    /// None of a list of `documents`: only the ranks past its end.
    #[inline]
    pub(crate) fn none_of(documents: usize) -> Self {
        Self((0xFF_u32 << documents.min(HEAD)) as u8)
    }

    /// Takes a rank, wherever it is.
    #[inline]
    pub(crate) fn take(&mut self, rank: usize) {
        self.0 |= (1_u64 << rank.min(63)) as u8;
    }
}

/// The [`Head`] of each set of taken ranks ([`TakenRanksMask`]), aligned to cache lines.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(crate) struct Heads([Head; 1 << HEAD]);

impl Heads {
    pub(crate) fn new(table: &RankTable) -> Self {
        Self(std::array::from_fn(|taken| {
            let mut sum = 0;
            std::array::from_fn(|rank| {
                sum += if taken >> rank & 1 == 0 { table[rank] } else { 0 };
                sum
            })
        }))
    }

    #[inline]
    pub(crate) fn left(&self, taken: TakenRanksMask) -> &Head {
        &self.0[usize::from(taken.0)]
    }
}

/// How many of the partial sums are at most `target`; both are below 2^63.
#[inline]
pub(crate) fn count_below(head: &Head, target: u64) -> usize {
    // By sign bits, which vectorise on any processor.
    head.iter().map(|sum| sum.wrapping_sub(target + 1) >> 63).sum::<u64>() as usize
}

#[cfg(test)]
mod tests {
    use super::super::rank_weights::Weights;
    use super::*;

    #[test]
    fn sums_leave_out_what_is_taken() {
        let weights = Weights::usual();
        for (documents, ranks) in [(20, vec![0, 2, 7, 9, 63, 70, 65_535]), (3, vec![1]), (8, vec![]), (0, vec![])] {
            let mut taken = TakenRanksMask::none_of(documents);
            ranks.iter().for_each(|&rank| taken.take(rank));
            let left = |rank: usize| if rank < documents && !ranks.contains(&rank) { weights.table()[rank] } else { 0 };
            let sums: Head = std::array::from_fn(|last| (0..=last).map(left).sum());
            assert_eq!(weights.heads().left(taken), &sums, "{ranks:?} of {documents}");
        }
    }

    #[test]
    fn a_target_falls_on_the_rank_whose_mass_it_is_in() {
        let mut taken = TakenRanksMask::none_of(100);
        [0, 3].iter().for_each(|&rank| taken.take(rank));
        let weights = Weights::usual();
        let (head, table) = (weights.heads().left(taken), weights.table());
        let first_two = table[1] + table[2];
        for (target, rank) in [(0, 1), (table[1] - 1, 1), (table[1], 2), (first_two - 1, 2), (first_two, 4)] {
            assert_eq!(count_below(head, target), rank);
        }
        assert_eq!(count_below(head, head[HEAD - 1]), HEAD);
    }
}
