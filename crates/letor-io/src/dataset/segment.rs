//! One feature's values over one query's documents, packed.
//!
//! A segment keeps exact decimals: integer mantissas under one power of ten, as bit-packed offsets
//! from the smallest. Where a column has at most [`DICTIONARY`] distinct values (clicks, flags, sparse
//! features) it may be shorter to keep those once and a code for each document. Decimals too far apart
//! for one power of ten fall back to the bits of `f64`. In all three forms the packed integers order
//! the documents as the values do, so ranking never looks at the values themselves.
//!
//! The bytes are a function of the values alone, whatever digits the text spent on them: equal
//! columns are equal bytes, and the data set's checksum is taken over these.
//!
//! | bytes | meaning |
//! |---|---|
//! | 1 | form: 0 decimals, 1 floats; plus 2 where there is a dictionary |
//! | 1 | width of an offset in bits, 0 where all values are equal |
//! | 1 to 10 | smallest value: the mantissa (zigzag) or the ordered bits, base 128 |
//! | 1 to 3 | decimals only: the power of ten (zigzag), base 128 |
//! | 1 | dictionary only: how many distinct values |
//! | | dictionary only: their offsets, ascending, packed |
//! | | an offset, or a code into the dictionary, for each document, packed |

use super::bits::{PADDING, pack, packed_bytes, unpack, width_of};
use super::column::{Column, align};
use crate::decimal::{Decimal, MANTISSA_LIMIT};

const FLOATS: u8 = 1;
const WITH_DICTIONARY: u8 = 2;

/// The most distinct values that a dictionary is tried for.
const DICTIONARY: usize = 16;

/// The least width of offsets that a dictionary is tried for: codes of few bits gain little on offsets
/// of few bits.
const WORTH_A_DICTIONARY: u32 = 5;

/// Up to this width of offsets, a table of them all is quicker than a search.
const NARROW: u32 = 10;

/// Appends the segment of `column` to `out`; false, and nothing appended, where every value is zero.
pub(crate) fn encode(column: &mut Column, out: &mut Vec<u8>) -> bool {
    if column.mantissas.iter().all(|&mantissa| mantissa == 0) {
        return false;
    }
    if let Some(scale) = align(column) {
        encode_decimals(&column.mantissas, scale, out);
        return true;
    }
    // Too far apart for one power of ten. Rounded to `f64` first, so that what is written out and read
    // again takes the same road as what was read at first.
    let floats: Vec<f64> = column.values().map(Decimal::to_f64).collect();
    column.clear();
    for &float in &floats {
        column.push(Decimal::from_f64(float).expect("decimals are read as finite numbers"));
    }
    match align(column) {
        Some(scale) => encode_decimals(&column.mantissas, scale, out),
        None => encode_floats(&floats, out),
    }
    true
}

