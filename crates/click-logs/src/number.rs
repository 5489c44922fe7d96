//! Whole numbers in few bytes where they are small: seven bits to a byte, the lowest first.

/// Appends a number of few bytes where it is small.
pub(crate) fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// How many bytes [`write_number`] appends.
pub(crate) fn bytes_of_number(number: u32) -> usize {
    ((32 - (number | 1).leading_zeros()) as usize).div_ceil(7)
}

/// The number at the beginning of `bytes`, if it is complete, and its bytes.
pub(crate) fn read_number(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().take(5).enumerate() {
        number |= u32::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((number, at + 1));
        }
    }
    None
}
