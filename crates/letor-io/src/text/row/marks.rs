//! Sixteen bytes together: where a value ends, and where its digits end.

/// A bit for each of sixteen bytes of text, the first in the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    /// Spaces and control characters.
    pub(super) blanks: u32,
    /// All but digits.
    pub(super) not_digits: u32,
}

/// The marks of sixteen bytes, as two little-endian words.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the compiler does not count on what all processors of this kind have")]
#[inline(always)]
pub(super) fn find_marks(first: u64, second: u64) -> Marks {
    // SAFETY: SSE2 is part of every x86-64 processor; nothing else is needed.
    unsafe { find_marks_in_a_vector(first, second) }
}

/// [`find_marks`] by SSE2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn find_marks_in_a_vector(first: u64, second: u64) -> Marks {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm_setzero_si128, _mm_sub_epi8,
        _mm_subs_epu8,
    };

    let bytes = _mm_set_epi64x(second as i64, first as i64);
    let zero = _mm_setzero_si128();
    let blanks = _mm_cmpeq_epi8(_mm_subs_epu8(bytes, _mm_set1_epi8(b' ' as i8)), zero);
    let above_nine = _mm_subs_epu8(_mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8)), _mm_set1_epi8(9));
    let digits = _mm_cmpeq_epi8(above_nine, zero);
    Marks { blanks: _mm_movemask_epi8(blanks) as u32, not_digits: _mm_movemask_epi8(digits) as u32 ^ 0xffff }
}

/// The marks of sixteen bytes, as two little-endian words.
#[cfg(not(target_arch = "x86_64"))]
pub(super) use find_marks_in_words as find_marks;

/// [`find_marks`] without vectors.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub(super) fn find_marks_in_words(first: u64, second: u64) -> Marks {
    use super::digits::not_digits;

    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    // With the high bits masked, no carry leaves a byte.
    let blanks = |word: u64| !(((word & !HIGH_BITS) + 0x5f5f_5f5f_5f5f_5f5f) | word) & HIGH_BITS;
    // The product adds up each high bit at a place of its own in the top byte.
    let packed = |bits: u64| ((bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32;
    let both = |first: u64, second: u64| packed(first) | packed(second) << 8;
    Marks { blanks: both(blanks(first), blanks(second)), not_digits: both(not_digits(first), not_digits(second)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// [`find_marks`] as it is described.
    fn byte_by_byte(bytes: [u8; 16]) -> Marks {
        let bits = |is: fn(u8) -> bool| (0..16).map(|at| u32::from(is(bytes[at])) << at).sum();
        Marks { blanks: bits(|byte| byte <= b' '), not_digits: bits(|byte| !byte.is_ascii_digit()) }
    }

    proptest! {
        #[test]
        fn vectors_words_and_bytes_agree(bytes: [u8; 16], text in "[ -/0-9:\t\n]{16}") {
            for bytes in [bytes, text.as_bytes().try_into().unwrap()] {
                let [first, second] = [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()));
                prop_assert_eq!(find_marks(first, second), byte_by_byte(bytes));
                prop_assert_eq!(find_marks_in_words(first, second), byte_by_byte(bytes));
            }
        }
    }
}
