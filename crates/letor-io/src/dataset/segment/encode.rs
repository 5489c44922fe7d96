//! Packs a column into a segment.

use super::dictionary::Dictionary;
use ranktypes::varint::{self, zigzag};

use super::numbers::ordered_bits;
use super::{FLOATS, WITH_DICTIONARY};
use crate::dataset::bit_packing::{pack, packed_bytes, width_of};
use crate::dataset::column::{Alignment, Column};
use crate::decimal::Decimal;

/// The least width of offsets for which a dictionary is tried: narrow codes save little over narrow offsets.
const MIN_OFFSET_WIDTH: u32 = 5;

/// Appends the segment of `column` to `out`; returns false and appends nothing if every value is 0.
pub(in crate::dataset) fn encode(column: &mut Column, dictionary: &mut Dictionary, out: &mut Vec<u8>) -> bool {
    if column.is_zero() {
        return false;
    }
    if let Some(aligned) = column.align() {
        encode_decimals(column.mantissas(), aligned, dictionary, out);
        return true;
    }
    // Too far apart for a common power of ten. Rounding to `f64` first makes values that are written and read again
    // take the same path.
    let floats: Vec<f64> = column.values().map(Decimal::to_f64).collect();
    column.clear();
    for &float in &floats {
        column.push(Decimal::from_f64(float).expect("decimals are finite"));
    }
    match column.align() {
        Some(aligned) => encode_decimals(column.mantissas(), aligned, dictionary, out),
        None => encode_floats(&floats, dictionary, out),
    }
    true
}

fn encode_decimals(mantissas: &[i64], aligned: Alignment, dictionary: &mut Dictionary, out: &mut Vec<u8>) {
    let Alignment { scale, min, max } = aligned;
    // Below 2 × 10^18: no overflow.
    let width = width_of((max - min) as u64);
    let form = out.len();
    out.extend_from_slice(&[0, width as u8]);
    varint::write(zigzag(min), out);
    varint::write(zigzag(i64::from(scale)), out);
    if encode_offsets(mantissas.len(), |i| (mantissas[i] - min) as u64, width, dictionary, out) {
        out[form] |= WITH_DICTIONARY;
    }
}

fn encode_floats(floats: &[f64], dictionary: &mut Dictionary, out: &mut Vec<u8>) {
    let keys: Vec<u64> = floats.iter().map(|&float| ordered_bits(float)).collect();
    let (&min, &max) = (keys.iter().min().zip(keys.iter().max())).expect("not empty");
    let width = width_of(max - min);
    let form = out.len();
    out.extend_from_slice(&[FLOATS, width as u8]);
    varint::write(min, out);
    if encode_offsets(keys.len(), |i| keys[i] - min, width, dictionary, out) {
        out[form] |= WITH_DICTIONARY;
    }
}

/// Appends the offsets, with a dictionary if that is shorter; returns whether there is a dictionary.
#[inline]
fn encode_offsets(
    count: usize,
    offset: impl Fn(usize) -> u64,
    width: u32,
    dictionary: &mut Dictionary,
    out: &mut Vec<u8>,
) -> bool {
    if width == 0 {
        return false;
    }
    if width >= MIN_OFFSET_WIDTH && dictionary.find(count, &offset) {
        let values = dictionary.values();
        let codes = width_of(values.len() as u64 - 1);
        let short = 1 + packed_bytes(values.len(), width) + packed_bytes(count, codes);
        if short < packed_bytes(count, width) {
            out.push(values.len() as u8);
            pack(values.iter().copied(), width, out);
            pack(dictionary.codes(), codes, out);
            return true;
        }
    }
    pack((0..count).map(offset), width, out);
    false
}
