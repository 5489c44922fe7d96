//! Exact decimal numbers: an integer mantissa and a power of ten.

use std::cmp::Ordering;

/// The value `mantissa × 10^-scale`; the mantissa has at most 18 digits.
///
/// Text is decimal, so decimals lose nothing: two values that differ in the file differ here, and
/// [`to_f64`](Self::to_f64) gives the nearest `f64`. Not normalised: 0.5 is 5e-1 or 50e-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) mantissa: i64,
    pub(crate) scale: i16,
}

/// Exclusive limit of a mantissa's absolute value: 18 digits, so that the difference of two fits in 64 bits.
pub(crate) const MANTISSA_LIMIT: i64 = 1_000_000_000_000_000_000;

/// The powers of ten that fit in an `i64`.
pub(crate) const POW10: [i64; 19] = {
    let mut powers = [1; 19];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Powers of ten that an `f64` holds exactly.
const EXACT_POW10: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// An `f64` distinguishes all decimals of at most 15 digits, so if one of these has a given value as its nearest
/// `f64`, it is the shortest such decimal.
const ALWAYS_DISTINCT: f64 = 1e15;

impl Decimal {
    pub(crate) const ZERO: Self = Self { mantissa: 0, scale: 0 };
    /// Stands for NULL until a query is complete: no value has a mantissa of 19 digits.
    pub(crate) const NULL: Self = Self { mantissa: i64::MIN, scale: 0 };

    /// Compares values exactly: 0.5 equals 0.50.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        let power = |digits: u32| 10_i128.checked_pow(digits).filter(|_| digits <= 20);
        let aligned = match self.scale.cmp(&other.scale) {
            Ordering::Less => power(self.scale.abs_diff(other.scale).into())
                .map(|power| (i128::from(self.mantissa) * power).cmp(&other.mantissa.into())),
            _ => power(self.scale.abs_diff(other.scale).into())
                .map(|power| i128::from(self.mantissa).cmp(&(i128::from(other.mantissa) * power))),
        };
        // Twenty powers of ten apart, values of at most 18 digits differ in any precision, unless they are 0.
        aligned.unwrap_or_else(|| self.to_f64().total_cmp(&other.to_f64()))
    }

    /// The shortest decimal with `value` as its nearest `f64`; `None` for NaN and infinities.
    pub(crate) fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        for (scale, power) in EXACT_POW10.iter().enumerate().take(10) {
            let scaled = (value * power).round();
            if scaled.abs() >= ALWAYS_DISTINCT {
                break;
            }
            if scaled / power == value {
                return Some(Self { mantissa: scaled as i64, scale: scale as i16 });
            }
        }
        Some(Self::shortest(value))
    }

    /// The slow path of [`Self::from_f64`], which uses the standard library's shortest digits.
    fn shortest(value: f64) -> Self {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
        let exponent: i16 = exponent.parse().expect("the exponent of an f64 is small");
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mantissa = format!("{whole}{fraction}").parse().expect("17 digits fit");
        Self { mantissa, scale: fraction.len() as i16 - exponent }
    }

    /// The nearest `f64`, correctly rounded.
    pub(crate) fn to_f64(self) -> f64 {
        // Both operands are exact, so the result is rounded once.
        if self.mantissa.unsigned_abs() < 1 << 53 {
            let mantissa = self.mantissa as f64;
            match self.scale {
                0 => return mantissa,
                scale @ 1..=22 => return mantissa / EXACT_POW10[scale as usize],
                scale @ -22..=-1 => return mantissa * EXACT_POW10[-scale as usize],
                _ => {}
            }
        }
        let text = format!("{}e{}", self.mantissa, -i32::from(self.scale));
        text.parse().expect("digits and an exponent are a number")
    }

    /// The same value with the trailing zeros of its mantissa moved into the scale.
    pub(crate) fn stripped(mut self) -> Self {
        if self.mantissa == 0 {
            return Self::ZERO;
        }
        while self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }

    /// Appends the value as text that parses back to it, in plain notation if that is short, otherwise in
    /// scientific notation.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let Self { mantissa, scale } = self.stripped();
        if mantissa < 0 {
            out.push(b'-');
        }
        let mut buffer = [0u8; 20];
        let digits = digits(mantissa.unsigned_abs(), &mut buffer);
        match scale {
            ..=-13 | 25.. => {
                out.extend_from_slice(digits);
                out.push(b'e');
                out.extend_from_slice((-i32::from(scale)).to_string().as_bytes());
            }
            ..=0 => {
                out.extend_from_slice(digits);
                out.resize(out.len() + usize::from(scale.unsigned_abs()), b'0');
            }
            scale => {
                let scale = scale as usize;
                if digits.len() > scale {
                    let (whole, fraction) = digits.split_at(digits.len() - scale);
                    out.extend_from_slice(whole);
                    out.push(b'.');
                    out.extend_from_slice(fraction);
                } else {
                    out.extend_from_slice(b"0.");
                    out.resize(out.len() + scale - digits.len(), b'0');
                    out.extend_from_slice(digits);
                }
            }
        }
    }
}

