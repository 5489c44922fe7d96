//! Numbers since 1970, and which times are plausible.

use crate::calendar::{DAY, text};
use crate::unit;

/// 2000-01-01, in milliseconds. Logs begin later, and a number that is earlier is in another unit.
pub(crate) const EARLIEST: i64 = 10_957 * DAY;
/// 2100-01-01.
pub(crate) const TIMES_END: i64 = 47_482 * DAY;

/// A number as a time in milliseconds: seconds, milliseconds, microseconds or nanoseconds since 1970, by its size. `None` outside
/// the years 2000 to 2099, within which no number is a time in two units, and for `2026112215`, which may be the hour of a date or
/// seconds in 2034; [`not_a_time`] says why.
#[must_use]
pub fn time_from_number(number: f64) -> Option<i64> {
    time_and_unit(number).and_then(|(time, _)| check_plausible(time).ok()).filter(|_| !is_hour(number))
}

/// Whether the digits of a number are a date and its hour.
fn is_hour(number: f64) -> bool {
    (2_000_010_100.0..2_100_000_000.0).contains(&number) && unit::is_calendar(number)
}

/// The time of a number, and the unit in which it is one.
pub(crate) fn time_and_unit(number: f64) -> Option<(i64, &'static str)> {
    let (milliseconds, unit) = match number.abs() {
        size if size < 1e11 => (number * 1e3, "seconds"),
        size if size < 1e14 => (number, "milliseconds"),
        size if size < 1e17 => (number / 1e3, "microseconds"),
        // A double holds these to 256 ns: a whole millisecond stays one.
        size if size < 1e20 => ((number / 1e3).round() / 1e3, "nanoseconds"),
        _ => return None,
    };
    Some((milliseconds.floor() as i64, unit))
}

/// The same time, if it is plausible: in the years 2000 to 2099.
///
/// # Errors
/// What is wrong with it.
#[inline]
pub fn check_plausible(time: i64) -> Result<i64, String> {
    if (EARLIEST..TIMES_END).contains(&time) { Ok(time) } else { Err(implausible(time)) }
}

#[cold]
fn implausible(time: i64) -> String {
    let (text, expected) = (text(time), "expected the years 2000 to 2099");
    if time < EARLIEST {
        format!(
            "the time {text} is before 2000; {expected}: was a number read in the wrong unit, or is a missing time written so?"
        )
    } else {
        format!(
            "the time {text} is after 2099; {expected}: was a number read in the wrong unit, or does it mean \"never\"?"
        )
    }
}

/// Why a number is not a time; `written` is how it is written.
#[must_use]
pub fn not_a_time(number: f64, written: &str) -> String {
    let expected = "expected e.g. 2026-11-22T15:04:05Z, or seconds or milliseconds since 1970";
    if is_hour(number) {
        return format!(
            "the time {written} may be a date and its hour in digits, or seconds since 1970; expected e.g. 2026-11-22T15:00:00Z, \
             or milliseconds since 1970"
        );
    }
    if unit::is_calendar(number) {
        return format!("the time {written} is a date in digits, not a number since 1970; {expected}");
    }
    let Some((time, unit)) = time_and_unit(number).filter(|(time, _)| (YEAR_1..YEAR_10000).contains(time)) else {
        return format!("the time {written} is out of range; expected seconds or milliseconds since 1970");
    };
    let (year, side) = (&text(time)[..10], if time < EARLIEST { "before 2000" } else { "after 2099" });
    match unit::likely(number) {
        Some((likely, time)) => format!(
            "the time {written} is {year} in {unit} since 1970, {side}; in {likely} it is {}: write seconds or milliseconds since 1970",
            &text(time)[..10]
        ),
        None => format!(
            "the time {written} is {year} in {unit} since 1970, {side}: is it missing, or in another unit? {expected}"
        ),
    }
}

