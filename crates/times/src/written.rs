//! Times as tables write them: what a clock showed, and how far it is ahead of UTC if the table says so.

use crate::calendar::{DAY, date, days_from_civil, days_in};

/// Whether `3/4/2026` is the third of April or the fourth of March.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrder {
    /// The day comes first, as in most of the world.
    DayFirst,
    /// The month comes first, as in the United States.
    MonthFirst,
}

impl DayOrder {
    /// `dmy` or `mdy`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DayFirst => "dmy",
            Self::MonthFirst => "mdy",
        }
    }
}

impl std::str::FromStr for DayOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "dmy" => Ok(Self::DayFirst),
            "mdy" => Ok(Self::MonthFirst),
            _ => Err(format!("expected dmy or mdy, found {}", ranktypes::text::excerpt(text))),
        }
    }
}

/// A time as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// What the clock showed, as the milliseconds since 1970 at which a clock in UTC shows it.
    pub local: i64,
    /// How far that clock is ahead of UTC in milliseconds, if the text says so.
    pub ahead: Option<i64>,
}

impl Written {
    /// A date with a time or without: `2026-11-22`, `2026-11-22 9:05`, `2026-11-22T15:04:05.123+01:00`; and with the day or the
    /// month first, if `order` is given: `11/22/2026 9:25:30 PM`, `22.11.2026 9:25`. `None` for other text.
    #[must_use]
    pub fn parse(text: &str, order: Option<DayOrder>) -> Option<Self> {
        let text = text.trim();
        if let Some((local, rest)) = local_time(text.as_bytes()) {
            let rest = rest.trim_ascii_start();
            return Some(Self { local, ahead: if rest.is_empty() { None } else { Some(ahead(rest)?) } });
        }
        let (date, time) = text.split_once([' ', 'T', 't', ',']).unwrap_or((text, ""));
        let (one, two, year) = parts_of_date(date)?;
        let (year, month, day) = match (year, order) {
            (DatePart::Last(year), Some(DayOrder::DayFirst)) => (year, two, one),
            (DatePart::Last(year), Some(DayOrder::MonthFirst)) => (year, one, two),
            (DatePart::Last(_), None) => return None,
            (DatePart::First(year), _) => (year, one, two),
        };
        if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
            return None;
        }
        let (of_day, ahead) = time_of_day(time.trim())?;
        Some(Self { local: days_from_civil(year, month, day) * DAY + of_day, ahead })
    }

    /// The order of day and month that a date such as `22/11/2026` has by its numbers; `None` where both are possible, and for
    /// other text.
    #[must_use]
    pub fn day_order(text: &str) -> Option<DayOrder> {
        let text = text.trim();
        let date = text.split([' ', 'T', 't', ',']).next()?;
        match parts_of_date(date)? {
            (one, _, DatePart::Last(_)) if one > 12 => Some(DayOrder::DayFirst),
            (_, two, DatePart::Last(_)) if two > 12 => Some(DayOrder::MonthFirst),
            _ => None,
        }
    }
}

/// Where the year stands.
enum DatePart {
    First(i64),
    Last(i64),
}

/// The two numbers of a date beside its year, in the order in which they stand, and the year.
fn parts_of_date(date: &str) -> Option<(i64, i64, DatePart)> {
    let separator = date.chars().find(|found| matches!(found, '/' | '.' | '-'))?;
    let mut parts = date.split(separator);
    let parts = [parts.next()?, parts.next()?, parts.next()?, parts.next().unwrap_or_default()];
    let is_number = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !parts[3].is_empty() || !parts[..3].iter().all(|part| is_number(part)) {
        return None;
    }
    let [one, two, three] = [parts[0], parts[1], parts[2]].map(|part| part.parse::<i64>().unwrap_or_default());
    match [parts[0], parts[1], parts[2]].map(str::len) {
        [4, 1 | 2, 1 | 2] => Some((two, three, DatePart::First(one))),
        [1 | 2, 1 | 2, 4] => Some((one, two, DatePart::Last(three))),
        _ => None,
    }
}

