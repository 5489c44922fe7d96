//! A confidence sequence for a ratio of means, such as clicks per impression, from sums over independent units.
//!
//! Unit i has an amount D_i, from -cap to cap, and a size N_i, such as its clicks and its impressions; the ratio is r = E D / E N. At
//! the true r, the residuals D_i - r N_i have mean 0. With their sum S(r) and their sum of squares V(r), a ratio is rejected if
//!
//! S(r)^2 > (V(r) + τ) (2 ln(1 / alpha) + ln((V(r) + τ) / τ)), τ = 10 cap^2.
//!
//! That is the boundary of a normal mixture, two-sided: with 1 / τ for ρ^2, the closed form of Waudby-Smith et al. The sum S(r) is
//! approximately Brownian motion at time V(r), which leaves the boundary at some look with a probability of at most alpha. All sizes
//! are 1 for a mean.
//!
//! The approximation needs many units that matter, so there is no interval before
//!
//! * V, at the ratio observed, is at least 20 cap^2: no residual is more than a small part of the whole;
//! * (Σ N)^2 is at least 100 Σ N^2: nor is any size.
//!
//! The cap has to be fixed before anything is seen.
//!
//! ## References
//!
//! * H. Robbins, "Statistical Methods Related to the Law of the Iterated Logarithm", Annals of Mathematical Statistics 41(5),
//!   1970, <https://doi.org/10.1214/aoms/1177696786>: normal mixtures.
//! * I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-Uniform Central Limit Theory and Asymptotic Confidence
//!   Sequences", Annals of Statistics 52(6), 2024, <https://doi.org/10.1214/24-AOS2408>: with estimated variances.

use crate::StatisticsError;

/// τ in squares of the cap: the boundary is narrowest, in standard deviations, when V is some nine times as large.
const TAU: f64 = 10.0;
/// The least V in squares of the cap.
const LEAST_SQUARES: f64 = 20.0;
/// The least (Σ N)^2 in Σ N^2: with this many equal sizes, the standard error of their mean is a tenth of it.
const LEAST_UNITS: f64 = 100.0;
/// An end is found to 2^-60 of the distance from the ratio observed.
const HALVINGS: usize = 60;
/// An end that is further than 2^30 standard deviations is none.
const DOUBLINGS: usize = 30;

/// Sums over units. They may be added up in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RatioSums {
    /// The sum of amounts, each from -cap to cap.
    pub amounts: f64,
    /// The sum of sizes, none negative.
    pub sizes: f64,
    /// The sum of squares of amounts.
    pub amount_squares: f64,
    /// The sum of an amount times the size of its unit.
    pub products: f64,
    /// The sum of squares of sizes.
    pub size_squares: f64,
}

impl RatioSums {
    /// Adds a unit.
    pub fn record(&mut self, amount: f64, size: f64) {
        self.amounts += amount;
        self.sizes += size;
        self.amount_squares += amount * amount;
        self.products += amount * size;
        self.size_squares += size * size;
    }

    /// The ratio observed; `None` if all sizes are 0.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.sizes > 0.0).then(|| self.amounts / self.sizes)
    }

    /// The sum of the residuals at a ratio, and the sum of their squares.
    fn residuals(&self, ratio: f64) -> (f64, f64) {
        let sum = self.amounts - ratio * self.sizes;
        let squares = self.amount_squares - 2.0 * ratio * self.products + ratio * ratio * self.size_squares;
        (sum, squares.max(0.0))
    }
}

/// The ratios of means that are not rejected, at all looks together.
///
/// ```
/// use statistics::anytime::{RatioSequence, RatioSums};
///
/// // Of three users, one has two impressions.
/// let mut sums = RatioSums::default();
/// for user in 0..3_000 {
///     let clicks = if user % 4 == 0 { -1.0 } else { 1.0 };
///     sums.record(clicks, if user % 3 == 0 { 2.0 } else { 1.0 });
/// }
/// let (low, high) = RatioSequence::new(1.0, 0.05)?.interval(&sums).unwrap();
/// assert!(low < 0.375 && 0.375 < high && high - low < 0.15);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioSequence {
    cap: f64,
    alpha: f64,
}

