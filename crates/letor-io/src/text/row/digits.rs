//! Runs of digits in a line: where they end, and their values.
//!
//! Parsing digits one by one makes every step wait for the one before. Finding the ends of all numbers first, 64
//! bytes at a time, makes the numbers independent of each other.

/// The number of bytes that must follow a line, so that whole words can be read.
pub(in crate::text) const LOOKAHEAD: usize = 64;

/// Positions are stored in groups of this size; the last group may hold some that are not meant.
const GROUP: usize = 8;

/// The positions of the bytes of a line that are not digits.
#[derive(Debug, Default)]
pub(super) struct NonDigits {
    positions: Vec<u32>,
}

impl NonDigits {
    /// The positions, relative to `start`, of the bytes of `text[start..end]` that are not digits, followed by at
    /// least one position at or after the end.
    ///
    /// `text` must have [`LOOKAHEAD`] bytes after `end`, and `end - start` must be below 2^31.
    pub(super) fn of_line(&mut self, text: &[u8], start: usize, end: usize) -> &[u32] {
        let len = end - start;
        let blocks = len / 64 + 1;
        if self.positions.len() < blocks * 64 + 64 {
            self.positions.resize(blocks * 64 + 64, 0);
        }
        let mut filled = 0;
        for (number, block) in text[start..start + blocks * 64].as_chunks::<64>().0.iter().enumerate() {
            let mut others = others(block);
            let count = others.count_ones() as usize;
            let base = number as u32 * 64;
            let mut stored = 0;
            while stored < count {
                let room = &mut self.positions[filled + stored..];
                let group: &mut [u32; GROUP] = room.first_chunk_mut().expect("allocated above");
                for position in group {
                    *position = base + others.trailing_zeros();
                    others &= others.wrapping_sub(1);
                }
                stored += GROUP;
            }
            filled += count;
        }
        // The last group has at most seven surplus positions; there is space for 64 more.
        self.positions[filled..filled + GROUP].fill(blocks as u32 * 64);
        &self.positions[..filled + GROUP]
    }
}

/// A bit for each byte that is not a digit.
#[inline]
fn others(block: &[u8; 64]) -> u64 {
    let mut bits = 0;
    for (number, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let others = not_digits(u64::from_le_bytes(*word) ^ ZEROS) >> 7;
        // Moves bit 0 of byte i to bit 56 + i.
        bits |= (others.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    bits
}

/// Eight `0` characters.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The high bit of each byte of `word` that is above 9.
#[inline]
fn not_digits(word: u64) -> u64 {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    // With the high bits masked, no carry leaves a byte.
    (((word & !HIGH_BITS) + 0x7676_7676_7676_7676) | word) & HIGH_BITS
}

/// The value of the first `count` bytes of `word`: 1 to 8 digits, the first in the lowest byte.
#[inline(always)]
pub(super) fn digits(word: u64, count: usize) -> u64 {
    // Shifts out the bytes after the digits and fills up with leading zeros.
    let word = (word ^ ZEROS) << (64 - 8 * count);
    // Combines digits to pairs, pairs to fours, and fours to eight, in parallel.
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_non_digits_are_found(text in prop::collection::vec(prop_oneof![b'0'..=b'9', any::<u8>()], 0..400), start in 0usize..20) {
            let start = start.min(text.len());
            let end = text.len();
            let mut padded = text.clone();
            padded.resize(end + LOOKAHEAD, b'\n');
            let mut non_digits = NonDigits::default();
            let positions = non_digits.of_line(&padded, start, end);
            let expected: Vec<u32> =
                (start..end).filter(|&at| !text[at].is_ascii_digit()).map(|at| (at - start) as u32).collect();
            prop_assert_eq!(&positions[..expected.len()], &expected);
            let behind = &positions[expected.len()..];
            prop_assert!(!behind.is_empty() && behind.iter().all(|&at| at as usize >= end - start));
        }

        #[test]
        fn digits_are_parsed(value in 0u32..=99_999_999, behind in "[-:. 0-9x]{8}") {
            let text = format!("{value}{behind}");
            let word = u64::from_le_bytes(text.as_bytes()[..8].try_into().unwrap());
            prop_assert_eq!(digits(word, value.to_string().len()), u64::from(value));
        }
    }
}
