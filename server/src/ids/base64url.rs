//! base64url without padding (RFC 4648, section 5), in the one canonical form.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as text.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().enumerate().fold(0_u32, |word, (at, &byte)| word | u32::from(byte) << (16 - 8 * at));
        for at in 0..=part.len() {
            text.push(char::from(LETTERS[(word >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

/// Text as bytes; `None` for anything that [`encode`] does not write, so that bytes have one text.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for part in text.as_bytes().chunks(4) {
        let mut word = 0_u32;
        for (at, letter) in part.iter().enumerate() {
            let value = LETTERS.iter().position(|known| known == letter)? as u32;
            word |= value << (18 - 6 * at);
        }
        let whole = part.len().checked_sub(1).filter(|&whole| whole > 0)?;
        bytes.extend_from_slice(&word.to_be_bytes()[1..=whole]);
        if word & ((1 << (24 - 8 * whole)) - 1) != 0 {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_rfc_4648_and_back() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn other_texts_are_refused() {
        // A letter alone, padding, the other alphabet, bits beyond the last byte.
        for text in ["Z", "Zg==", "-/8", "Zh", "Zm9", "Z g", "Zg\n", "Zm9vé"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
