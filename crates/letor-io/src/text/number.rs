//! Numbers in text, straight to decimals.
//!
//! Most numbers in LETOR files have fewer than eight digits on either side of the point. Those are read
//! eight bytes at once, without a branch per digit; everything else takes [`parse`].

use crate::decimal::{Decimal, MANTISSA_LIMIT, POW10};

/// Bytes that must follow a text, so that [`scan`] may read ahead. They must be line feeds.
pub(super) const LOOKAHEAD: usize = 32;

/// Reads the number at `at` if it is a short one that ends in a blank, a comment or the line's end;
/// returns it and the position of the byte behind it.
///
/// Nothing says that it is not such a number: [`parse`] tells more. `text` must go on for
/// [`LOOKAHEAD`] bytes from `at`.
#[inline]
pub(super) fn scan(text: &[u8], at: usize) -> Option<(Decimal, usize)> {
    let window: &[u8; LOOKAHEAD] = text[at..].first_chunk()?;
    let negative = window[0] == b'-';
    let mut next = usize::from(negative);
    let (whole, digits) = leading_digits(window, next);
    if digits == 0 || digits == 8 {
        return None;
    }
    next += digits;
    let (mut mantissa, mut scale) = (whole, 0);
    if window[next] == b'.' {
        let (fraction, digits) = leading_digits(window, next + 1);
        if digits == 8 {
            return None;
        }
        mantissa = mantissa * POW10[digits] as u64 + fraction;
        scale = digits;
        next += 1 + digits;
    }
    if !ends_token(window[next]) {
        return None;
    }
    let mantissa = if negative {
        -(mantissa as i64)
    } else {
        mantissa as i64
    };
    Some((
        Decimal {
            mantissa,
            scale: scale as i16,
        },
        at + next,
    ))
}

/// Whether `byte` ends a number or another token.
#[inline]
pub(super) fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'#')
}

/// The value of up to eight digits at `at`, and how many there are.
#[inline]
fn leading_digits(window: &[u8; LOOKAHEAD], at: usize) -> (u64, usize) {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const TO_HIGH_BIT: u64 = 0x7676_7676_7676_7676;
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(window[at..at + 8].try_into().expect("eight bytes")) ^ ZEROS;
    // A byte above 9 gets its high bit set; a carry can only reach bytes behind the first such.
    let others = (word.wrapping_add(TO_HIGH_BIT) | word) & HIGH_BITS;
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // Leading zeros in front, then digits to pairs, pairs to fours and to eight, side by side.
    let word = word << (64 - 8 * digits);
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, digits)
}

/// Why a token is not a number that can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotANumber {
    /// It does not read as one.
    Syntax,
    /// It is NaN, infinite, or beyond the range of `f64`.
    NotFinite,
}

