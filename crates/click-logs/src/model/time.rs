//! Times as milliseconds since 1970 in UTC, and days in a zone of a fixed offset.

use crate::error::excerpt;

/// Milliseconds of a day.
pub const DAY: i64 = 24 * 60 * 60 * 1000;

/// How times without a zone are read, and where days begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    /// Milliseconds ahead of UTC, if the caller said so. Without it, days are those of UTC, and times without a zone are
    /// refused.
    offset: Option<i64>,
}

impl Zone {
    /// The zone of a fixed offset: `Z`, `UTC`, `+01:00`, `-0530`.
    ///
    /// # Errors
    /// For anything else: names such as `Europe/Berlin` stand for two offsets a year.
    pub fn parse(text: &str) -> Result<Self, String> {
        let offset = if text.eq_ignore_ascii_case("z") || text.eq_ignore_ascii_case("utc") {
            Some(0)
        } else {
            offset(text.as_bytes())
        };
        match offset {
            Some(offset) => Ok(Self { offset: Some(offset) }),
            None => Err(format!("expected UTC or an offset such as +01:00, found `{text}`")),
        }
    }

    /// The day of `time`, counted from 1970-01-01.
    #[must_use]
    pub fn day(self, time: i64) -> i32 {
        (time + self.offset.unwrap_or(0)).div_euclid(DAY) as i32
    }

    /// The first moment of `day`.
    #[must_use]
    pub fn start(self, day: i32) -> i64 {
        i64::from(day) * DAY - self.offset.unwrap_or(0)
    }

    /// The offset as it is written in times.
    #[must_use]
    pub fn text(self) -> String {
        match self.offset.unwrap_or(0) / 60_000 {
            0 => "UTC".to_owned(),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }

    /// A time for readers, to the minute: `2026-11-22 15:04 UTC`.
    #[must_use]
    pub fn minute(self, time: i64) -> String {
        let local = text(time + self.offset.unwrap_or(0));
        format!("{} {} {}", &local[..10], &local[11..16], self.text())
    }

    /// A time in text: RFC 3339 and its relatives (`2026-11-22T15:04:05.123Z`, `2026-11-22 15:04:05+01:00`), or a number as
    /// for [`of_number`].
    ///
    /// # Errors
    /// What was found and expected; for a time without a zone, unless this zone was given.
    pub fn time(self, text: &str) -> Result<i64, String> {
        let bytes = text.as_bytes();
        if let Some(time) = milliseconds(bytes) {
            return Ok(time);
        }
        if !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
            return match text.parse() {
                Ok(number) => of_number(number).ok_or_else(|| not_a_time(number, text)),
                Err(_) => Err(unreadable(text)),
            };
        }
        let Some((local, rest)) = local_time(bytes) else { return Err(unreadable(text)) };
        let ahead = match rest {
            b"" => self.offset.ok_or_else(|| {
                format!("the time {} has no zone; say which with --timezone, e.g. --timezone UTC", excerpt(text))
            })?,
            b"Z" | b"z" => 0,
            rest => offset(rest).ok_or_else(|| unreadable(text))?,
        };
        Ok(local - ahead)
    }
}