/// Milliseconds since midnight of `9:25`, `09:25:30.5`, `9:25:30 PM`, and what follows as an offset; midnight for empty text.
fn time_of_day(text: &str) -> Option<(i64, Option<i64>)> {
    if text.is_empty() {
        return Some((0, None));
    }
    let end = text.find(|found: char| !matches!(found, '0'..='9' | ':' | '.' | ',')).unwrap_or(text.len());
    let (clock, rest) = (&text[..end], text[end..].trim());
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    if parts.next().is_some() {
        return None;
    }
    let number = |part: &str| part.parse::<i64>().ok().filter(|_| (1..=2).contains(&part.len()));
    let (mut hour, minute) = (number(hour)?, number(minute)?);
    let seconds: f64 = second.replace(',', ".").parse().ok()?;
    let half = rest.to_ascii_lowercase().replace('.', "");
    let rest = match half.as_str() {
        "am" | "pm" if (1..=12).contains(&hour) => {
            hour = hour % 12 + if half == "pm" { 12 } else { 0 };
            ""
        }
        _ => rest,
    };
    if hour > 23 || minute > 59 || !(0.0..61.0).contains(&seconds) {
        return None;
    }
    let ahead = if rest.is_empty() { None } else { Some(ahead(rest.as_bytes())?) };
    Some(((hour * 60 + minute) * 60_000 + (seconds * 1000.0).floor() as i64, ahead))
}

/// How far a zone is ahead of UTC in milliseconds: `Z`, `UTC`, `+01:00`, `+0100` or `+01`.
pub(crate) fn ahead(bytes: &[u8]) -> Option<i64> {
    if bytes.eq_ignore_ascii_case(b"z") || bytes.eq_ignore_ascii_case(b"utc") { Some(0) } else { offset(bytes) }
}

/// `2026-11-22T15:04[:05[.678]]` as milliseconds, and what follows it.
pub(crate) fn local_time(bytes: &[u8]) -> Option<(i64, &[u8])> {
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

/// The day of a date such as `2026-11-22`.
#[must_use]
pub fn day_of_date(text: &str) -> Option<i32> {
    let (time, rest) = local_time(format!("{text}T00:00").as_bytes()).map(|(time, rest)| (time, rest.len()))?;
    (rest == 0).then_some((time / DAY) as i32).filter(|day| date(*day) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for day in (-150_000..150_000).step_by(97) {
            assert_eq!(day_of_date(&date(day)), Some(day));
        }
        assert_eq!((date(0), date(-1), date(20_780)), ("1970-01-01".into(), "1969-12-31".into(), "2026-11-23".into()));
        assert_eq!(day_of_date("2026-2-3"), None);
    }

    fn utc(text: &str, order: Option<DayOrder>) -> Option<String> {
        Written::parse(text, order).map(|Written { local, ahead }| crate::text(local - ahead.unwrap_or(0)))
    }

    #[test]
    fn dates_and_clocks_of_tables_are_read() {
        for (text, order, expected) in [
            ("2026-11-22", None, "2026-11-22T00:00:00.000Z"),
            ("2026-11-2 9:05", None, "2026-11-02T09:05:00.000Z"),
            ("2026/11/02 09:05:06", None, "2026-11-02T09:05:06.000Z"),
            ("2026-11-22T15:04:05.123+01:00", None, "2026-11-22T14:04:05.123Z"),
            ("2026-11-22 15:04:05 UTC", None, "2026-11-22T15:04:05.000Z"),
            ("11/1/2026 9:25:30", Some(DayOrder::MonthFirst), "2026-11-01T09:25:30.000Z"),
            ("11/1/2026 9:25:30", Some(DayOrder::DayFirst), "2026-01-11T09:25:30.000Z"),
            ("11/1/2026, 9:25:30 PM", Some(DayOrder::MonthFirst), "2026-11-01T21:25:30.000Z"),
            ("11/1/2026 12:00 a.m.", Some(DayOrder::MonthFirst), "2026-11-01T00:00:00.000Z"),
            ("1.11.2026 09:25", Some(DayOrder::DayFirst), "2026-11-01T09:25:00.000Z"),
        ] {
            assert_eq!(utc(text, order).as_deref(), Some(expected), "{text}");
        }
        for (text, order) in [
            ("11/1/2026 9:25:30", None),
            ("22/11/2026", Some(DayOrder::MonthFirst)),
            ("11/1/26", Some(DayOrder::MonthFirst)),
            ("2026-02-29", None),
            ("2026-11-22 24:00", None),
            ("2026-11-22 13:00 PM", None),
            ("2026-11-22 soon", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(utc(text, order), None, "{text}");
        }
        assert_eq!(Written::parse("2026-11-22 15:04", None).unwrap().ahead, None);
        assert_eq!(Written::parse("2026-11-22 15:04Z", None).unwrap().ahead, Some(0));
    }

    #[test]
    fn numbers_above_twelve_are_days() {
        let found = ["22/11/2026 1:00", "11/22/2026", "11/12/2026", "2026-11-22", "soon"].map(Written::day_order);
        assert_eq!(found, [Some(DayOrder::DayFirst), Some(DayOrder::MonthFirst), None, None, None]);
    }
}
