//! A confidence sequence for the running mean of bounded values, whatever their distributions.
//!
//! For values X_i in [low, high], c = high - low, predictions Y_i made before X_i, and conditional means m_i given the
//! past, exp(λ Σ (X_i - m_i) - ψ(λ) Σ (X_i - Y_i)^2) with ψ(λ) = (-ln(1 - c λ) - c λ) / c^2 is a supermartingale for
//! each λ in [0, 1 / c). A mixture over a fixed grid of λ is one too, so that Ville's inequality bounds Σ (X_i - m_i) at
//! all times together, from either side. Values may depend on the past and their means may drift: the interval is for
//! the mean of m_1, ..., m_n.
//!
//! ## References
//!
//! S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences",
//! Annals of Statistics 49(2), 2021, <https://doi.org/10.1214/20-AOS1991>: the empirical Bernstein supermartingale
//! (theorem 4) and discrete mixtures.

use crate::StatisticsError;

/// The number of λ in the mixture.
const GRID: usize = 48;
/// Each λ is this share of the one before; the largest is this share of 1 / c.
const RATIO: f64 = 0.7;

/// A running mean with a confidence sequence.
///
/// ```
/// use statistics::anytime::RunningMean;
///
/// let mut net = RunningMean::new(-1.0, 1.0, 0.05)?;
/// for unit in 0..400 {
///     net.record(if unit % 4 == 0 { -1.0 } else { 1.0 })?;
/// }
/// let (low, high) = net.interval();
/// assert_eq!(net.mean(), Some(0.5));
/// assert!(0.25 < low && low < 0.5 && 0.5 < high && high < 0.75);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RunningMean {
    low: f64,
    high: f64,
    alpha: f64,
    count: u64,
    sum: f64,
    /// Σ (X_i - Y_i)^2, where Y_i is the mean of the values before, or the middle of the range.
    variation: f64,
    mixture: Box<[Component; GRID]>,
}

impl RunningMean {
    /// For values from `low` to `high`; the intervals at all times contain the running mean together with probability
    /// at least 1 - `alpha`.
    ///
    /// # Errors
    /// If `low` is not below `high`, or `alpha` is not in (0, 1).
    pub fn new(low: f64, high: f64, alpha: f64) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        if !(low < high && low.is_finite() && high.is_finite()) {
            return Err(StatisticsError::OutOfRange {
                what: "the lower end of the values",
                value: low,
                range: "finite values below the upper end",
            });
        }
        let mixture = Box::new(mixture(high - low));
        Ok(Self { low, high, alpha, count: 0, sum: 0.0, variation: 0.0, mixture })
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If it is not between the two ends; then nothing changes.
    pub fn record(&mut self, value: f64) -> Result<(), StatisticsError> {
        if !(self.low <= value && value <= self.high) {
            return Err(StatisticsError::OutOfRange {
                what: "a value",
                value,
                range: "the range given at the beginning",
            });
        }
        let predicted = self.mean().unwrap_or(0.5 * (self.low + self.high));
        self.variation += (value - predicted) * (value - predicted);
        self.sum += value;
        self.count += 1;
        Ok(())
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of the values so far, if there are any.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The interval for the mean of the conditional means so far; the full range before any value.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        let Some(mean) = self.mean() else { return (self.low, self.high) };
        let radius = boundary(&self.mixture, self.variation, self.alpha / 2.0) / self.count as f64;
        ((mean - radius).max(self.low), (mean + radius).min(self.high))
    }
}

/// One λ of the mixture: λ, ψ(λ) and the logarithm of its weight.
#[derive(Debug, Clone, Copy)]
struct Component {
    lambda: f64,
    psi: f64,
    ln_weight: f64,
}

/// The mixture for values in a range of length `range`.
fn mixture(range: f64) -> [Component; GRID] {
    std::array::from_fn(|k| {
        let exponent = (k + 1) as f64;
        let scaled = libm::pow(RATIO, exponent);
        Component {
            lambda: scaled / range,
            psi: (-libm::log1p(-scaled) - scaled) / (range * range),
            // 1 / (k (k + 1)) adds up to less than 1.
            ln_weight: -libm::log(exponent * (exponent + 1.0)),
        }
    })
}

/// The smallest s with Σ_k w_k exp(λ_k s - ψ(λ_k) v) >= 1 / alpha.
fn boundary(mixture: &[Component; GRID], variation: f64, alpha: f64) -> f64 {
    let target = -libm::log(alpha);
    let offsets = mixture.map(|term| term.ln_weight - term.psi * variation);
    // Each part alone reaches the target no sooner than all together.
    let single_bounds = mixture.iter().zip(&offsets).map(|(term, offset)| (target - offset) / term.lambda);
    let mut s = single_bounds.fold(f64::INFINITY, f64::min);
    // The logarithm of the sum is convex and rising: Newton's method descends to the solution.
    for _ in 0..50 {
        let exponents = || mixture.iter().zip(&offsets).map(|(term, offset)| (term.lambda, offset + term.lambda * s));
        let largest_exponent = exponents().map(|(_, exponent)| exponent).fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut slope) = (0.0, 0.0);
        // What is 40 below the largest changes no digit.
        for (lambda, exponent) in exponents().filter(|(_, exponent)| *exponent > largest_exponent - 40.0) {
            let term = libm::exp(exponent - largest_exponent);
            total += term;
            slope += lambda * term;
        }
        let step = (largest_exponent + libm::log(total) - target) * total / slope;
        s -= step;
        if step.abs() <= 1e-12 * s {
            break;
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_is_where_the_mixture_reaches_its_level() {
        for (variation, range, alpha) in [(0.0, 1.0, 0.05), (3.0, 1.0, 0.025), (1e4, 2.0, 0.025), (1e8, 2.0, 0.001)] {
            let s = boundary(&mixture(range), variation, alpha);
            let sum: f64 = (1..=GRID as i32)
                .map(|k| {
                    let lambda = RATIO.powi(k) / range;
                    let psi = (-libm::log1p(-range * lambda) - range * lambda) / (range * range);
                    libm::exp(lambda * s - psi * variation) / f64::from(k * (k + 1))
                })
                .sum();
            assert!((sum * alpha - 1.0).abs() < 1e-6, "{variation} {range} {alpha}: {sum}");
        }
    }

    #[test]
    fn the_interval_narrows_as_the_root_of_the_count() {
        let width = |n: u64| {
            let mut mean = RunningMean::new(0.0, 1.0, 0.05).unwrap();
            (0..n).for_each(|i| mean.record((i % 2) as f64).unwrap());
            let (low, high) = mean.interval();
            high - low
        };
        // The law of the iterated logarithm takes a little more than a fixed sample's 2 * 1.96 * 0.5 / sqrt(n).
        for n in [1_000, 100_000] {
            let ratio = width(n) / (1.96 / (n as f64).sqrt());
            assert!(1.0 < ratio && ratio < 2.2, "{n}: {ratio}");
        }
    }

    #[test]
    fn values_out_of_range_change_nothing() {
        let mut mean = RunningMean::new(0.0, 1.0, 0.05).unwrap();
        assert_eq!(mean.interval(), (0.0, 1.0));
        assert!(mean.record(1.5).is_err() && mean.record(f64::NAN).is_err());
        assert_eq!((mean.count(), mean.mean()), (0, None));
        assert!(RunningMean::new(1.0, 1.0, 0.05).is_err() && RunningMean::new(0.0, 1.0, 1.0).is_err());
    }
}
