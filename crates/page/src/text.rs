//! Numbers and dates for readers.

/// `57.1%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// `53.2% to 60.9%`, rounded as in the words beside it.
pub(crate) fn range(interval: Option<(f64, f64)>) -> String {
    interval.map_or_else(|| "–".to_owned(), verdicts::decide::range)
}

/// The share of a count, where there is one.
pub(crate) fn share_of(count: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| count as f64 / total as f64)
}

/// A date such as `2026-11-24` as `24 Nov`, an hour of it such as `2026-11-24 15:00` as `15:00`; any other text as it is.
pub(crate) fn short_date(date: &str) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    if let Some((_, hour)) = date.split_once(' ').filter(|(day, _)| short_date(day) != *day) {
        return hour.to_owned();
    }
    let mut fields = date.splitn(3, '-');
    let short_form = (|| {
        let (_, month, day) = (fields.next()?, fields.next()?, fields.next()?);
        let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some(format!("{} {month}", day.parse::<u32>().ok()?))
    })();
    short_form.unwrap_or_else(|| date.to_owned())
}

/// Round steps of at least `minimum`: 1, 2 or 5 times a power of ten.
pub(crate) fn nice_step(minimum: f64) -> f64 {
    let mut power = 1.0;
    loop {
        for step in [1.0, 2.0, 5.0] {
            if step * power >= minimum {
                return step * power;
            }
        }
        power *= 10.0;
    }
}

/// Lengths as SVG writes them: two digits, without trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_readers() {
        assert_eq!(percent(0.57111), "57.1%");
        assert_eq!([short_date("2026-11-04 15:00"), short_date("day 3")], ["15:00", "day 3"]);
        assert_eq!(
            [short_date("2026-11-04"), short_date("day 3"), short_date("2026-13-01")],
            ["4 Nov", "day 3", "2026-13-01"]
        );
        assert_eq!([0.3, 1.0, 2.1, 40.0, 501.0].map(nice_step), [1.0, 1.0, 5.0, 50.0, 1000.0]);
        assert_eq!([1.0, 2.5, -0.001, 33.333].map(number), ["1", "2.5", "0", "33.33"]);
    }
}
