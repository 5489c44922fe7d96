//! The bootstrap: how a mean difference would vary with other units, in pairs or in two samples.
//!
//! ## References
//!
//! B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993,
//! <https://doi.org/10.1201/9780429246593>: percentile intervals (chapter 13), tests by shifted samples (chapter 16).

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::StatisticsError;

/// The bootstrap distribution of a mean difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The mean of first minus second.
    pub mean: f64,
    /// The standard deviation of resampled means.
    pub standard_error: f64,
    /// The percentile interval at confidence 1 - alpha.
    pub interval: (f64, f64),
    /// The two-sided p-value of "the mean difference is 0": the share of resampled means, shifted to 0, that are at
    /// least as far from 0 as the mean, counting the sample itself.
    pub p_value: f64,
}

/// Resamples units (pairs of values, one of each side per unit) `resamples` times, with a generator seeded with `seed`:
/// the same seed gives the same result.
///
/// # Errors
/// If the samples differ in length or have fewer than two values, a value is not finite, `alpha` is not in (0, 1), or
/// there are fewer than 100 resamples.
pub fn paired_bootstrap(
    first: &[f64],
    second: &[f64],
    alpha: f64,
    resamples: usize,
    seed: u64,
) -> Result<Bootstrap, StatisticsError> {
    crate::error::check_level(alpha)?;
    let differences = differences(first, second)?;
    let n = differences.len();
    if n < 2 {
        return Err(StatisticsError::TooFew { what: "units", found: n, needed: 2 });
    }
    check_resamples(resamples)?;
    let mean = differences.iter().sum::<f64>() / n as f64;
    let mut draw = UnitSampler::new(seed);
    let means = (0..resamples).map(|_| draw.mean_of(&differences)).collect();
    Ok(Bootstrap::from_means(mean, means, alpha))
}

/// The same for two samples with values that are not paired: each is resampled by itself, and a mean difference is the
/// mean of the first minus that of the second.
///
/// # Errors
/// If a sample has fewer than two values, a value is not finite, `alpha` is not in (0, 1), or there are fewer than 100
/// resamples.
pub fn two_sample_bootstrap(
    first: &[f64],
    second: &[f64],
    alpha: f64,
    resamples: usize,
    seed: u64,
) -> Result<Bootstrap, StatisticsError> {
    crate::error::check_level(alpha)?;
    for sample in [first, second] {
        if sample.len() < 2 {
            return Err(StatisticsError::TooFew { what: "units", found: sample.len(), needed: 2 });
        }
        if let Some(&value) = sample.iter().find(|value| !value.is_finite()) {
            return Err(StatisticsError::OutOfRange { what: "a value", value, range: "finite numbers" });
        }
    }
    check_resamples(resamples)?;
    let mean = |sample: &[f64]| sample.iter().sum::<f64>() / sample.len() as f64;
    let mut draw = UnitSampler::new(seed);
    let means = (0..resamples).map(|_| draw.mean_of(first) - draw.mean_of(second)).collect();
    Ok(Bootstrap::from_means(mean(first) - mean(second), means, alpha))
}

pub(super) fn check_resamples(resamples: usize) -> Result<(), StatisticsError> {
    let error = StatisticsError::TooFew { what: "resamples", found: resamples, needed: 100 };
    (resamples >= 100).then_some(()).ok_or(error)
}

/// Draws units with replacement.
struct UnitSampler(Xoshiro256PlusPlus);

