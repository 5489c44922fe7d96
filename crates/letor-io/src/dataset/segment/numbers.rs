//! The number encodings of segments.

/// The bits of a float, transformed so that they compare as the floats do.
pub(super) fn ordered_bits(float: f64) -> u64 {
    let bits = float.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

pub(super) fn from_ordered_bits(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

pub(super) fn read_base128(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return value;
        }
    }
}

pub(super) fn checked_base128(bytes: &mut &[u8]) -> Option<u64> {
    let len = bytes.iter().take(10).position(|&byte| byte < 128)? + 1;
    // The tenth byte holds one bit.
    (len < 10 || bytes[9] <= 1).then(|| read_base128(bytes))
}