/// Milliseconds of our time, which have thirteen digits.
#[inline]
fn milliseconds(bytes: &[u8]) -> Option<i64> {
    let digits: &[u8; 13] = bytes.try_into().ok()?;
    let (first, rest) = digits.split_first_chunk::<8>()?;
    let mut word = u64::from_le_bytes(*first);
    // Each byte is a digit if it is 3 in its upper half, also when 6 is added to it.
    let upper = u64::from_le_bytes([0xf0; 8]);
    let three = u64::from_le_bytes([0x30; 8]);
    let is_number = word & upper == three && word.wrapping_add(u64::from_le_bytes([6; 8])) & upper == three;
    if !is_number || first[0] == b'0' || !rest.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Pairs of digits become numbers, then pairs of these, and again.
    word = (word & u64::from_le_bytes([15; 8])).wrapping_mul(10 << 8 | 1) >> 8;
    word = (word & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    word = (word & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
    Some(rest.iter().fold(word as i64, |number, digit| 10 * number + i64::from(digit & 15)))
}

fn unreadable(text: &str) -> String {
    format!(
        "the time {} cannot be read; expected e.g. 2026-11-22T15:04:05Z, or seconds or milliseconds since 1970",
        excerpt(text)
    )
}

/// Why a number is not a time; `written` is how it is written.
pub(crate) fn not_a_time(number: f64, written: &str) -> String {
    if is_calendar(number) {
        format!(
            "the time {written} is a date in digits, not a number since 1970; expected e.g. 2026-11-22T15:04:05Z, or seconds or \
             milliseconds since 1970"
        )
    } else {
        format!("the time {written} is out of range; expected seconds or milliseconds since 1970")
    }
}

/// Whether the digits of a number are a date, perhaps with the time of day: `20261122`, `202611221504`, `20261122150405` or
/// `20261122150405678`. As numbers since 1970 these are days of that very year or of the 27th century, minutes apart that were
/// hours, and nothing would show it.
fn is_calendar(number: f64) -> bool {
    if number.fract() != 0.0 || !(1e7..1e17).contains(&number) {
        return false;
    }
    let digits = number as i64;
    let date_and_minutes = match digits.ilog10() + 1 {
        8 => digits * 10_000,
        12 => digits,
        14 if digits % 100 <= 60 => digits / 100,
        17 if digits / 1000 % 100 <= 60 => digits / 100_000,
        _ => return false,
    };
    let (date, time) = (date_and_minutes / 10_000, date_and_minutes % 10_000);
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    (1970..2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && time / 100 < 24
        && time % 100 < 60
}

/// A number as a time: seconds, milliseconds, microseconds or nanoseconds since 1970, by its size. (Seconds reach 10^11
/// in the year 5138, and milliseconds were beyond it in 1973.) `None` before the year 1, because such days have no date of four
/// digits, and for a date in digits such as `20261122150405`.
#[must_use]
pub fn of_number(number: f64) -> Option<i64> {
    if is_calendar(number) {
        return None;
    }
    let milliseconds = match number.abs() {
        size if size < 1e11 => number * 1e3,
        size if size < 1e14 => number,
        size if size < 1e17 => number / 1e3,
        // A double holds these to 256 ns: a whole millisecond stays one.
        size if size < 1e20 => (number / 1e3).round() / 1e3,
        _ => return None,
    };
    Some(milliseconds.floor() as i64).filter(|milliseconds| *milliseconds >= YEAR_1)
}

/// The beginning of the year 1.
const YEAR_1: i64 = -62_135_596_800_000;

/// `2026-11-22T15:04[:05[.678]]` as milliseconds, and what follows it.
fn local_time(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| 10 * sum + i64::from(digit - b'0')))
    };
    let is = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|byte| allowed.contains(byte));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let (mut second, mut fraction, mut end) = (0, 0, 16);
    if is(16, b":") {
        second = number(17, 19)?;
        end = 19;
        if is(19, b".,") {
            let digits = bytes[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            // Milliseconds are kept, finer digits are not.
            fraction = (0..3)
                .try_fold(0, |sum, at| Some(10 * sum + if at < digits { number(20 + at, 21 + at)? } else { 0 }))?;
            end = 20 + digits;
            if digits == 0 {
                return None;
            }
        }
    }
    // A leap second is the first of the next minute.
    let is_time = hour < 24 && minute < 60 && second <= 60;
    if !is_time || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let seconds = (days_from_civil(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
    Some((seconds * 1000 + fraction, &bytes[end..]))
}

/// `+01:00`, `+0100` or `+01` in milliseconds.
fn offset(bytes: &[u8]) -> Option<i64> {
    let (sign, digits) = match bytes {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let digits: Vec<u8> = match digits {
        [h1, h2, b':', m1, m2] | [h1, h2, m1, m2] => vec![*h1, *h2, *m1, *m2],
        [h1, h2] => vec![*h1, *h2, b'0', b'0'],
        _ => return None,
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |at: usize| i64::from(digits[at] - b'0') * 10 + i64::from(digits[at + 1] - b'0');
    let (hours, minutes) = (number(0), number(2));
    (hours <= 18 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar. Years are counted from March, in cycles of 400.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let cycle = year.div_euclid(400);
    let year_of_cycle = year - cycle * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * 146_097 + day_of_cycle - 719_468
}

/// The date of a day, e.g. `2026-11-22`.
#[must_use]
pub fn date(day: i32) -> String {
    let day = i64::from(day) + 719_468;
    let cycle = day.div_euclid(146_097);
    let day_of_cycle = day.rem_euclid(146_097);
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// The day of a date such as `2026-11-22`.
#[must_use]
pub fn day_of_date(text: &str) -> Option<i32> {
    let (time, rest) = local_time(format!("{text}T00:00").as_bytes()).map(|(time, rest)| (time, rest.len()))?;
    (rest == 0).then_some((time / DAY) as i32).filter(|day| date(*day) == text)
}

/// A time in UTC, to the millisecond.
#[must_use]
pub fn text(time: i64) -> String {
    let of_day = time.rem_euclid(DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let day = date(time.div_euclid(DAY) as i32);
    format!("{day}T{hour:02}:{minute:02}:{:02}.{:03}Z", of_day / 1000 % 60, of_day % 1000)
}

/// A length of time: `30s`, `30m`, `12h`, `7d`, `500ms`; in milliseconds.
///
/// # Errors
/// What was found and expected.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit.trim() {
        "ms" => 1.0,
        "s" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
        "d" => DAY as f64,
        _ => return Err(format!("expected a length of time such as 30s, 30m, 12h or 7d, found `{text}`")),
    };
    let length = number.parse().ok().map(|number: f64| number * unit).filter(|length| *length < 1e15);
    length.map(|length| length as i64).ok_or_else(|| format!("expected a length of time such as 30m, found `{text}`"))
}

/// A length of time for a reader.
#[must_use]
pub fn duration_text(milliseconds: i64) -> String {
    for (unit, name) in [(DAY, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")] {
        if milliseconds != 0 && milliseconds % unit == 0 {
            return format!("{}{name}", milliseconds / unit);
        }
    }
    format!("{milliseconds}ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_those_of_the_zone() {
        let time = Zone::default().time("2026-11-22T23:30:59Z").unwrap();
        assert_eq!(Zone::default().minute(time), "2026-11-22 23:30 UTC");
        assert_eq!(Zone::parse("+01:00").unwrap().minute(time), "2026-11-23 00:30 +01:00");
    }

    #[test]
    fn days_before_the_year_1_are_no_times() {
        assert_eq!(of_number(-62_135_596_800.0), Some(YEAR_1));
        assert_eq!(date((YEAR_1 / 86_400_000) as i32), "0001-01-01");
        assert_eq!((of_number(-62_135_596_801.0), of_number(-9e10)), (None, None));
    }

    #[test]
    fn dates_in_digits_are_no_numbers_since_1970() {
        let utc = Zone::default();
        for text in ["20261122", "202611221504", "20261122150405", "20261122150405.0", "20261122150405678", "20240229"]
        {
            assert_eq!(of_number(text.parse().unwrap()), None, "{text}");
            let error = utc.time(text).unwrap_err();
            assert!(error.contains("is a date in digits") && error.contains("2026-11-22T15:04:05Z"), "{error}");
        }
        // No date: an hour, a minute, a day or a year that there is not, or another number of digits.
        for text in ["20261122240000", "202611221560", "20230229", "22001122", "2026112215", "1795446245", "20261122.5"]
        {
            assert!(of_number(text.parse().unwrap()).is_some() && utc.time(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn times_are_read() {
        let utc = Zone::default();
        let expected = 1_795_446_245_000;
        for text in [
            "2026-11-23T15:04:05Z",
            "2026-11-23 15:04:05z",
            "2026-11-23T16:04:05+01:00",
            "2026-11-23T09:34:05-0530",
            "2026-11-23T15:04:05.000999Z",
            "1795446245",
            "1795446245000",
            "1795446245000000",
            "1795446245.0",
        ] {
            assert_eq!(utc.time(text), Ok(expected), "{text}");
        }
        for millisecond in 0..1000 {
            let nanoseconds = (expected + millisecond) as f64 * 1e6;
            assert_eq!(of_number(nanoseconds), Some(expected + millisecond));
        }
        assert_eq!(utc.time("2026-11-23T15:04Z"), Ok(expected - 5000));
        assert_eq!(utc.time("2026-11-23T15:04:05.25Z"), Ok(expected + 250));
        assert_eq!(super::text(expected + 250), "2026-11-23T15:04:05.250Z");
        let berlin = Zone::parse("+01:00").unwrap();
        assert_eq!(berlin.time("2026-11-23T16:04:05"), Ok(expected));
        assert!(utc.time("2026-11-23T16:04:05").unwrap_err().contains("--timezone"));
        for wrong in
            ["", "yesterday", "2026-11-23", "2026-02-29T00:00Z", "2026-11-23T24:00Z", "2026-11-23T15:04:05.Z", "1e9"]
        {
            assert!(utc.time(wrong).is_err(), "{wrong}");
        }
        assert!(Zone::parse("Europe/Berlin").is_err());
    }

    #[test]
    fn milliseconds_are_read_digit_by_digit() {
        let utc = Zone::default();
        for number in (1_000_000_000_000..10_000_000_000_000_i64).step_by(7_777_777_777) {
            assert_eq!(utc.time(&number.to_string()), Ok(number));
        }
        for at in 0..13 {
            for byte in 0..=127_u8 {
                let mut text = b"1795446245123".to_vec();
                text[at] = byte;
                let expected = text
                    .iter()
                    .try_fold(0, |sum: i64, byte| byte.is_ascii_digit().then(|| 10 * sum + i64::from(byte - b'0')));
                let expected = expected.filter(|_| text[0] != b'0');
                assert_eq!(milliseconds(&text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn days_and_dates_agree() {
        for day in (-150_000..150_000).step_by(97) {
            assert_eq!(day_of_date(&date(day)), Some(day));
        }
        assert_eq!((date(0), date(-1), date(20_780)), ("1970-01-01".into(), "1969-12-31".into(), "2026-11-23".into()));
        let west = Zone::parse("-08:00").unwrap();
        assert_eq!((west.day(0), west.start(0), west.text()), (-1, 8 * 3_600_000, "-08:00".to_owned()));
        assert_eq!(day_of_date("2026-2-3"), None);
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("30m"), Ok(1_800_000));
        assert_eq!(parse_duration("1.5s"), Ok(1500));
        assert!(parse_duration("30").is_err() && parse_duration("soon").is_err());
        assert_eq!([1_800_000, 1500, 7 * DAY, 0].map(duration_text), ["30m", "1500ms", "7d", "0ms"]);
    }
}
