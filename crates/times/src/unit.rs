//! What a number is likely to be that is not a time since 1970 in a usual unit.

use crate::calendar::{DAY, days_in_month};

/// Between these, a number is taken for a time in some unusual unit: 2010 and 2050, in milliseconds. Within them, the units below
/// exclude each other.
const LIKELY: std::ops::Range<f64> = 14_610.0 * DAY as f64..29_220.0 * DAY as f64;

/// Unusual units: their names, how many milliseconds they have, and when they count from in milliseconds since 1970.
const UNITS: [(&str, f64, f64); 10] = [
    // What pandas 3 makes of `series.astype("int64") // 10**9`, as its timestamps are in microseconds.
    ("thousands of seconds since 1970", 1e6, 0.0),
    ("millions of seconds since 1970", 1e9, 0.0),
    ("minutes since 1970", 6e4, 0.0),
    ("hours since 1970", 3.6e6, 0.0),
    ("days since 1970", DAY as f64, 0.0),
    ("days of a spreadsheet (since 1899-12-30)", DAY as f64, -25_569.0 * DAY as f64),
    ("seconds since 2001", 1e3, 978_307_200e3),
    ("100 ns since the year 1", 1e-4, -62_135_596_800e3),
    ("100 ns since 1601", 1e-4, -11_644_473_600e3),
    ("microseconds since 1601", 1e-3, -11_644_473_600e3),
];

/// The unit in which a number is a time of these years, and that time in milliseconds since 1970.
pub(crate) fn likely(number: f64) -> Option<(&'static str, i64)> {
    let time_in = |(name, length, epoch): (&'static str, f64, f64)| (name, number * length + epoch);
    UNITS.into_iter().map(time_in).find(|(_, time)| LIKELY.contains(time)).map(|(name, time)| (name, time as i64))
}

/// Whether the digits of a number are a date, perhaps with the time of day: `20261122`, `2026112215`, `202611221504`,
/// `20261122150405` or `20261122150405678`.
pub(crate) fn is_calendar(number: f64) -> bool {
    if number.fract() != 0.0 || !(1e7..1e17).contains(&number) {
        return false;
    }
    let digits = number as i64;
    let date_and_minutes = match digits.ilog10() + 1 {
        8 => digits * 10_000,
        // Seconds of the years 2033 to 2036 as well.
        10 => digits * 100,
        12 => digits,
        14 if digits % 100 <= 60 => digits / 100,
        17 if digits / 1000 % 100 <= 60 => digits / 100_000,
        _ => return false,
    };
    let (date, time) = (date_and_minutes / 10_000, date_and_minutes % 10_000);
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    (1970..2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && time / 100 < 24
        && time % 100 < 60
}
