//! The paired bootstrap: how a mean difference would vary with other units.
//!
//! ## References
//!
//! B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993,
//! <https://doi.org/10.1201/9780429246593>: percentile intervals (chapter 13), tests by shifted samples (chapter 16).

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::StatisticsError;

/// What the bootstrap says of a mean difference.
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
    if resamples < 100 {
        return Err(StatisticsError::TooFew { what: "resamples", found: resamples, needed: 100 });
    }
    let mean = differences.iter().sum::<f64>() / n as f64;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = || {
        let unit = (u128::from(generator.next_u64()) * n as u128) >> 64;
        differences[unit as usize]
    };
    let mut means: Vec<f64> = (0..resamples).map(|_| (0..n).map(|_| draw()).sum::<f64>() / n as f64).collect();
    means.sort_by(f64::total_cmp);
    let centre = means.iter().sum::<f64>() / resamples as f64;
    let squares: f64 = means.iter().map(|value| (value - centre) * (value - centre)).sum();
    let extreme = means.iter().filter(|value| (*value - mean).abs() >= mean.abs()).count();
    Ok(Bootstrap {
        mean,
        standard_error: libm::sqrt(squares / (resamples - 1) as f64),
        interval: (quantile(&means, alpha / 2.0), quantile(&means, 1.0 - alpha / 2.0)),
        p_value: (extreme + 1) as f64 / (resamples + 1) as f64,
    })
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
    let place = share * (values.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    values[below] + (place - below as f64) * (values[above] - values[below])
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
    fn equal_samples_do_not_differ() {
        let values = [3.0, 4.0, 9.0];
        let found = paired_bootstrap(&values, &values, 0.05, 100, 1).unwrap();
        assert_eq!((found.mean, found.p_value, found.interval), (0.0, 1.0, (0.0, 0.0)));
        assert!(paired_bootstrap(&[1.0], &[2.0], 0.05, 100, 1).is_err());
        assert!(paired_bootstrap(&values, &values, 0.05, 99, 1).is_err());
    }
}
