//! Dates of the Gregorian calendar, as days since 1970-01-01, and times as text.
//!
//! Written out although `jiff` has the rules of zones here: its dates end with the year 9999, and columns of Parquet hold any `i32` of days.

/// Milliseconds of a day.
pub const DAY: i64 = 24 * 60 * 60 * 1000;

pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar. Years are counted from March, in cycles of 400.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
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
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    let mut text = String::with_capacity("2026-11-22T12:00:00.000Z".len());
    if (0..10_000).contains(&year) {
        digits(year, 4, &mut text)
    } else {
        text = format!("{year:04}")
    }
    text.push('-');
    digits(month, 2, &mut text);
    text.push('-');
    digits(day_of_year - (153 * month_from_march + 2) / 5 + 1, 2, &mut text);
    text
}

/// Appends the last digits of a number. Each row of a table has a time: by `format!` they were a tenth of the time that a log
/// in Parquet took to credit.
fn digits(number: i64, wanted: u32, text: &mut String) {
    text.extend((0..wanted).rev().map(|digit| char::from(b'0' + (number / 10_i64.pow(digit) % 10) as u8)));
}

/// A time in UTC, to the millisecond.
#[must_use]
pub fn text(time: i64) -> String {
    let of_day = time.rem_euclid(DAY);
    let mut text = date(time.div_euclid(DAY) as i32);
    let parts = [('T', of_day / 3_600_000, 2), (':', of_day / 60_000 % 60, 2), (':', of_day / 1000 % 60, 2)];
    for (before, number, wanted) in parts.into_iter().chain([('.', of_day % 1000, 3)]) {
        text.push(before);
        digits(number, wanted, &mut text);
    }
    text.push('Z');
    text
}
