//! Response times.

use std::time::Duration;

/// Latencies, in microseconds.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    micros: Vec<u32>,
}

impl Latencies {
    pub(super) fn add(&mut self, latency: Duration) {
        self.micros.push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.micros.extend_from_slice(&other.micros);
    }

    /// The number of measurements.
    #[must_use]
    pub fn count(&self) -> usize {
        self.micros.len()
    }

    /// The latency that this share of answers did not exceed, in milliseconds; 0 without answers.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let mut all = self.micros.clone();
        all.sort_unstable();
        let at = (share * all.len() as f64).ceil() as usize;
        all.get(at.saturating_sub(1)).map_or(0.0, |latency| f64::from(*latency) / 1e3)
    }

    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let [half, most, nearly_all] = [0.5, 0.99, 0.999].map(|share| self.quantile(share));
        format!("p50 {half:.2} ms, p99 {most:.2} ms, p99.9 {nearly_all:.2} ms")
    }
}
