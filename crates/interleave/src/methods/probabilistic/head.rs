//! The partial sums of the first ranks' weights, which shrink as ranks are drawn.

/// How many ranks have their partial sums kept.
pub(super) const HEAD: usize = 8;

/// How many of the partial sums are at most `target`; both are below 2^63.
#[inline]
pub(super) fn count_below(head: &[u64; HEAD], target: u64) -> usize {
    // By sign bits, which vectorise on any processor.
    head.iter().map(|sum| sum.wrapping_sub(target + 1) >> 63).sum::<u64>() as usize
}

/// Takes `weight` at `rank` out of the partial sums.
#[inline]
pub(super) fn subtract_from(head: &mut [u64; HEAD], rank: usize, weight: u64) {
    const MASKS: [u64; 2 * HEAD] = {
        let mut masks = [0; 2 * HEAD];
        let mut i = HEAD;
        while i < 2 * HEAD {
            masks[i] = u64::MAX;
            i += 1;
        }
        masks
    };
    let masks = &MASKS[HEAD - rank.min(HEAD)..][..HEAD];
    for (sum, mask) in head.iter_mut().zip(masks) {
        *sum -= weight & mask;
    }
}
