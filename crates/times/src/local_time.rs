//! Times as text: what a clock showed, and how far it is ahead of UTC.

use crate::calendar::{DAY, date, days_from_civil, days_in_month};

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
    let is = |offset: usize, allowed: &[u8]| bytes.get(offset).is_some_and(|byte| allowed.contains(byte));
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
            fraction = (0..3).try_fold(0, |sum, offset| {
                Some(10 * sum + if offset < digits { number(20 + offset, 21 + offset)? } else { 0 })
            })?;
            end = 20 + digits;
            if digits == 0 {
                return None;
            }
        }
    }
    // A leap second is the first of the next minute.
    let is_time = hour < 24 && minute < 60 && second <= 60;
    if !is_time || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
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
}
