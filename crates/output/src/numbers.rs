//! Numbers in and out: reads them as people write them (`1000000`, `1_000_000`, `1e6`, `2.5e7`), and formats them
//! for people (`1,000,000`, three significant digits, `1 run`, `2 runs`).

use ranktypes::text::escaped;
pub use ranktypes::text::{with_separators, with_unit};

/// Reads a count; the exponent form is accepted where it denotes a whole number, which is read exactly.
///
/// # Errors
/// One line with the expected form and the text found.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let expected = || format!("expected a whole number such as 1000000 or 1e6, found `{}`", escaped(text));
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix('+').unwrap_or(exponent)),
        None => (digits.as_str(), "0"),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{}", fraction.trim_end_matches('0'));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(&format!("{integer}{fraction}")) || !is_number(exponent) {
        return Err(expected());
    }
    // The number is `digits` with this many zeros after them, or fewer than none.
    let zeros = exponent.parse::<usize>().unwrap_or(usize::MAX).checked_sub(fraction.trim_end_matches('0').len());
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let zeros = zeros.ok_or_else(expected)?;
    let too_many = || format!("expected at most {}, found {}", with_separators(u64::MAX), escaped(text));
    if zeros > 20 {
        return Err(too_many());
    }
    format!("{digits}{}", "0".repeat(zeros)).parse().map_err(|_| too_many())
}

/// Reads a count of at least one.
///
/// # Errors
/// As for [`parse_count`], and for 0.
pub fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("expected at least 1".to_owned()),
        count => Ok(count),
    }
}

/// Reads a count from 1 to `MAX`.
///
/// # Errors
/// As for [`parse_positive`], and for numbers above `MAX`.
pub fn parse_up_to<T: TryFrom<u64>, const MAX: u64>(text: &str) -> Result<T, String> {
    let count = parse_positive(text)?;
    let expected = || format!("expected 1 to {}", with_separators(MAX));
    if count > MAX { Err(expected()) } else { T::try_from(count).map_err(|_| expected()) }
}

/// Reads the number of an arm or a feature from a list.
///
/// # Errors
/// One line with the expected form and the text found.
pub fn parse_ordinal(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("expected whole numbers such as 1,5,110, found `{}`", escaped(text)))
}

/// Reads a finite number, whole or not.
///
/// # Errors
/// One line with the expected form and the text found.
pub fn parse_number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("expected a number such as 0.5 or 1e-3, found `{}`", escaped(text)))
}

/// Reads a number above 0.
///
/// # Errors
/// As for [`parse_number`], and for 0 and negative numbers.
pub fn parse_above_zero(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// Reads a probability strictly between 0 and 1.
///
/// # Errors
/// As for [`parse_number`], and for 0, 1 and everything outside.
pub fn parse_probability(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        number if number > 0.0 && number < 1.0 => Ok(number),
        percent if percent > 2.0 && percent < 100.0 => {
            Err(format!("expected a probability between 0 and 1; did you mean {}?", percent / 100.0))
        }
        _ => Err("expected a probability between 0 and 1, such as 0.05".to_owned()),
    }
}

/// The same for a confidence, which errors call one.
///
/// # Errors
/// As for [`parse_probability`].
pub fn parse_confidence(text: &str) -> Result<f64, String> {
    parse_probability(text)
        .map_err(|error| error.replace("a probability", "a confidence").replace("such as 0.05", "such as 0.95"))
}

/// 1 - p, rounded to 12 decimals: 1 - 0.95 is a little more than 0.05.
#[must_use]
pub fn complement(p: f64) -> f64 {
    ((1.0 - p) * 1e12).round() / 1e12
}

/// A number for a reader: whole numbers in full, others as [`significant`] writes them. For counts and parameters;
/// for a mean that happens to be whole, three digits are enough.
#[must_use]
pub fn number(value: f64) -> String {
    if value.fract() != 0.0 || value.abs() >= 1e15 {
        return significant(value);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, in range and not negative")]
    let integer = value.abs() as u64;
    format!("{sign}{}", with_separators(integer))
}

/// A standard error or deviation of `mean` over `runs` runs; `-` for a single run, which has none.
#[must_use]
pub fn deviation(mean: f64, value: f64, runs: usize) -> String {
    if runs > 1 { uncertainty(mean, value) } else { "-".to_owned() }
}

/// A standard error or deviation beside its `mean`. Mere rounding of equal numbers is 0.
#[must_use]
pub fn uncertainty(mean: f64, value: f64) -> String {
    if value <= 1e-9 * mean.abs() { "0".to_owned() } else { significant(value) }
}

/// `mean of 5 runs`, `a single run`.
#[must_use]
pub fn mean_of(count: u64, noun: &str) -> String {
    if count == 1 { format!("a single {noun}") } else { format!("mean of {}", with_unit(count, noun)) }
}

/// A number for a reader: three significant digits, thousands grouped, e.g. `0.123`, `12.3`, `12,300` and `1.23e9`.
#[must_use]
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        "0".to_owned()
    } else if !(1e-3..9.995e8).contains(&magnitude) {
        format!("{value:.2e}")
    } else if magnitude < 0.9995 {
        format!("{value:.3}")
    } else if magnitude < 9.995 {
        format!("{value:.2}")
    } else if magnitude < 99.95 {
        format!("{value:.1}")
    } else {
        // Three digits kept, the rest zero: 149,312 is written as 149,000.
        let unit = 10f64.powi((magnitude.log10().floor() as i32 - 2).max(0));
        let rounded = (magnitude / unit).round() * unit;
        let text = with_separators(rounded as u64);
        if value < 0.0 { format!("-{text}") } else { text }
    }
}

