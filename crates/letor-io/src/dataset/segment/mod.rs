//! A segment: the packed values of one feature for the documents of one query; not the directory of the query's
//! segments ([`block`](super::block)).
//!
//! A segment holds exact decimals: integer mantissas with a common power of ten, as bit-packed offsets from the
//! smallest. If a column has at most [`DICTIONARY`] distinct values (clicks, flags, sparse features), the segment
//! holds these values once and a code for each document if that is shorter. Decimals too far apart for a common
//! power of ten fall back to the bits of `f64`. In all three forms the packed integers order the documents as the
//! values do, so ranking never needs the values themselves.
//!
//! The bytes depend only on the values, not on how the text writes them: equal columns have equal bytes, and the
//! checksum of the data set covers these bytes.
//!
//! | bytes | meaning |
//! |---|---|
//! | 1 | form: 0 decimals, 1 floats; plus 2 if there is a dictionary |
//! | 1 | width of an offset in bits, 0 if all values are equal |
//! | 1 to 10 | smallest value: the mantissa (zigzag) or the ordered bits, base 128 |
//! | 1 to 3 | decimals only: the scale (zigzag), base 128 |
//! | 1 | dictionary only: the number of distinct values |
//! | | dictionary only: their offsets, ascending, packed |
//! | | an offset, or a code into the dictionary, for each document, packed |

mod check;
mod dictionary;
mod encode;
mod numbers;

use super::bit_packing::{packed_bytes, unpack, width_of};
use crate::decimal::Decimal;
pub(super) use check::is_sound;
pub(super) use dictionary::Dictionary;
pub(super) use encode::encode;
use numbers::{from_ordered_bits, read_base128};
use ranktypes::varint::unzigzag;

const FLOATS: u8 = 1;
const WITH_DICTIONARY: u8 = 2;

/// The largest number of distinct values in a dictionary.
const DICTIONARY: usize = 16;

/// A segment with its header parsed; `rest` starts at the packed integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    floats: bool,
    width: u32,
    base: u64,
    scale: i16,
    /// The number of distinct values in the dictionary; 0 without one.
    dictionary: usize,
    rest: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Parses the header of the segment at the start of `bytes`.
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

    /// Whether all documents have the same value.
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
        self.for_each_value(count, |offset| self.value(offset).to_f64(), |value| out.push(value));
    }

    /// Appends the values of `count` documents as decimals.
    pub(crate) fn decimals(&self, count: usize, out: &mut Vec<Decimal>) {
        out.reserve(count);
        self.for_each_value(count, |offset| self.value(offset), |value| out.push(value));
    }

    /// How many of `count` documents have a value above 0.
    pub(crate) fn count_above_zero(&self, count: usize) -> usize {
        let mut found = 0;
        self.for_each_value(count, |offset| self.value(offset).mantissa > 0, |is_above| found += usize::from(is_above));
        found
    }

    /// Calls `visit` with `make(offset)` for every document. Calls `make` once per distinct value if there is a
    /// dictionary.
    fn for_each_value<T: Copy>(&self, count: usize, make: impl Fn(u64) -> T, mut visit: impl FnMut(T)) {
        if self.width == 0 {
            let value = make(0);
            (0..count).for_each(|_| visit(value));
        } else if self.dictionary == 0 {
            unpack(self.rest, self.width, count, |offset| visit(make(offset)));
        } else {
            let mut values = Vec::with_capacity(DICTIONARY);
            unpack(self.rest, self.width, self.dictionary, |offset| values.push(make(offset)));
            // Damaged codes can exceed the number of values.
            values.resize(DICTIONARY, values[0]);
            self.codes(count, |code| visit(values[code]));
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

#[cfg(test)]
mod tests {
    use super::super::bit_packing::PADDING;
    use super::super::column::Column;
    use super::*;
    use crate::decimal::MANTISSA_LIMIT;
    use proptest::prelude::*;

    fn encoded(values: &[Decimal]) -> Option<Vec<u8>> {
        let mut column = Column::default();
        values.iter().for_each(|&value| column.push(value));
        let mut out = Vec::new();
        encode(&mut column, &mut Dictionary::default(), &mut out).then(|| {
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
    fn a_column_of_zeros_takes_no_space() {
        assert_eq!(encoded(&[Decimal::ZERO, Decimal { mantissa: 0, scale: 6 }]), None);
    }

    #[test]
    fn trailing_zeros_do_not_matter() {
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
    fn a_click_like_column_takes_one_bit_per_document() {
        let mut values = [0.0; 800];
        values[17] = 123_456.0;
        let bytes = encoded(&of_floats(&values)).unwrap();
        assert!(bytes.len() - PADDING <= 100 + 10, "{} bytes", bytes.len());
        assert_eq!(floats(&bytes, 800), values);
    }

    #[test]
    fn extreme_exponents_fall_back_to_floats_and_stay_floats() {
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
        fn values_order_and_bytes_round_trip(values in prop::collection::vec(any_decimal(), 1..60)) {
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