/// Years of four digits.
const YEAR_1: i64 = -62_135_596_800_000;
const YEAR_10000: i64 = 253_402_300_800_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_apart_by_size() {
        let expected = 1_795_446_245_000_i64;
        for number in [1_795_446_245.0, 1_795_446_245_000.0, 1_795_446_245_000_000.0] {
            assert_eq!(time_from_number(number), Some(expected));
        }
        for millisecond in 0..1000 {
            let nanoseconds = (expected + millisecond) as f64 * 1e6;
            assert_eq!(time_from_number(nanoseconds), Some(expected + millisecond));
        }
        // The ends of the plausible years, in each unit.
        for unit in [1e-3, 1.0, 1e3, 1e6] {
            assert_eq!(time_from_number(EARLIEST as f64 * unit), Some(EARLIEST));
            assert_eq!(time_from_number((EARLIEST - 1000) as f64 * unit), None);
            assert_eq!(time_from_number(TIMES_END as f64 * unit), None);
            assert_eq!(time_from_number((TIMES_END - 1000) as f64 * unit), Some(TIMES_END - 1000));
        }
    }

    #[test]
    fn a_refusal_names_the_likely_unit() {
        // 2026-11-23T15:04:05Z each time.
        let seconds = 1_795_446_245.0;
        for (number, expected) in [
            (
                (seconds / 1e3_f64).floor(),
                "is 1970-01-21 in seconds since 1970, before 2000; in thousands of seconds since 1970 it is 2026-11-23",
            ),
            ((seconds / 60.0_f64).floor(), "in minutes since 1970 it is 2026-11-23"),
            ((seconds / 3600.0_f64).floor(), "in hours since 1970 it is 2026-11-23"),
            (20_780.0, "in days since 1970 it is 2026-11-23"),
            (20_780.0 + 25_569.0 + 0.6, "in days of a spreadsheet (since 1899-12-30) it is 2026-11-23"),
            (seconds - 978_307_200.0, "in seconds since 2001 it is 2026-11-23"),
            ((seconds + 62_135_596_800.0) * 1e7, "in 100 ns since the year 1 it is 2026-11-23"),
            ((seconds + 11_644_473_600.0) * 1e7, "in 100 ns since 1601 it is 2026-11-23"),
            ((seconds + 11_644_473_600.0) * 1e6, "after 2099; in microseconds since 1601 it is 2026-11-23"),
            (0.0, "is 1970-01-01 in seconds since 1970, before 2000: is it missing, or in another unit?"),
            (-5.0, "is 1969-12-31"),
            (1e21, "is out of range"),
            (20_261_122.0, "is a date in digits"),
        ] {
            assert_eq!(time_from_number(number), None, "{number}");
            let error = not_a_time(number, &number.to_string());
            assert!(error.contains(expected), "{error}");
        }
        assert!(
            check_plausible(-1).unwrap_err().contains("before 2000")
                && check_plausible(TIMES_END).unwrap_err().contains("after 2099")
        );
    }

    #[test]
    fn dates_in_digits_are_no_numbers_since_1970() {
        for text in ["20261122", "202611221504", "20261122150405", "20261122150405678", "20240229"] {
            let number = text.parse().unwrap();
            assert_eq!(time_from_number(number), None, "{text}");
            assert!(not_a_time(number, text).contains("is a date in digits"), "{text}");
        }
        for text in ["2026112215", "2000010100", "2035123123"] {
            let number = text.parse().unwrap();
            assert_eq!(time_from_number(number), None, "{text}");
            assert!(not_a_time(number, text).contains("may be a date and its hour in digits, or seconds"), "{text}");
            assert!(time_from_number(number * 1e3).is_some() && time_from_number(number + 0.5).is_some(), "{text}");
        }
        // Seconds of those years that are not a date.
        assert!(
            [2_026_112_224.0, 2_026_133_112.0, 2_026_023_001.0]
                .into_iter()
                .all(|number| time_from_number(number).is_some())
        );
    }
}