/// Reads a tolerance: the share by which the named one may be worse than another.
///
/// # Errors
/// If it is not a share from 0 to below one half.
pub fn parse_tolerance(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        share if (0.0..0.5).contains(&share) => Ok(share),
        _ => Err("expected a share from 0 to below 0.5, e.g. 0.01".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_not_probabilities() {
        for (text, probability, confidence) in [
            ("95", "did you mean 0.95?", "did you mean 0.95?"),
            ("5", "did you mean 0.05?", "did you mean 0.05?"),
            ("97.5", "did you mean 0.975?", "did you mean 0.975?"),
            ("1", "such as 0.05", "such as 0.95"),
            ("-0.1", "such as 0.05", "such as 0.95"),
            ("100", "such as 0.05", "such as 0.95"),
        ] {
            let error = parse_probability(text).unwrap_err();
            assert!(
                error.starts_with("expected a probability between 0 and 1") && error.ends_with(probability),
                "{error}"
            );
            let error = parse_confidence(text).unwrap_err();
            assert!(
                error.starts_with("expected a confidence between 0 and 1") && error.ends_with(confidence),
                "{error}"
            );
        }
        assert_eq!((parse_confidence("0.95"), parse_probability("0.05")), (Ok(0.95), Ok(0.05)));
    }

    #[test]
    fn counts() {
        for (text, count) in
            [("7", 7), ("1e7", 10_000_000), ("2.5e7", 25_000_000), ("1_000", 1000), ("0", 0), ("1E+3", 1000)]
        {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        let large = 10_u64.pow(18);
        for (text, count) in [("1e18", large), ("1.80e18", large / 10 * 18), ("0.5e1", 5), ("10.", 10), (".5e1", 5)] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        assert_eq!(parse_count("9007199254740993e0"), Ok(9_007_199_254_740_993), "no number is rounded");
        for text in ["", "-1", "1.5", "ten", "inf", "nan", "1e-3", "0x10", ".", "e5", "1e", "1e1.5", "1.25e1", "5e+"] {
            let error = parse_count(text).expect_err(text);
            assert!(error.starts_with("expected a whole number such as 1000000 or 1e6, found `"), "{text}: {error}");
        }
        for text in ["1e30", "1e99999999999999999999", "18446744073709551616"] {
            let error = parse_count(text).expect_err(text);
            assert_eq!(error, format!("expected at most 18,446,744,073,709,551,615, found {text}"));
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
        assert_eq!(with_separators(0), "0");
        assert_eq!(with_separators(999), "999");
        assert_eq!(with_separators(1000), "1,000");
        assert_eq!(with_separators(12_345_678), "12,345,678");
    }

    #[test]
    fn three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.12345, "0.123"),
            (1.2345, "1.23"),
            (12.345, "12.3"),
            (123.45, "123"),
            (999.7, "1,000"),
            (149_312.0, "149,000"),
            (-149_812.0, "-150,000"),
            (2.5e9, "2.50e9"),
            (1e-5, "1.00e-5"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn whole_numbers_are_whole() {
        for (value, text) in [
            (0.0, "0"),
            (31.0, "31"),
            (4562.0, "4,562"),
            (-95.0, "-95"),
            (1e7, "10,000,000"),
            (31.5, "31.5"),
            (1e300, "1.00e300"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!([deviation(7.0, 0.0, 1), deviation(7.0, 0.0, 2)], ["-", "0"]);
        assert_eq!([uncertainty(1600.0, 2.27e-13), uncertainty(1600.0, 31.5)], ["0", "31.5"]);
        assert_eq!([uncertainty(0.0, 0.0), uncertainty(1e-12, 1e-13)], ["0", "1.00e-13"]);
        assert_eq!([mean_of(1, "run"), mean_of(2500, "run")], ["a single run", "mean of 2,500 runs"]);
    }
}
