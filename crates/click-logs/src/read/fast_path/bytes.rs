//! Byte scans, eight at a time: separators, ends of strings, whole numbers.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH_BITS: u64 = u64::from_le_bytes([0x80; 8]);

/// The eight bytes from `at` on, with zeros behind the end.
#[inline]
fn read_word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
        None => {
            let rest = bytes.get(at..).unwrap_or_default();
            rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        }
    }
}

/// Calls `take` with each text between the separators of `text`: one more than there are separators, which are ASCII.
#[inline]
pub(super) fn split_text<'a>(text: &'a str, separator: u8, mut take: impl FnMut(&'a str)) {
    let separators = ONES * u64::from(separator);
    let mut start = 0;
    let (words, last_bytes) = text.as_bytes().as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        end_pieces(text, u64::from_le_bytes(*word) ^ separators, 8 * number, &mut start, &mut take);
    }
    if !last_bytes.is_empty() {
        // Zeros behind the end separate nothing.
        end_pieces(text, read_word(last_bytes, 0) ^ separators, text.len() - last_bytes.len(), &mut start, &mut take);
    }
    take(&text[start..]);
}

/// Ends a piece at each byte of `differs` that is zero; its first byte is that of the text at `offset`.
#[inline(always)]
fn end_pieces<'a>(text: &'a str, differs: u64, offset: usize, start: &mut usize, take: &mut impl FnMut(&'a str)) {
    const LOW_BITS: u64 = !HIGH_BITS;
    // The high bit of each byte that is zero, and perhaps of one above it: most words have none.
    if differs.wrapping_sub(ONES) & !differs & HIGH_BITS != 0 {
        let mut separator_bits = !(((differs & LOW_BITS) + LOW_BITS) | differs | LOW_BITS);
        while separator_bits != 0 {
            let end = offset + separator_bits.trailing_zeros() as usize / 8;
            take(&text[*start..end]);
            *start = end + 1;
            separator_bits &= separator_bits - 1;
        }
    }
}

/// The first quote, backslash or control character from `offset` on; the end of `bytes` if there is none.
#[inline]
pub(super) fn end_of_string(bytes: &[u8], mut offset: usize) -> usize {
    // The lowest high bit that is set is that of the first byte of its kind; those above it may be wrong.
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH_BITS;
    while offset < bytes.len() {
        let word = read_word(bytes, offset);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH_BITS;
        let found = is_zero(word ^ (ONES * u64::from(b'"'))) | is_zero(word ^ (ONES * u64::from(b'\\'))) | control;
        if found != 0 {
            return (offset + found.trailing_zeros() as usize / 8).min(bytes.len());
        }
        offset += 8;
    }
    bytes.len()
}

/// Whether `text` is a whole number of at most 15 digits, which a double holds, as it is usually written.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.as_bytes();
    let is_plain = digits == b"0" || (1..=15).contains(&digits.len()) && digits[0] != b'0';
    is_plain && digits.iter().all(u8::is_ascii_digit)
}

/// Whether `text` is a number with a few digits, and perhaps a few after its point.
pub(super) fn is_decimal(text: &str) -> bool {
    let (integer_part, fraction) = match memchr::memchr(b'.', text.as_bytes()) {
        Some(point) => (&text[..point], Some(&text[point + 1..])),
        None => (text, None),
    };
    let digits = |text: &str| (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(integer_part) && (integer_part.len() == 1 || !integer_part.starts_with('0')) && fraction.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str, separator: u8) -> Vec<&str> {
        let mut found = Vec::new();
        split_text(text, separator, |piece| found.push(piece));
        found
    }

    #[test]
    fn numbers_as_they_are_usually_written() {
        for (text, whole, decimal) in [
            ("0", true, true),
            ("12", true, true),
            ("012", false, false),
            ("1.5", false, true),
            ("1.", false, false),
            (".5", false, false),
            ("", false, false),
            ("-1", false, false),
            ("1e5", false, false),
            ("123456789012345", true, false),
            ("1234567890123456", false, false),
        ] {
            assert_eq!((is_whole(text), is_decimal(text)), (whole, decimal), "{text}");
        }
    }

    proptest! {
        #[test]
        fn pieces_are_those_of_the_library(text in "[a-c ,\u{e9}\u{12c}\u{2c2c}]{0,40}", comma: bool) {
            let separator = if comma { b',' } else { b' ' };
            prop_assert_eq!(split(&text, separator), text.split(char::from(separator)).collect::<Vec<_>>());
        }

        #[test]
        fn strings_end_where_they_end(text in "[a-c\u{e9}\"\\\\\u{0}\u{1f} !\u{7f}]{0,40}", from in 0_usize..12) {
            let bytes = text.as_bytes();
            let from = from.min(bytes.len());
            let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let expected = bytes[from..].iter().position(ends).map_or(bytes.len(), |at| from + at);
            prop_assert_eq!(end_of_string(bytes, from), expected);
        }
    }
}