/// Reads a whole token as a number: `1`, `-0.5`, `+1`, `.5`, `1.`, `6.5e-08`.
///
/// Up to 18 significant digits are kept as they are; longer numbers, and those whose power of ten is
/// beyond all use, are rounded to the nearest `f64` first.
pub(super) fn parse(token: &[u8]) -> Result<Decimal, NotANumber> {
    let (negative, unsigned) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, token),
    };
    let (mut mantissa, mut scale) = (0i64, 0i32);
    let (mut any, mut point, mut exact) = (false, false, true);
    let mut rest = unsigned;
    while let [byte, tail @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                any = true;
                let digit = i64::from(byte - b'0');
                if mantissa < MANTISSA_LIMIT / 10 {
                    mantissa = mantissa * 10 + digit;
                    scale += i32::from(point);
                } else {
                    // No room; a zero at the end can be left out.
                    exact &= digit == 0;
                    scale -= i32::from(!point);
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        rest = tail;
    }
    if !any {
        let text = unsigned.to_ascii_lowercase();
        let finite = !matches!(&text[..], b"nan" | b"inf" | b"infinity");
        return Err(if finite {
            NotANumber::Syntax
        } else {
            NotANumber::NotFinite
        });
    }
    match rest {
        [] => {}
        [b'e' | b'E', exponent @ ..] => {
            // Beyond five digits only the sign matters.
            scale = scale.saturating_sub(parse_exponent(exponent).ok_or(NotANumber::Syntax)?);
        }
        _ => return Err(NotANumber::Syntax),
    }
    if mantissa == 0 && exact {
        return Ok(Decimal::ZERO);
    }
    if exact && scale.abs() <= 280 {
        let mantissa = if negative { -mantissa } else { mantissa };
        return Ok(Decimal {
            mantissa,
            scale: scale as i16,
        });
    }
    let text = str::from_utf8(token).map_err(|_| NotANumber::Syntax)?;
    let float: f64 = text.parse().map_err(|_| NotANumber::Syntax)?;
    Decimal::from_f64(float).ok_or(NotANumber::NotFinite)
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i32, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'))
            .min(99_999)
    });
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(token: &str) -> Result<f64, NotANumber> {
        parse(token.as_bytes()).map(Decimal::to_f64)
    }

    fn scanned(token: &str) -> Option<f64> {
        let mut text = token.as_bytes().to_vec();
        text.resize(text.len() + LOOKAHEAD, b'\n');
        scan(&text, 0).map(|(decimal, next)| {
            assert_eq!(next, token.len());
            decimal.to_f64()
        })
    }

    #[test]
    fn numbers_of_all_sorts() {
        for (token, expected) in [
            ("0", 0.0),
            ("-0", 0.0),
            ("+1", 1.0),
            (".5", 0.5),
            ("1.", 1.0),
            ("007", 7.0),
            ("12.941469", 12.941469),
            ("6.520804200793011e-08", 6.520804200793011e-08),
            ("2.6864E-5", 2.6864e-5),
            ("1e+3", 1000.0),
            ("1e-400", 0.0),
            ("0e999999999999", 0.0),
            ("0.50000000000000000000000", 0.5),
            ("100000000000000000000000", 1e23),
            ("0.1000000000000000055511151231257827", 0.1),
            ("1e300", 1e300),
            ("-1.7976931348623157e308", f64::MIN),
            ("0.000000000000000000000000000001", 1e-30),
        ] {
            assert_eq!(value(token), Ok(expected), "{token}");
        }
        for token in ["nan", "NaN", "-inf", "Infinity", "1e309", "-1e99999999999"] {
            assert_eq!(value(token), Err(NotANumber::NotFinite), "{token}");
        }
        for token in [
            "", "-", "+", ".", "abc", "1x", "1e", "1e+", "1.2.3", "--1", "1,5", "0x10", "NULL",
        ] {
            assert_eq!(value(token), Err(NotANumber::Syntax), "{token}");
        }
    }

    #[test]
    fn the_fast_road_takes_short_numbers_only() {
        for (token, expected) in [
            ("0", Some(0.0)),
            ("1234567", Some(1_234_567.0)),
            ("12345678", None),
            ("-72.903123", Some(-72.903123)),
            ("0.1234567", Some(0.1234567)),
            ("0.12345678", None),
            ("1.", Some(1.0)),
            (".5", None),
            ("+1", None),
            ("1e5", None),
            ("1:2", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(scanned(token), expected, "{token}");
        }
    }

    proptest! {
        #[test]
        fn both_roads_agree_with_the_standard_library(token in r"-?[0-9]{1,9}(\.[0-9]{0,9})?") {
            let expected: f64 = token.parse().unwrap();
            prop_assert_eq!(value(&token), Ok(expected));
            if let Some(fast) = scanned(&token) {
                prop_assert_eq!(fast, expected);
            }
        }

        #[test]
        fn long_numbers_agree_with_the_standard_library(token in r"[-+]?[0-9]{0,25}\.?[0-9]{0,25}(e-?[0-9]{1,3})?") {
            match token.parse::<f64>() {
                Ok(expected) if expected.is_finite() => prop_assert_eq!(value(&token), Ok(expected)),
                Ok(_) => prop_assert_eq!(value(&token), Err(NotANumber::NotFinite)),
                Err(_) => prop_assert_eq!(value(&token), Err(NotANumber::Syntax)),
            }
        }
    }
}
