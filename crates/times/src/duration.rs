//! Lengths of time.

use crate::DAY;

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
    fn durations() {
        assert_eq!(parse_duration("30m"), Ok(1_800_000));
        assert_eq!(parse_duration("1.5s"), Ok(1500));
        assert!(parse_duration("30").is_err() && parse_duration("soon").is_err());
        assert_eq!([1_800_000, 1500, 7 * DAY, 0].map(duration_text), ["30m", "1500ms", "7d", "0ms"]);
    }
}
