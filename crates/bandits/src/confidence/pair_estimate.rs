//! The estimates of a pair in the bounds that choose, open duels included.

/// The mean of either arm and the width of their bounds: u = mean + sqrt(alpha ln t) width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairEstimate {
    /// The mean of the arm that won `won` duels.
    pub(crate) mean: f64,
    /// The mean of the other arm.
    pub(crate) other_mean: f64,
    /// 1 / sqrt(n), for both.
    pub(crate) width: f64,
}

impl PairEstimate {
    /// After `won` wins against `lost`, with `open` duels under way, each counted as the present mean: they
    /// narrow the bounds and leave the means as they are. A pair with open duels only is even. `None` if there are no
    /// duels at all.
    #[inline]
    pub(crate) fn of(won: f64, lost: f64, open: u32) -> Option<Self> {
        let known = won + lost;
        if known > 0.0 {
            let share = 1.0 / known;
            let width = if open == 0 { share.sqrt() } else { Self::width(known, open) };
            return Some(Self { mean: won * share, other_mean: lost * share, width });
        }
        (open > 0).then(|| Self { mean: 0.5, other_mean: 0.5, width: Self::width(0.0, open) })
    }

    /// The width of the bounds of a pair with `known` outcomes and `open` duels under way, not both 0.
    #[inline]
    pub(crate) fn width(known: f64, open: u32) -> f64 {
        (1.0 / (known + f64::from(open))).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_duels_narrow_bounds_and_move_nothing() {
        assert_eq!(PairEstimate::of(0.0, 0.0, 0), None);
        let even = |width| Some(PairEstimate { mean: 0.5, other_mean: 0.5, width });
        assert_eq!(PairEstimate::of(0.0, 0.0, 4), even(0.5));
        assert_eq!(PairEstimate::of(2.0, 2.0, 0), even(0.5));
        assert_eq!(PairEstimate::of(3.0, 1.0, 12), Some(PairEstimate { mean: 0.75, other_mean: 0.25, width: 0.25 }));
    }
}
