//! Digits, eight at a time: where they end, and their values.

/// The number of bytes that must follow a line, so that whole words can be read.
pub(in crate::text) const LOOKAHEAD: usize = 64;

/// Eight `0` characters.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The high bit of each byte of `word` that is not a digit.
#[inline(always)]
pub(super) fn not_digits(word: u64) -> u64 {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let word = word ^ ZEROS;
    // With the high bits masked, no carry leaves a byte.
    (((word & !HIGH_BITS) + 0x7676_7676_7676_7676) | word) & HIGH_BITS
}

/// The value of the first `count` bytes of `word`: 1 to 8 digits, the first in the lowest byte.
#[inline(always)]
pub(super) fn digits_value(word: u64, count: usize) -> u64 {
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
        fn all_non_digits_are_found(bytes: [u8; 8], ascii in "[/0-9:]{8}") {
            let marks = |bytes: [u8; 8]| bytes.map(|byte| if byte.is_ascii_digit() { 0 } else { 0x80 });
            prop_assert_eq!(not_digits(u64::from_le_bytes(bytes)).to_le_bytes(), marks(bytes));
            let ascii = ascii.as_bytes().try_into().unwrap();
            prop_assert_eq!(not_digits(u64::from_le_bytes(ascii)).to_le_bytes(), marks(ascii));
        }

        #[test]
        fn digits_are_parsed(value in 0u32..=99_999_999, behind in "[-:. 0-9x]{8}") {
            let text = format!("{value}{behind}");
            let word = u64::from_le_bytes(text.as_bytes()[..8].try_into().unwrap());
            prop_assert_eq!(digits_value(word, value.to_string().len()), u64::from(value));
        }
    }
}
