//! Timing, and a row of the table.

use std::fmt;
use std::time::Instant;

/// One measured figure.
pub(super) struct Row {
    /// The goal it belongs to, such as `P1`; empty for rows of interest only.
    pub(super) goal: &'static str,
    /// The name of the measurement.
    pub(super) what: String,
    /// The unit of value and target.
    pub(super) unit: &'static str,
    /// The median measurement.
    pub(super) value: f64,
    /// The goal: at most this (times), or at least (rates).
    pub(super) target: Option<f64>,
}

impl Row {
    /// Whether more is better: a rate, or a speed-up.
    pub(super) fn more_is_better(&self) -> bool {
        self.unit.ends_with("/s") || self.unit == "faster"
    }

    /// Whether the goal is met: at least the target where more is better, at most otherwise.
    pub(super) fn met(&self) -> Option<bool> {
        let rate = self.more_is_better();
        self.target.map(|target| if rate { self.value >= target } else { self.value <= target })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let target =
            self.target.map_or_else(String::new, |target| format!("goal {}", (target * 100.0).round() / 100.0));
        write!(formatter, "{:4} {:62} {:>10.1} {:6} {target:12} {verdict}", self.goal, self.what, self.value, self.unit)
    }
}

/// Repetitions of each measurement.
const REPETITIONS: usize = 7;

/// Median nanoseconds per operation of `work`; each call performs `count` of them.
pub(super) fn nanoseconds(count: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e9 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[REPETITIONS / 2]
}