impl RatioSequence {
    /// For amounts from -`cap` to `cap`, a bound that was fixed before anything was seen. Intervals at all looks contain the ratio
    /// together with a probability of about 1 - `alpha` or more.
    ///
    /// # Errors
    /// If `cap` is not a positive number, or `alpha` is not in (0, 1).
    pub fn new(cap: f64, alpha: f64) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        if !(cap > 0.0 && cap.is_finite()) {
            return Err(StatisticsError::OutOfRange { what: "the largest amount", value: cap, range: "(0, ∞)" });
        }
        Ok(Self { cap, alpha })
    }

    /// Which part of what an interval needs these sums are; 1 or more if there is one.
    #[must_use]
    pub fn progress(&self, sums: &RatioSums) -> f64 {
        let Some(ratio) = sums.ratio() else { return 0.0 };
        let (_, squares) = sums.residuals(ratio);
        let units = sums.sizes * sums.sizes / sums.size_squares;
        (squares / (LEAST_SQUARES * self.cap * self.cap)).min(units / LEAST_UNITS)
    }

    /// The interval; `None` while the sums are too small for one ([`progress`](Self::progress)).
    #[must_use]
    pub fn interval(&self, sums: &RatioSums) -> Option<(f64, f64)> {
        if self.progress(sums) < 1.0 {
            return None;
        }
        Some((self.end(sums, -1.0)?, self.end(sums, 1.0)?))
    }

    /// Whether a ratio is rejected, however small the sums are.
    #[must_use]
    pub fn rejects(&self, sums: &RatioSums, ratio: f64) -> bool {
        let (sum, squares) = sums.residuals(ratio);
        sum * sum > self.boundary_squared(squares)
    }

    /// The square of the sum that is just not rejected, by the sum of squares.
    fn boundary_squared(&self, squares: f64) -> f64 {
        let tau = TAU * self.cap * self.cap;
        let time = squares + tau;
        time * (libm::log(time / tau) - 2.0 * libm::log(self.alpha))
    }

    /// The nearest rejected ratio on a side, by the sign of that.
    fn end(&self, sums: &RatioSums, side: f64) -> Option<f64> {
        let ratio = sums.ratio()?;
        let (_, squares) = sums.residuals(ratio);
        let ratio_at = |distance: f64| ratio + side * distance;
        let mut outside = libm::sqrt(self.boundary_squared(squares)) / sums.sizes;
        let mut doublings = 0;
        while !self.rejects(sums, ratio_at(outside)) {
            doublings += 1;
            if doublings > DOUBLINGS {
                return None;
            }
            outside *= 2.0;
        }
        let mut inside = 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            if self.rejects(sums, ratio_at(middle)) {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        Some(ratio_at(outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(units: impl IntoIterator<Item = (f64, f64)>) -> RatioSums {
        let mut sums = RatioSums::default();
        units.into_iter().for_each(|(amount, size)| sums.record(amount, size));
        sums
    }

    #[test]
    fn of_a_mean_it_is_the_closed_form() {
        let cap = 2.0;
        let units = 1_000_000;
        let all = sums((0..units).map(|unit| (f64::from(unit % 5) - 2.0, 1.0)));
        let (low, high) = RatioSequence::new(cap, 0.05).unwrap().interval(&all).unwrap();
        // sqrt(2 (t ρ^2 + 1) / (t^2 ρ^2) ln(sqrt(t ρ^2 + 1) / α)) standard deviations.
        let (t, variance) = (f64::from(units), 2.0_f64);
        let rho = variance / (TAU * cap * cap);
        let radius =
            variance.sqrt() * (2.0 * (t * rho + 1.0) / (t * t * rho) * libm::log((t * rho + 1.0).sqrt() / 0.05)).sqrt();
        assert!((high / radius - 1.0).abs() < 1e-4 && (low / radius + 1.0).abs() < 1e-4, "{low} {high} {radius}");
    }

    #[test]
    fn ends_are_where_rejection_begins() {
        let all = sums((0..5_000).map(|unit| (f64::from(unit % 7) - 2.0, f64::from(1 + unit % 3))));
        let sequence = RatioSequence::new(4.0, 0.01).unwrap();
        let (low, high) = sequence.interval(&all).unwrap();
        let ratio = all.ratio().unwrap();
        assert!(low < ratio && ratio < high);
        for (end, side) in [(low, -1.0), (high, 1.0)] {
            let more = 1e-9 * side;
            assert!(sequence.rejects(&all, end + more) && !sequence.rejects(&all, end - more), "{end}");
        }
        // Half of the level is wider, and four times as many units are about half as wide.
        let wider = RatioSequence::new(4.0, 0.005).unwrap().interval(&all).unwrap();
        assert!(wider.0 < low && high < wider.1);
        let four = RatioSums {
            amounts: 4.0 * all.amounts,
            sizes: 4.0 * all.sizes,
            amount_squares: 4.0 * all.amount_squares,
            products: 4.0 * all.products,
            size_squares: 4.0 * all.size_squares,
        };
        let narrower = sequence.interval(&four).unwrap();
        let narrowing = (high - low) / (narrower.1 - narrower.0);
        assert!(1.8 < narrowing && narrowing < 2.1, "{narrowing}");
    }

    #[test]
    fn nothing_is_said_of_few_units() {
        let sequence = RatioSequence::new(5.0, 0.05).unwrap();
        assert_eq!((sequence.progress(&RatioSums::default()), sequence.interval(&RatioSums::default())), (0.0, None));
        let turns = |units: u32| sums((0..units).map(|unit| (f64::from(unit % 2) * 2.0 - 1.0, 1.0)));
        assert!((sequence.progress(&turns(250)) - 0.5).abs() < 1e-9 && sequence.interval(&turns(250)).is_none());
        assert!(sequence.interval(&turns(500)).is_some());
        // One unit has most impressions.
        let mut uneven = turns(2_000);
        uneven.record(0.0, 1_000.0);
        assert!(sequence.progress(&uneven) < 0.1 && sequence.interval(&uneven).is_none());
        assert!(RatioSequence::new(0.0, 0.05).is_err() && RatioSequence::new(1.0, 0.0).is_err());
        assert!(RatioSequence::new(f64::NAN, 0.05).is_err());
    }
}