impl UnitSampler {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The mean of as many values as there are, drawn with replacement.
    fn mean_of(&mut self, values: &[f64]) -> f64 {
        let n = values.len();
        let draws = (0..n).map(|_| values[((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize]);
        draws.sum::<f64>() / n as f64
    }
}

impl Bootstrap {
    /// From the mean difference and those of the resamples.
    fn from_means(mean: f64, mut means: Vec<f64>, alpha: f64) -> Self {
        means.sort_by(f64::total_cmp);
        let resamples = means.len();
        let centre = means.iter().sum::<f64>() / resamples as f64;
        let squares: f64 = means.iter().map(|value| (value - centre) * (value - centre)).sum();
        let extreme = means.iter().filter(|value| (*value - mean).abs() >= mean.abs()).count();
        Self {
            mean,
            standard_error: libm::sqrt(squares / (resamples - 1) as f64),
            interval: (quantile(&means, alpha / 2.0), quantile(&means, 1.0 - alpha / 2.0)),
            p_value: (extreme + 1) as f64 / (resamples + 1) as f64,
        }
    }
}

/// first[i] - second[i].
pub(super) fn differences(first: &[f64], second: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if first.len() != second.len() {
        return Err(StatisticsError::UnequalLengths { first: first.len(), second: second.len() });
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    match differences.iter().find(|difference| !difference.is_finite()) {
        Some(&value) => {
            Err(StatisticsError::OutOfRange { what: "the difference of a unit", value, range: "finite numbers" })
        }
        None => Ok(differences),
    }
}

/// The quantile of rising values, between the two nearest.
fn quantile(values: &[f64], share: f64) -> f64 {
    let rank = share * (values.len() - 1) as f64;
    let lower = rank.floor() as usize;
    let upper = (lower + 1).min(values.len() - 1);
    values[lower] + (rank - lower as f64) * (values[upper] - values[lower])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_that_of_a_mean() {
        let first: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 101)).collect();
        let second = vec![48.0; 400];
        let found = paired_bootstrap(&first, &second, 0.05, 4_000, 1).unwrap();
        let mean = first.iter().sum::<f64>() / 400.0 - 48.0;
        let variance = first.iter().map(|x| (x - 48.0 - mean).powi(2)).sum::<f64>() / 400.0;
        let expected = (variance / 400.0).sqrt();
        // The standard deviation of 4,000 resampled means has a relative error of 1 / sqrt(8,000); five of them.
        assert!((found.standard_error / expected - 1.0).abs() < 5.0 / 8_000_f64.sqrt(), "{found:?}, {expected}");
        let half = 0.5 * (found.interval.1 - found.interval.0);
        assert!((half / (1.96 * expected) - 1.0).abs() < 0.06, "{found:?}");
        assert_eq!(found, paired_bootstrap(&first, &second, 0.05, 4_000, 1).unwrap());
        assert_ne!(found, paired_bootstrap(&first, &second, 0.05, 4_000, 2).unwrap());
    }

    #[test]
    fn two_samples_add_their_variances() {
        let first: Vec<f64> = (0..300).map(|i| f64::from(i * 37 % 101)).collect();
        let second: Vec<f64> = (0..200).map(|i| 0.5 * f64::from(i * 53 % 103)).collect();
        let found = two_sample_bootstrap(&first, &second, 0.05, 4_000, 1).unwrap();
        let moments = |values: &[f64]| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n / n)
        };
        let ((a, va), (b, vb)) = (moments(&first), moments(&second));
        let expected = (va + vb).sqrt();
        assert!((found.mean - (a - b)).abs() < 1e-12);
        assert!((found.standard_error / expected - 1.0).abs() < 5.0 / 8_000_f64.sqrt(), "{found:?}, {expected}");
        assert!(found.interval.0 < a - b && a - b < found.interval.1 && found.p_value < 0.001, "{found:?}");
        assert!(two_sample_bootstrap(&first, &[1.0], 0.05, 100, 1).is_err());
        assert!(two_sample_bootstrap(&first, &[1.0, f64::NAN], 0.05, 100, 1).is_err());
    }

    #[test]
    fn equal_samples_do_not_differ() {
        let values = [3.0, 4.0, 9.0];
        let found = paired_bootstrap(&values, &values, 0.05, 100, 1).unwrap();
        assert_eq!((found.mean, found.p_value, found.interval), (0.0, 1.0, (0.0, 0.0)));
        assert!(paired_bootstrap(&[1.0], &[2.0], 0.05, 100, 1).is_err());
        assert!(paired_bootstrap(&values, &values, 0.05, 99, 1).is_err());
    }
}
