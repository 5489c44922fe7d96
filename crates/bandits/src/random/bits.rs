//! Random bits: many of them, or one of those that are set.

use rand::Rng as _;

use super::below;
use crate::Generator;

/// Fills `words` with random bits, two words from each draw of the generator.
#[inline]
pub(crate) fn fill(words: &mut [u32], generator: &mut Generator) {
    let (pairs, last) = words.as_chunks_mut::<2>();
    for pair in pairs {
        let bits = generator.next_u64();
        *pair = [(bits >> 32) as u32, bits as u32];
    }
    for bits in last {
        *bits = generator.next_u32();
    }
}

/// The place of one of the bits that are set (at least one), each equally likely. A single bit draws nothing.
#[inline]
pub(crate) fn draw_bit(bits: u64, generator: &mut Generator) -> usize {
    if bits.is_power_of_two() {
        return bits.trailing_zeros() as usize;
    }
    nth_bit(bits, below(generator, bits.count_ones() as usize) as u32)
}

/// A bit in each byte: the lowest, the highest.
const LOWEST_BITS: u64 = 0x0101_0101_0101_0101;
const HIGHEST_BITS: u64 = LOWEST_BITS << 7;

/// The place of the `nth` bit that is set, from 0; without a branch, as which it is cannot be predicted.
///
/// By sums of bytes side by side: S. Vigna, "Broadword Implementation of Rank/Select Queries", WEA 2008.
#[inline]
pub(crate) fn nth_bit(bits: u64, nth: u32) -> usize {
    debug_assert!(nth < bits.count_ones());
    let nth = u64::from(nth);
    // How many are set in each byte, and from the first byte to its end.
    let twos = bits - ((bits >> 1) & (LOWEST_BITS * 0x55));
    let fours = (twos & (LOWEST_BITS * 0x33)) + ((twos >> 2) & (LOWEST_BITS * 0x33));
    let sums = ((fours + (fours >> 4)) & (LOWEST_BITS * 0x0f)).wrapping_mul(LOWEST_BITS);
    let byte = 8 * bytes_up_to(sums, nth);
    let before = ((sums << 8) >> byte) & 0xff;
    // The same within that byte, with a byte for each of its bits.
    let each = (((bits >> byte) & 0xff) * LOWEST_BITS) & 0x8040_2010_0804_0201;
    let sums = (((each + LOWEST_BITS * 0x7f) >> 7) & LOWEST_BITS).wrapping_mul(LOWEST_BITS);
    (byte + bytes_up_to(sums, nth - before)) as usize
}

/// How many bytes of `sums` are at most `nth`; none is above 64, and `nth` is below that.
#[inline]
fn bytes_up_to(sums: u64, nth: u64) -> u64 {
    let at_most = (((nth * LOWEST_BITS) | HIGHEST_BITS) - sums) & HIGHEST_BITS;
    (at_most >> 7).wrapping_mul(LOWEST_BITS) >> 56
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn every_bit_is_found() {
        let mut generator = Generator::seed_from_u64(1);
        for round in 0..2_000 {
            // From all bits set to few.
            let bits = (0..round % 7).fold(u64::MAX, |bits, _| bits & generator.next_u64());
            let places = (0..64).filter(|place| bits >> place & 1 == 1);
            for (nth, place) in places.enumerate() {
                assert_eq!(nth_bit(bits, nth as u32), place, "{bits:b}");
            }
        }
    }
}
