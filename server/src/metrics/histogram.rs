//! Times in buckets.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper ends of the buckets, in microseconds, and as Prometheus writes them in seconds.
const BUCKET_ENDS: [(u64, &str); 12] = [
    (500, "0.0005"),
    (1_000, "0.001"),
    (2_000, "0.002"),
    (3_000, "0.003"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (20_000, "0.02"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (1_000_000, "1"),
    (10_000_000, "10"),
];

/// The counts of times by bucket.
#[derive(Debug)]
pub struct Histogram {
    name: &'static str,
    help: &'static str,
    buckets: [AtomicU64; BUCKET_ENDS.len() + 1],
    microseconds: AtomicU64,
}

impl Histogram {
    pub(super) const fn new(name: &'static str, help: &'static str) -> Self {
        let buckets = [const { AtomicU64::new(0) }; BUCKET_ENDS.len() + 1];
        Self { name, help, buckets, microseconds: AtomicU64::new(0) }
    }

    /// Counts a time.
    pub fn observe(&self, time: Duration) {
        let microseconds = time.as_micros() as u64;
        let bucket = BUCKET_ENDS.partition_point(|&(end, _)| end < microseconds);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// The buckets: their upper ends in microseconds (none for the last), and their counts.
    pub fn counts(&self) -> impl Iterator<Item = (Option<u64>, u64)> {
        let ends = BUCKET_ENDS.iter().map(|&(end, _)| Some(end)).chain([None]);
        ends.zip(self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)))
    }

    pub(super) fn write(&self, text: &mut String) {
        let Self { name, help, .. } = self;
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} histogram\n");
        let mut sum = 0;
        for (at, bucket) in self.buckets.iter().enumerate() {
            sum += bucket.load(Ordering::Relaxed);
            let end = BUCKET_ENDS.get(at).map_or("+Inf", |(_, end)| end);
            let _ = writeln!(text, "{name}_bucket{{le=\"{end}\"}} {sum}");
        }
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_sum {seconds}\n{name}_count {sum}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_add_up() {
        let histogram = Histogram::new("t", "Times.");
        for micros in [500, 501, 3_000_000, 30_000_000] {
            histogram.observe(Duration::from_micros(micros));
        }
        let mut text = String::new();
        histogram.write(&mut text);
        for line in [
            "t_bucket{le=\"0.0005\"} 1",
            "t_bucket{le=\"0.001\"} 2",
            "t_bucket{le=\"10\"} 3",
            "t_bucket{le=\"+Inf\"} 4",
            "t_count 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
