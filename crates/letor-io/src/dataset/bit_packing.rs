//! Integers of 0 to 64 bits, packed without gaps, least significant bit first.

/// The number of bytes that must follow packed values, because every read takes nine bytes.
pub(crate) const PADDING: usize = 9;

/// The number of bits that `value` needs: 0 for 0, 64 for the largest.
pub(crate) fn width_of(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// The number of bytes that `count` values of `width` bits take.
pub(crate) fn packed_bytes(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends `values`, each below `2^width`.
pub(crate) fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0u64, 0u32);
    for value in values {
        word |= value << filled;
        if filled + width < u64::BITS {
            filled += width;
        } else {
            out.extend_from_slice(&word.to_le_bytes());
            word = if filled == 0 { 0 } else { value >> (u64::BITS - filled) };
            filled = filled + width - u64::BITS;
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// Calls `each` with the `count` values of `width` bits at the start of `bytes`.
///
/// [`PADDING`] bytes must follow the values.
pub(crate) fn unpack(bytes: &[u8], width: u32, count: usize, mut each: impl FnMut(u64)) {
    if width <= 56 {
        let mask = (1u64 << width) - 1;
        for i in 0..count {
            let bit = i * width as usize;
            each(word_at(bytes, bit / 8) >> (bit % 8) & mask);
        }
    } else {
        for i in 0..count {
            each(unpack_one(bytes, width, i));
        }
    }
}

/// The value at `index` (from 0) of those packed at the start of `bytes`; [`PADDING`] bytes must follow.
pub(crate) fn unpack_one(bytes: &[u8], width: u32, index: usize) -> u64 {
    let bit = index * width as usize;
    let (byte, shift) = (bit / 8, bit % 8);
    let wide = u128::from(word_at(bytes, byte)) | u128::from(bytes[byte + 8]) << 64;
    (wide >> shift) as u64 & (u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0))
}

fn word_at(bytes: &[u8], byte: usize) -> u64 {
    u64::from_le_bytes(bytes[byte..byte + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_round_trips() {
        for width in 0..=64u32 {
            let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
            let values: Vec<u64> =
                (0..100u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7) & mask).collect();
            let mut bytes = Vec::new();
            pack(values.iter().copied(), width, &mut bytes);
            assert_eq!(bytes.len(), packed_bytes(values.len(), width));
            bytes.resize(bytes.len() + PADDING, 0xff);
            let mut back = Vec::new();
            unpack(&bytes, width, values.len(), |value| back.push(value));
            assert_eq!(back, values, "width {width}");
            let singly: Vec<u64> = (0..values.len()).map(|i| unpack_one(&bytes, width, i)).collect();
            assert_eq!(singly, values, "width {width}, one by one");
        }
    }
}
