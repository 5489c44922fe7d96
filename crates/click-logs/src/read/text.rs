//! Receipts in text: base64 and hexadecimal.

use std::borrow::Cow;

/// A receipt: text of its bytes, or an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReceiptText<'a> {
    /// Base64 or hexadecimal.
    Text(Cow<'a, str>),
    /// Its bytes.
    Bytes(Vec<u8>),
    /// As `serde_json` writes it.
    Object(serde_json::Value),
}

impl ReceiptText<'_> {
    /// The same, with a copy of its text.
    pub(super) fn into_owned<'b>(self) -> ReceiptText<'b> {
        match self {
            Self::Text(text) => ReceiptText::Text(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => ReceiptText::Bytes(bytes),
            Self::Object(value) => ReceiptText::Object(value),
        }
    }
}

/// The value of each byte as a digit of base64, of either alphabet; [`NO_DIGIT`] for others. The crate `base64` takes a
/// fifteenth more processor time for a log of long receipts.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = match byte as u8 {
            digit @ b'A'..=b'Z' => digit - b'A',
            digit @ b'a'..=b'z' => digit - b'a' + 26,
            digit @ b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => NO_DIGIT,
        };
        byte += 1;
    }
    digits
};

const NO_DIGIT: u8 = 0xff;

/// The bytes behind hexadecimal digits or base64 (of either alphabet, padded or not).
pub(super) fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    read_bytes(text, &mut bytes).then_some(bytes)
}

/// Makes `bytes` those behind hexadecimal digits or base64; whether there are any, and nothing else.
pub(super) fn read_bytes(text: &str, bytes: &mut Vec<u8>) -> bool {
    bytes.clear();
    let text = text.trim();
    // Receipts begin with the byte of their format, 0xb2, and so base64 with `s`.
    let is_hexadecimal = ["b2", "B2"].iter().any(|first| text.starts_with(first));
    if is_hexadecimal && text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let byte = |offset: usize| u8::from_str_radix(&text[offset..offset + 2], 16).expect("two digits");
        bytes.extend((0..text.len()).step_by(2).map(byte));
        return true;
    }
    let text = text.trim_end_matches('=').as_bytes();
    bytes.reserve(text.len() / 4 * 3 + 3);
    let digits = |four: &[u8]| -> Option<u32> {
        let (mut bits, mut all_bits) = (0, 0);
        for offset in 0..4 {
            let digit = four.get(offset).map_or(0, |byte| DIGITS[usize::from(*byte)]);
            all_bits |= digit;
            bits = bits << 6 | u32::from(digit);
        }
        (all_bits != NO_DIGIT).then_some(bits)
    };
    let (fours, last_digits) = text.as_chunks::<4>();
    for four in fours {
        let Some(bits) = digits(four) else { return false };
        bytes.extend_from_slice(&[(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]);
    }
    let Some(bits) = digits(last_digits) else { return false };
    bytes.extend_from_slice(&[(bits >> 16) as u8, (bits >> 8) as u8][..last_digits.len().saturating_sub(1)]);
    !bytes.is_empty()
}

/// Base64 without padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..=three.len() {
            text.push(char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_both_forms() {
        assert_eq!((decode_bytes("b2FF10"), decode_bytes("B201")), (Some(vec![178, 255, 16]), Some(vec![178, 1])));
        assert_eq!(decode_bytes("sv8Q"), Some(vec![178, 255, 16]));
        for text in ["Af8Q", "Af8Q==", " Af8Q "] {
            assert_eq!(decode_bytes(text), Some(vec![1, 255, 16]), "{text}");
        }
        assert_eq!(decode_bytes("Af-_"), decode_bytes("Af+/"));
        assert_eq!((decode_bytes(""), decode_bytes("Af!")), (None, None));
        for (text, expected) in [
            ("A", None),
            ("AAA=AAAA", None),
            ("AfA", Some(vec![1, 240])),
            ("AfAAA", Some(vec![1, 240, 0])),
            ("Af!A", None),
            ("AfAA\u{e9}", None),
            ("01f", Some(vec![211, 87])),
            ("01fg", Some(vec![211, 87, 224])),
        ] {
            assert_eq!(decode_bytes(text), expected, "{text}");
        }
        for length in 1..20_u8 {
            let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(77)).collect();
            assert_eq!(decode_bytes(&base64(&bytes)), Some(bytes));
        }
    }
}
