//! The memory and the time that a shard may take, as people write them and as schedulers read them.

use std::fmt;
use std::str::FromStr;

/// Memory: a whole number of K, M, G or T, each 1,024 of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryLimit {
    count: u64,
    unit: char,
}

impl MemoryLimit {
    pub(super) fn mebibytes(count: u64) -> Self {
        Self { count, unit: 'M' }
    }

    /// As Slurm reads it, e.g. `4G`.
    pub(super) fn for_slurm(self) -> String {
        format!("{}{}", self.count, self.unit)
    }

    /// As Kubernetes reads it, e.g. `4Gi`: its `4G` are 4,000,000,000 bytes.
    pub(super) fn for_kubernetes(self) -> String {
        format!("{}{}i", self.count, self.unit)
    }
}

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let digits = text.find(|c: char| !c.is_ascii_digit())?;
            let count: u64 = text[..digits].parse().ok().filter(|&count| count > 0)?;
            let unit = match &text[digits..] {
                "K" | "Ki" | "KiB" => 'K',
                "M" | "Mi" | "MiB" => 'M',
                "G" | "Gi" | "GiB" => 'G',
                "T" | "Ti" | "TiB" => 'T',
                _ => return None,
            };
            Some(Self { count, unit })
        };
        read().ok_or_else(|| "expected a whole number and its unit, K, M, G or T, e.g. 4G".to_owned())
    }
}

/// A time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeLimit {
    /// The time, in seconds.
    pub(super) seconds: u64,
}

impl TimeLimit {
    pub(super) fn minutes(minutes: u64) -> Self {
        Self { seconds: 60 * minutes }
    }
}

/// Hours, minutes and seconds, as Slurm reads them: `36:00:00`.
impl fmt::Display for TimeLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.seconds / 60;
        write!(formatter, "{}:{:02}:{:02}", minutes / 60, minutes % 60, self.seconds % 60)
    }
}

impl FromStr for TimeLimit {
    type Err = String;

    /// `4:00:00`, `2-12:00:00` (days), `90m`, `4h`, `2d`. A number alone would be minutes to Slurm and seconds to Kubernetes, and `4:00`
    /// would be minutes to Slurm and looks like hours: both are refused.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| match digits.parse::<u32>() {
            Ok(number) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(u64::from(number)),
            _ => None,
        };
        let below_60 = |digits: &str| number(digits).filter(|&number| number < 60);
        let read = || {
            for (unit, seconds) in [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)] {
                if let Some(digits) = text.strip_suffix(unit) {
                    return Some(number(digits)? * seconds);
                }
            }
            let (days, clock) = match text.split_once('-') {
                Some((days, clock)) => (number(days)?, clock),
                None => (0, text),
            };
            let [hours, minutes, seconds] = clock.split(':').collect::<Vec<_>>()[..] else { return None };
            Some(86_400 * days + 3_600 * number(hours)? + 60 * below_60(minutes)? + below_60(seconds)?)
        };
        let seconds = read().filter(|&seconds| seconds > 0);
        let expected = "expected hours:minutes:seconds, with days before a dash, or a number and its unit, s, m, h or d: \
                        e.g. 4:00:00, 2-12:00:00 or 90m";
        seconds.map(|seconds| Self { seconds }).ok_or_else(|| expected.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_a_unit() {
        for (text, slurm, kubernetes) in
            [("4G", "4G", "4Gi"), ("512Mi", "512M", "512Mi"), ("2TiB", "2T", "2Ti"), ("7K", "7K", "7Ki")]
        {
            let limit: MemoryLimit = text.parse().expect(text);
            assert_eq!((limit.for_slurm().as_str(), limit.for_kubernetes().as_str()), (slurm, kubernetes));
        }
        for text in ["", "4", "G", "0G", "1.5G", "-4G", "4GB", "4g", "4 G", "99999999999999999999G", "4G;rm"] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn time_means_the_same_to_all() {
        for (text, seconds, shown) in [
            ("4:00:00", 14_400, "4:00:00"),
            ("0:00:30", 30, "0:00:30"),
            ("2-12:00:00", 216_000, "60:00:00"),
            ("90m", 5_400, "1:30:00"),
            ("4h", 14_400, "4:00:00"),
            ("2d", 172_800, "48:00:00"),
            ("45s", 45, "0:00:45"),
        ] {
            let limit: TimeLimit = text.parse().expect(text);
            assert_eq!((limit.seconds, limit.to_string().as_str()), (seconds, shown), "{text}");
        }
        for text in [
            "", "60", "4:00", "1-12", "0:00:00", "0m", "1:60:00", "1:00:60", "+4h", "1.5h", "4:00:00h", "1h30m", "::",
            "-4h",
        ] {
            assert!(text.parse::<TimeLimit>().is_err(), "{text}");
        }
    }
}
