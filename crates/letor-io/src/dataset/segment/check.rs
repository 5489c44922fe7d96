//! Validates the bytes of a segment from a file.

use ranktypes::varint::unzigzag;

use super::numbers::{checked_base128, from_ordered_bits};
use super::{DICTIONARY, FLOATS, WITH_DICTIONARY};
use crate::dataset::bit_packing::{PADDING, packed_bytes, unpack, width_of};
use crate::decimal::MANTISSA_LIMIT;

/// Whether `bytes` start with a valid segment of `documents` documents. Reading a valid segment never panics.
pub(in crate::dataset) fn is_sound(bytes: &[u8], documents: usize) -> bool {
    let Some((&[form, width], mut rest)) = bytes.split_first_chunk() else {
        return false;
    };
    let width = u32::from(width);
    let floats = form & FLOATS != 0;
    let Some(base) = checked_base128(&mut rest) else {
        return false;
    };
    // Mantissas have at most 18 digits, so their differences fit in 61 bits.
    let fits =
        if floats { width <= u64::BITS } else { width <= 61 && unzigzag(base).unsigned_abs() < MANTISSA_LIMIT as u64 };
    if form > (FLOATS | WITH_DICTIONARY) || !fits {
        return false;
    }
    if !floats && checked_base128(&mut rest).is_none_or(|scale| i16::try_from(unzigzag(scale)).is_err()) {
        return false;
    }
    let (mut packed, mut offsets) = (packed_bytes(documents, width), documents);
    if form & WITH_DICTIONARY != 0 {
        let Some((&count, behind)) = rest.split_first() else {
            return false;
        };
        (rest, offsets) = (behind, usize::from(count));
        if width == 0 || !(1..=DICTIONARY).contains(&offsets) {
            return false;
        }
        packed = packed_bytes(offsets, width) + packed_bytes(documents, width_of(offsets as u64 - 1));
    }
    if packed.checked_add(PADDING).is_none_or(|needed| needed > rest.len()) {
        return false;
    }
    let mut finite = true;
    if floats {
        let count = if width == 0 { 1 } else { offsets };
        unpack(rest, width, count, |offset| {
            finite &= base.checked_add(offset).is_some_and(|key| from_ordered_bits(key).is_finite());
        });
    }
    finite
}
