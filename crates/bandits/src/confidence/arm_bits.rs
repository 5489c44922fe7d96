//! Opponents as bits: how many there are, and which is the first or another.

use std::hint::select_unpredictable;

use crate::confidence::lanes::LANES;
use crate::random::nth_bit;

/// Opponents as bits, a word for each block.
pub(crate) type ArmBits = [u64; ROW_WORDS];

pub(crate) const ROW_WORDS: usize = 4;

/// Opponents in a block.
pub(crate) const BLOCK_ARMS: usize = LANES * LANES;

/// How many places there are.
#[inline(always)]
pub(crate) fn count(places: ArmBits) -> u32 {
    places.iter().map(|word| word.count_ones()).sum()
}

/// The first of some places. No branch, as which it is cannot be predicted, and no index either: it would keep the words in
/// memory, where they are written one by one and read as a vector, which waits for all of them.
#[inline(always)]
pub(crate) fn first_arm(places: ArmBits) -> usize {
    let last = places.len() - 1;
    let (mut word, mut first) = (places[last], last * BLOCK_ARMS);
    for block in (0..last).rev() {
        let here = places[block] != 0;
        word = select_unpredictable(here, places[block], word);
        first = select_unpredictable(here, block * BLOCK_ARMS, first);
    }
    first + word.trailing_zeros() as usize
}

/// The `nth` of some places, in the same way.
#[inline(always)]
pub(crate) fn nth_arm(places: ArmBits, nth: u32) -> usize {
    let (mut word, mut before, mut first) = (places[0], 0, 0);
    let mut sum = places[0].count_ones();
    for (block, &later) in places.iter().enumerate().skip(1) {
        let here = sum <= nth;
        word = select_unpredictable(here, later, word);
        before = select_unpredictable(here, sum, before);
        first = select_unpredictable(here, block * BLOCK_ARMS, first);
        sum += later.count_ones();
    }
    first + nth_bit(word, nth - before)
}
