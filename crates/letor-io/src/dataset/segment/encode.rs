//! Packs a column into a segment.

use super::numbers::{ordered_bits, write_base128, zigzag};
use super::{DICTIONARY, FLOATS, WITH_DICTIONARY};
use crate::dataset::bit_packing::{pack, packed_bytes, width_of};
use crate::dataset::column::{Aligned, Column};
use crate::decimal::Decimal;

/// The least width of offsets for which a dictionary is tried: narrow codes save little over narrow offsets.
const WORTH_A_DICTIONARY: u32 = 5;

/// Up to this width, a table of all possible offsets is faster than a search.
const NARROW: u32 = 10;

/// Appends the segment of `column` to `out`; returns false and appends nothing if every value is 0.
pub(in crate::dataset) fn encode(column: &mut Column, out: &mut Vec<u8>) -> bool {
    if column.is_zero() {
        return false;
    }
    if let Some(aligned) = column.align() {
        encode_decimals(column.mantissas(), aligned, out);
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
        Some(aligned) => encode_decimals(column.mantissas(), aligned, out),
        None => encode_floats(&floats, out),
    }
    true
}

fn encode_decimals(mantissas: &[i64], aligned: Aligned, out: &mut Vec<u8>) {
    let Aligned { scale, min, max } = aligned;
    // Below 2 × 10^18: no overflow.
    let width = width_of((max - min) as u64);
    let form = out.len();
    out.extend_from_slice(&[0, width as u8]);
    write_base128(zigzag(min), out);
    write_base128(zigzag(i64::from(scale)), out);
    if encode_offsets(mantissas.len(), |i| (mantissas[i] - min) as u64, width, out) {
        out[form] |= WITH_DICTIONARY;
    }
}

fn encode_floats(floats: &[f64], out: &mut Vec<u8>) {
    let keys: Vec<u64> = floats.iter().map(|&float| ordered_bits(float)).collect();
    let (&min, &max) = (keys.iter().min().zip(keys.iter().max())).expect("not empty");
    let width = width_of(max - min);
    let form = out.len();
    out.extend_from_slice(&[FLOATS, width as u8]);
    write_base128(min, out);
    if encode_offsets(keys.len(), |i| keys[i] - min, width, out) {
        out[form] |= WITH_DICTIONARY;
    }
}

/// Appends the offsets, with a dictionary if that is shorter; returns whether there is a dictionary.
fn encode_offsets(count: usize, offset: impl Fn(usize) -> u64, width: u32, out: &mut Vec<u8>) -> bool {
    if width == 0 {
        return false;
    }
    if width >= WORTH_A_DICTIONARY
        && let Some(dictionary) = distinct(count, &offset, width)
    {
        let codes = width_of(dictionary.len() as u64 - 1);
        let short = 1 + packed_bytes(dictionary.len(), width) + packed_bytes(count, codes);
        if short < packed_bytes(count, width) {
            out.push(dictionary.len() as u8);
            pack(dictionary.iter().copied(), width, out);
            if width <= NARROW {
                let mut code_of = [0; 1 << NARROW];
                for (code, &value) in dictionary.iter().enumerate() {
                    code_of[value as usize] = code as u8;
                }
                pack((0..count).map(|i| u64::from(code_of[offset(i) as usize])), codes, out);
            } else {
                let code = |i| {
                    let value = offset(i);
                    dictionary.iter().map(|&lower| u64::from(lower < value)).sum()
                };
                pack((0..count).map(code), codes, out);
            }
            return true;
        }
    }
    pack((0..count).map(offset), width, out);
    false
}

/// The distinct offsets, ascending, or `None` if there are more than [`DICTIONARY`].
fn distinct(count: usize, offset: impl Fn(usize) -> u64, width: u32) -> Option<Vec<u64>> {
    if width <= NARROW {
        let mut bits = [0_u64; 1 << (NARROW - 6)];
        (0..count).map(offset).for_each(|value| bits[value as usize / 64] |= 1 << (value % 64));
        if bits.iter().map(|bits| bits.count_ones() as usize).sum::<usize>() > DICTIONARY {
            return None;
        }
        let mut values = Vec::with_capacity(DICTIONARY);
        for (base, mut bits) in (0..).step_by(64).zip(bits) {
            while bits != 0 {
                values.push(base + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        return Some(values);
    }
    let mut seen = [0u64; DICTIONARY];
    let mut len = 0;
    let mut last = None;
    for i in 0..count {
        let value = offset(i);
        if last != Some(value) && !seen[..len].contains(&value) {
            if len == DICTIONARY {
                return None;
            }
            seen[len] = value;
            len += 1;
        }
        last = Some(value);
    }
    seen[..len].sort_unstable();
    Some(seen[..len].to_vec())
}
