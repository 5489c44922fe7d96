//! Durations such as `250ms`.

use std::time::Duration;

const UNITS: [(&str, u64); 5] = [("us", 1), ("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000)];

/// Parses a duration as people write it.
///
/// # Errors
/// A description of the expected form.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = UNITS.iter().find(|(name, _)| *name == unit);
    let microseconds = number.parse::<u64>().ok().zip(unit).and_then(|(number, (_, unit))| number.checked_mul(*unit));
    microseconds
        .map(Duration::from_micros)
        .ok_or_else(|| format!("expected a whole number with us, ms, s, m or h, such as 250ms; found {text:?}"))
}

/// The shortest text that [`parse_duration`] reads as this duration (whole microseconds).
#[must_use]
pub fn text(duration: Duration) -> String {
    let microseconds = duration.as_micros() as u64;
    let fits = |(_, unit): &&(&str, u64)| microseconds.is_multiple_of(*unit);
    let (name, unit) = UNITS.iter().rev().find(fits).filter(|_| microseconds > 0).unwrap_or(&UNITS[1]);
    format!("{}{name}", microseconds / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_come_back() {
        for (written, micros) in
            [("250ms", 250_000), ("300us", 300), ("10s", 10_000_000), ("2h", 7_200_000_000), ("0ms", 0)]
        {
            assert_eq!(parse_duration(written), Ok(Duration::from_micros(micros)));
            assert_eq!(text(Duration::from_micros(micros)), written);
        }
        for wrong in ["", "250", "ms", "-1s", "1.5s", "1 s", "99999999999999999999s", "18446744073709551615h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
