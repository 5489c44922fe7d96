//! Numbers as people write them: `1000000`, `1_000_000`, `1e6`, `2.5e7`.

/// Reads a count; the exponent form is accepted where it denotes a whole number.
///
/// # Errors
/// One line saying what was expected.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    if let Ok(count) = plain.parse::<u64>() {
        return Ok(count);
    }
    let expected = || format!("expected a whole number such as 1000000 or 1e6, found `{text}`");
    if !plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+')) {
        return Err(expected());
    }
    let value: f64 = plain.parse().map_err(|_| expected())?;
    // Above 2^53 not every whole number is a double, and no run is that long.
    if value.fract() != 0.0 || !(0.0..=9_007_199_254_740_992.0).contains(&value) {
        return Err(expected());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked whole and in range above")]
    Ok(value as u64)
}

/// Reads a count of at least one.
///
/// # Errors
/// As [`parse_count`], and for 0.
pub fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("expected at least 1".to_owned()),
        count => Ok(count),
    }
}

/// Reads a count from 1 to `MOST`.
///
/// # Errors
/// As [`parse_positive`], and for more than `MOST`.
pub fn parse_up_to<T: TryFrom<u64>, const MOST: u64>(text: &str) -> Result<T, String> {
    let count = parse_positive(text)?;
    let expected = || format!("expected 1 to {}", grouped(MOST));
    if count > MOST { Err(expected()) } else { T::try_from(count).map_err(|_| expected()) }
}

/// Reads the number of an arm or a feature, one of several.
///
/// # Errors
/// One line saying what was expected.
pub fn parse_ordinal(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("expected whole numbers such as 1,5,110, found `{text}`"))
}

/// Reads a number that need not be whole.
///
/// # Errors
/// One line saying what was expected; so for infinite ones.
pub fn parse_number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("expected a number such as 0.5 or 1e-3, found `{text}`"))
}

/// Reads a number above 0.
///
/// # Errors
/// As [`parse_number`], and for 0 and less.
pub fn parse_above_zero(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// Reads a probability that says something: above 0 and below 1.
///
/// # Errors
/// As [`parse_number`], and for 0, 1 and what lies beyond.
pub fn parse_probability(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        number if number > 0.0 && number < 1.0 => Ok(number),
        _ => Err("expected a probability between 0 and 1, such as 0.05".to_owned()),
    }
}

/// `12_345_678` as `12,345,678`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with what it counts: `1 run`, `2,500 runs`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    // All that is counted here but a query makes its plural with an s.
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(count)),
        _ => format!("{} {what}s", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (text, count) in
            [("7", 7), ("1e7", 10_000_000), ("2.5e7", 25_000_000), ("1_000", 1000), ("0", 0), ("1E+3", 1000)]
        {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in ["", "-1", "1.5", "ten", "inf", "nan", "1e30", "1e-3", "0x10"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert!(parse_positive("0").is_err());
        assert_eq!(parse_up_to::<u16, 1000>("1e3"), Ok(1000));
        assert_eq!(parse_up_to::<u16, 1000>("1001"), Err("expected 1 to 1,000".to_owned()));
        assert!(parse_up_to::<u16, 1000>("0").is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!((parse_ordinal("0"), parse_ordinal(" 109")), (Ok(0), Ok(109)));
        assert!(parse_ordinal("1-5").is_err_and(|error| error.contains("1,5,110, found `1-5`")));
        assert_eq!(
            (parse_number("-1e-3"), parse_above_zero("0.5"), parse_probability("0.05")),
            (Ok(-1e-3), Ok(0.5), Ok(0.05))
        );
        for text in ["", "x", "inf", "nan"] {
            assert!(parse_number(text).is_err(), "{text}");
        }
        assert!(parse_above_zero("0").is_err() && parse_probability("1").is_err() && parse_probability("0").is_err());
    }

    #[test]
    fn groups() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
        assert_eq!([0, 1, 2500].map(|count| counted(count, "run")), ["0 runs", "1 run", "2,500 runs"]);
        assert_eq!([1, 2].map(|count| counted(count, "query")), ["1 query", "2 queries"]);
    }
}