/// Writes the decimal digits of `value` to the end of `buffer` and returns them.
pub(crate) fn digits(mut value: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return &buffer[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(mantissa: i64, scale: i16) -> Decimal {
        Decimal { mantissa, scale }
    }

    #[test]
    fn shortest_decimal_of_an_f64() {
        for (value, expected) in [
            (0.0, decimal(0, 0)),
            (-0.0, decimal(0, 0)),
            (159_613_600.0, decimal(159_613_600, 0)),
            (0.1, decimal(1, 1)),
            (-12.941469, decimal(-12_941_469, 6)),
            (1.137926713209065e-06, decimal(1_137_926_713_209_065, 21)),
            (1e300, decimal(1, -300)),
            (5e-324, decimal(5, 324)),
            (9_007_199_254_740_993.0, decimal(9_007_199_254_740_992, 0)),
        ] {
            let got = Decimal::from_f64(value).unwrap();
            assert_eq!(got.stripped(), expected.stripped(), "{value:e}");
            assert_eq!(got.to_f64(), value);
        }
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        assert_eq!(Decimal::from_f64(f64::INFINITY), None);
    }

    #[test]
    fn values_are_compared_exactly() {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let most = MANTISSA_LIMIT - 1;
        for (one, other, expected) in [
            (decimal(5, 1), decimal(50, 2), Equal),
            (decimal(-5, 1), decimal(-49, 2), Less),
            // Equal as an f64.
            (decimal(most, 18), decimal(most - 1, 18), Greater),
            (decimal(most, 0), decimal(most, 18), Greater),
            (decimal(-1, -300), decimal(1, 300), Less),
            (decimal(0, 300), decimal(0, -300), Equal),
            (decimal(1, 30), decimal(0, 0), Greater),
        ] {
            assert_eq!(one.compare(other), expected, "{one:?} {other:?}");
            assert_eq!(other.compare(one), expected.reverse(), "{other:?} {one:?}");
        }
    }

    #[test]
    fn text_of_a_decimal() {
        for (value, text) in [
            (decimal(0, 6), "0"),
            (decimal(5, 1), "0.5"),
            (decimal(500, 3), "0.5"),
            (decimal(-12_941_469, 6), "-12.941469"),
            (decimal(23, 6), "0.000023"),
            (decimal(15, -2), "1500"),
            (decimal(1, -300), "1e300"),
            (decimal(5, 324), "5e-324"),
        ] {
            let mut out = Vec::new();
            value.write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn every_f64_round_trips(bits: u64) {
            let value = f64::from_bits(bits);
            if let Some(decimal) = Decimal::from_f64(value) {
                assert_eq!(decimal.to_f64(), value);
                let mut text = Vec::new();
                decimal.write(&mut text);
                let text = String::from_utf8(text).unwrap();
                assert_eq!(text.parse::<f64>().unwrap(), value);
            }
        }

        #[test]
        fn short_decimals_are_found(mantissa in -999_999_999_999i64..=999_999_999_999, scale in 0i16..=9) {
            let exact = decimal(mantissa, scale);
            let found = Decimal::from_f64(exact.to_f64()).unwrap();
            assert_eq!(found.stripped(), exact.stripped());
        }
    }
}
