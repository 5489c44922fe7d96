//! Whole numbers in few bytes where they are small (LEB128): seven bits to a byte, the lowest first. A number has one form.

/// Appends `number` to bytes.
#[inline]
pub fn write(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// How many bytes [`write()`] appends.
#[inline]
#[must_use]
pub fn length(number: u64) -> usize {
    ((64 - (number | 1).leading_zeros()) as usize).div_ceil(7)
}

/// The number at the beginning of `bytes`, and the bytes after it. `None` if it is cut off, has more than 64 bits, or is not in
/// its one form.
#[inline]
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(u64, &[u8])> {
    match bytes {
        [byte @ ..0x80, rest @ ..] => Some((u64::from(*byte), rest)),
        _ => read_long(bytes),
    }
}

/// A number with its sign in the last bit, so that small ones take few bytes.
#[inline]
#[must_use]
pub fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

/// The inverse of [`zigzag`].
#[inline]
#[must_use]
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

fn read_long(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        let shifted = bits << (7 * at);
        // The tenth byte has one bit.
        if shifted >> (7 * at) != bits {
            return None;
        }
        number |= shifted;
        if byte < 0x80 {
            return (byte > 0).then_some((number, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_their_one_form() {
        let powers = (0..64).map(|bit| 1_u64 << bit);
        for number in powers.flat_map(|power| [power - 1, power, power | 1]).chain([u64::MAX]) {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            assert_eq!(bytes.len(), length(number), "{number}");
            for cut in 0..bytes.len() {
                assert_eq!(read(&bytes[..cut]), None, "{number}");
            }
            bytes.push(7);
            assert_eq!(read(&bytes), Some((number, &[7][..])));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for bytes in
            [&[0x80, 0][..], &[0xff, 0x80, 0], &[0xff; 11], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]]
        {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
    }
}