fn encode_decimals(mantissas: &[i64], scale: i16, out: &mut Vec<u8>) {
    let (&min, &max) = (mantissas.iter().min().zip(mantissas.iter().max())).expect("not empty");
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

/// Appends the offsets, with a dictionary where that is shorter (then true).
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

/// The distinct offsets, ascending, or nothing when there are more than [`DICTIONARY`].
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

/// Whether `bytes` start with a segment of `documents` documents: then reading it never fails, whatever
/// it holds.
pub(super) fn is_sound(bytes: &[u8], documents: usize) -> bool {
    let Some((&[form, width], mut rest)) = bytes.split_first_chunk() else {
        return false;
    };
    let width = u32::from(width);
    let floats = form & FLOATS != 0;
    let Some(base) = checked_base128(&mut rest) else {
        return false;
    };
    // Mantissas have 18 digits, so their differences less than 61 bits.
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

fn checked_base128(bytes: &mut &[u8]) -> Option<u64> {
    let len = bytes.iter().take(10).position(|&byte| byte < 128)? + 1;
    // The tenth byte has room for one bit.
    (len < 10 || bytes[9] <= 1).then(|| read_base128(bytes))
}

/// A segment's header, read; `rest` starts at its packed integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    floats: bool,
    width: u32,
    base: u64,
    scale: i16,
    /// How many distinct values the dictionary has; 0 without one.
    dictionary: usize,
    rest: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Reads the header of the segment at the start of `bytes`.
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let (form, width) = (bytes[0], u32::from(bytes[1]));
        let mut rest = &bytes[2..];
        let base = read_base128(&mut rest);
        let floats = form & FLOATS != 0;
        let scale = if floats { 0 } else { unzigzag(read_base128(&mut rest)) as i16 };
        let mut dictionary = 0;
        if form & WITH_DICTIONARY != 0 {
            dictionary = usize::from(rest[0]);
            rest = &rest[1..];
        }
        Self { floats, width, base, scale, dictionary, rest }
    }

    /// Whether all documents have one value.
    pub(crate) fn is_constant(&self) -> bool {
        self.width == 0
    }

    /// Appends `count` integers that order the documents as their values do.
    pub(crate) fn keys(&self, count: usize, out: &mut Vec<u64>) {
        out.reserve(count);
        if self.dictionary == 0 {
            unpack(self.rest, self.width, count, |offset| out.push(offset));
        } else {
            self.codes(count, |code| out.push(code as u64));
        }
    }

    /// Appends the values of `count` documents.
    pub(crate) fn values(&self, count: usize, out: &mut Vec<f64>) {
        out.reserve(count);
        self.each(count, |offset| self.value(offset).to_f64(), |value| out.push(value));
    }

    /// Appends the values of `count` documents as decimals.
    pub(crate) fn decimals(&self, count: usize, out: &mut Vec<Decimal>) {
        out.reserve(count);
        self.each(count, |offset| self.value(offset), |value| out.push(value));
    }

    /// Calls `each` with `make(offset)` for every document, made once a distinct value where it can be.
    fn each<T: Copy>(&self, count: usize, make: impl Fn(u64) -> T, mut each: impl FnMut(T)) {
        if self.width == 0 {
            let value = make(0);
            (0..count).for_each(|_| each(value));
        } else if self.dictionary == 0 {
            unpack(self.rest, self.width, count, |offset| each(make(offset)));
        } else {
            let mut values = Vec::with_capacity(DICTIONARY);
            unpack(self.rest, self.width, self.dictionary, |offset| values.push(make(offset)));
            // Codes have room for more than there are values; what is damaged may use it.
            values.resize(DICTIONARY, values[0]);
            self.codes(count, |code| each(values[code]));
        }
    }

    fn codes(&self, count: usize, mut each: impl FnMut(usize)) {
        let at = packed_bytes(self.dictionary, self.width);
        let width = width_of(self.dictionary as u64 - 1);
        unpack(&self.rest[at..], width, count, |code| each(code as usize));
    }

    fn value(&self, offset: u64) -> Decimal {
        if self.floats {
            let float = from_ordered_bits(self.base + offset);
            Decimal::from_f64(float).expect("only finite values are stored")
        } else {
            Decimal { mantissa: unzigzag(self.base) + offset as i64, scale: self.scale }
        }
    }
}

