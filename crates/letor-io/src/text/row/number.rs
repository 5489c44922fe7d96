//! Parses numbers to exact decimals.

use crate::decimal::{Decimal, MANTISSA_LIMIT};

/// Whether `byte` ends a number or another token.
#[inline]
pub(super) fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'#')
}

/// Why a token is not a valid number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// It is not a number.
    Syntax,
    /// It is NaN, infinite, or beyond the range of `f64`.
    NotFinite,
}

/// Parses a whole token as a number: `1`, `-0.5`, `+1`, `.5`, `1.`, `6.5e-08`.
///
/// Numbers with up to 18 significant digits are exact; longer numbers, and those with a scale beyond 280, are
/// rounded to the nearest `f64` first.
pub(crate) fn parse(token: &[u8]) -> Result<Decimal, NumberError> {
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
                    // The mantissa is full; only trailing zeros can be dropped without loss.
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
        return Err(if finite { NumberError::Syntax } else { NumberError::NotFinite });
    }
    match rest {
        [] => {}
        [b'e' | b'E', exponent @ ..] => {
            // Exponents saturate at five digits: beyond that only the sign matters.
            scale = scale.saturating_sub(parse_exponent(exponent).ok_or(NumberError::Syntax)?);
        }
        _ => return Err(NumberError::Syntax),
    }
    if mantissa == 0 && exact {
        return Ok(Decimal::ZERO);
    }
    if exact && scale.abs() <= 280 {
        let mantissa = if negative { -mantissa } else { mantissa };
        return Ok(Decimal { mantissa, scale: scale as i16 });
    }
    let text = str::from_utf8(token).map_err(|_| NumberError::Syntax)?;
    let float: f64 = text.parse().map_err(|_| NumberError::Syntax)?;
    Decimal::from_f64(float).ok_or(NumberError::NotFinite)
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
    let value = digits
        .iter()
        .fold(0i32, |value, digit| value.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(99_999));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(token: &str) -> Result<f64, NumberError> {
        parse(token.as_bytes()).map(Decimal::to_f64)
    }

    #[test]
    fn valid_and_invalid_numbers() {
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
            assert_eq!(value(token), Err(NumberError::NotFinite), "{token}");
        }
        for token in ["", "-", "+", ".", "abc", "1x", "1e", "1e+", "1.2.3", "--1", "1,5", "0x10", "NULL"] {
            assert_eq!(value(token), Err(NumberError::Syntax), "{token}");
        }
    }

    proptest! {
        #[test]
        fn numbers_agree_with_the_standard_library(token in r"[-+]?[0-9]{0,25}\.?[0-9]{0,25}(e-?[0-9]{1,3})?") {
            match token.parse::<f64>() {
                Ok(expected) if expected.is_finite() => prop_assert_eq!(value(&token), Ok(expected)),
                Ok(_) => prop_assert_eq!(value(&token), Err(NumberError::NotFinite)),
                Err(_) => prop_assert_eq!(value(&token), Err(NumberError::Syntax)),
            }
        }
    }
}
