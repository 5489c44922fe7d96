//! Whole numbers as people write them: `1000000`, `1_000_000`, `1e6`, `2.5e7`.

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