/// The bits of a float, so turned that they order as the floats do.
fn ordered_bits(float: f64) -> u64 {
    let bits = float.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn from_ordered_bits(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn write_base128(mut value: u64, out: &mut Vec<u8>) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_base128(bytes: &mut &[u8]) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(values: &[Decimal]) -> Option<Vec<u8>> {
        let mut column = Column::default();
        values.iter().for_each(|&value| column.push(value));
        let mut out = Vec::new();
        encode(&mut column, &mut out).then(|| {
            out.resize(out.len() + PADDING, 0);
            out
        })
    }

    fn floats(bytes: &[u8], count: usize) -> Vec<f64> {
        let mut out = Vec::new();
        Segment::read(bytes).values(count, &mut out);
        out
    }

    fn keys(bytes: &[u8], count: usize) -> Vec<u64> {
        let mut out = Vec::new();
        Segment::read(bytes).keys(count, &mut out);
        out
    }

    fn of_floats(values: &[f64]) -> Vec<Decimal> {
        values.iter().map(|&value| Decimal::from_f64(value).unwrap()).collect()
    }

    #[test]
    fn a_column_of_zeros_takes_nothing() {
        assert_eq!(encoded(&[Decimal::ZERO, Decimal { mantissa: 0, scale: 6 }]), None);
    }

    #[test]
    fn digits_spent_do_not_matter() {
        let short = [Decimal { mantissa: 5, scale: 1 }, Decimal { mantissa: 3, scale: 0 }];
        let long = [Decimal { mantissa: 500_000, scale: 6 }, Decimal { mantissa: 3_000_000, scale: 6 }];
        assert_eq!(encoded(&short), encoded(&long));
    }

    #[test]
    fn integers_above_2_to_24_do_not_tie() {
        let values = of_floats(&[16_777_216.0, 16_777_217.0, 159_613_600.0]);
        assert_eq!(keys(&encoded(&values).unwrap(), 3), [0, 1, 142_836_384]);
    }

    #[test]
    fn eighteen_digits_do_not_tie_where_f64_would() {
        let near = |mantissa| Decimal { mantissa, scale: 0 };
        let bytes = encoded(&[near(9_007_199_254_740_993), near(9_007_199_254_740_992)]).unwrap();
        assert_eq!(keys(&bytes, 2), [1, 0]);
    }

    #[test]
    fn a_click_like_column_takes_a_bit_a_document() {
        let mut values = [0.0; 800];
        values[17] = 123_456.0;
        let bytes = encoded(&of_floats(&values)).unwrap();
        assert!(bytes.len() - PADDING <= 100 + 10, "{} bytes", bytes.len());
        assert_eq!(floats(&bytes, 800), values);
    }

    #[test]
    fn wild_exponents_fall_back_to_floats_and_stay_there() {
        let values = [1e-300, 5.0, -1e300, 0.0, 0.1];
        let bytes = encoded(&of_floats(&values)).unwrap();
        assert_eq!(bytes[0] & FLOATS, FLOATS);
        assert_eq!(floats(&bytes, values.len()), values);
        let mut again = Vec::new();
        Segment::read(&bytes).decimals(values.len(), &mut again);
        assert_eq!(encoded(&again), Some(bytes));
    }

    #[test]
    fn trailing_zeros_do_not_force_floats() {
        let values = [Decimal { mantissa: 1_000_000_000_000, scale: 6 }, Decimal { mantissa: 1, scale: 10 }];
        let bytes = encoded(&values).unwrap();
        assert_eq!(bytes[0] & FLOATS, 0);
        assert_eq!(floats(&bytes, 2), [1e6, 1e-10]);
    }

    fn any_decimal() -> impl Strategy<Value = Decimal> {
        prop_oneof![
            Just(Decimal::ZERO),
            (-999i64..1000, 0i16..4).prop_map(|(mantissa, scale)| Decimal { mantissa, scale }),
            (-MANTISSA_LIMIT + 1..MANTISSA_LIMIT, -5i16..25).prop_map(|(mantissa, scale)| Decimal { mantissa, scale }),
            any::<f64>().prop_filter_map("finite", Decimal::from_f64),
        ]
    }

    proptest! {
        #[test]
        fn values_order_and_bytes_survive(values in prop::collection::vec(any_decimal(), 1..60)) {
            let Some(bytes) = encoded(&values) else {
                return Ok(());
            };
            let got = floats(&bytes, values.len());
            let expected: Vec<f64> = values.iter().map(|value| value.to_f64()).collect();
            prop_assert_eq!(&got, &expected);

            let mut keys = keys(&bytes, values.len());
            if Segment::read(&bytes).is_constant() {
                keys = vec![0; values.len()];
            }
            for i in 0..values.len() {
                for j in 0..values.len() {
                    if got[i] < got[j] {
                        prop_assert!(keys[i] < keys[j]);
                    }
                }
            }
            let mut again = Vec::new();
            Segment::read(&bytes).decimals(values.len(), &mut again);
            prop_assert_eq!(encoded(&again), Some(bytes));
        }
    }
}
