//! Shares that change. The interval of a pair is the intersection over its days, so a constant share lies in it. If the share over all
//! days until now does not, or if no share is left, one number does not describe all days.

use statistics::Counts;

/// A change that no single share explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drift {
    /// The share of a ranker is below an earlier lower bound.
    Fell {
        /// The ranker, by its place in the names.
        ranker: usize,
        /// The other one.
        other: usize,
        /// The earlier lower bound of its share, at the level of the pair.
        above: f64,
        /// The day by which that was known, in days since 1970.
        by: i32,
        /// Its share of all days.
        share: f64,
    },
    /// No share fits all days.
    NoShare {
        /// The first ranker of the pair.
        ranker: usize,
        /// The second.
        other: usize,
        /// The lower bound of the share of the first, and the day by which it was known.
        above: (f64, i32),
        /// Its upper bound, and the day by which it was known.
        below: (f64, i32),
    },
}

/// The drift of a pair, if its interval is that between `ends`, which last moved on the days `move_days`.
pub(super) fn drift(
    (first, second): (usize, usize),
    counts: Counts,
    ends: [f64; 2],
    move_days: [i32; 2],
) -> Option<Drift> {
    let [low, high] = ends;
    let share = counts.share()?;
    if low >= high {
        return Some(Drift::NoShare {
            ranker: first,
            other: second,
            above: (low, move_days[0]),
            below: (high, move_days[1]),
        });
    }
    if low > 0.0 && share <= low {
        return Some(Drift::Fell { ranker: first, other: second, above: low, by: move_days[0], share });
    }
    let is_above = high < 1.0 && share >= high;
    is_above.then(|| Drift::Fell {
        ranker: second,
        other: first,
        above: 1.0 - high,
        by: move_days[1],
        share: 1.0 - share,
    })
}
