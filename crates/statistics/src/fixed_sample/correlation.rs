//! Pearson's correlation with Fisher's interval.
//!
//! The interval is approximate, and for pairs from a bivariate normal distribution.
//!
//! ## References
//!
//! R. A. Fisher, "On the 'Probable Error' of a Coefficient of Correlation Deduced from a Small Sample", Metron 1, 1921.

use super::bootstrap::differences;
use crate::StatisticsError;
use crate::special_functions::normal_quantile;

/// The correlation of two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// Pearson's coefficient, from -1 to 1.
    pub pearson: f64,
    /// The number of pairs, at least 3.
    pub pairs: usize,
}

impl Correlation {
    /// The interval by Fisher's z at confidence 1 - `alpha`. `None` for three pairs: their z has no finite variance.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn interval(&self, alpha: f64) -> Result<Option<(f64, f64)>, StatisticsError> {
        crate::error::check_level(alpha)?;
        if self.pairs < 4 {
            return Ok(None);
        }
        let reach = -normal_quantile(alpha / 2.0) / libm::sqrt((self.pairs - 3) as f64);
        let z = libm::atanh(self.pearson);
        Ok(Some((libm::tanh(z - reach), libm::tanh(z + reach))))
    }
}

/// Pearson's correlation of `first[i]` and `second[i]`.
///
/// # Errors
/// If the samples differ in length or have fewer than three values, all values of one are equal, or a value is not finite.
///
/// ```
/// let found = statistics::fixed_sample::correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0])?;
/// assert!((found.pearson - 0.8).abs() < 1e-15);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn correlation(first: &[f64], second: &[f64]) -> Result<Correlation, StatisticsError> {
    let pairs = differences(first, second)?.len();
    if pairs < 3 {
        return Err(StatisticsError::TooFew { what: "pairs of values", found: pairs, needed: 3 });
    }
    let [first, second] = [standardized(first)?, standardized(second)?];
    let pearson = first.iter().zip(&second).map(|(a, b)| a * b).sum::<f64>();
    Ok(Correlation { pearson: pearson.clamp(-1.0, 1.0), pairs })
}

/// Differences from the mean, scaled so that their squares add up to 1.
fn standardized(values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    // Scaled first, so that no square overflows or vanishes.
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if values.iter().all(|value| *value == values[0]) {
        return Err(StatisticsError::AllEqual { what: "values of a sample", value: values[0] });
    }
    let mean = values.iter().map(|value| value / largest).sum::<f64>() / values.len() as f64;
    let from_mean: Vec<f64> = values.iter().map(|value| value / largest - mean).collect();
    let norm = libm::sqrt(from_mean.iter().map(|value| value * value).sum());
    Ok(from_mean.into_iter().map(|value| value / norm).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_scipy() {
        // scipy.stats.pearsonr(x, y), and its confidence_interval(1 - alpha)
        let x = [0.02, -0.01, 0.035, 0.005, -0.02, 0.012, 0.05, -0.004, 0.028, 0.001];
        let y = [0.9, -0.1, 1.2, -0.2, -0.7, 0.4, 1.9, 0.3, 0.8, 0.1];
        let found = correlation(&x, &y).unwrap();
        assert!((found.pearson - GOLDEN[0]).abs() < 1e-13, "{found:?}");
        for (alpha, low, high) in [(0.05, GOLDEN[1], GOLDEN[2]), (0.01, GOLDEN[3], GOLDEN[4])] {
            let interval = found.interval(alpha).unwrap().unwrap();
            assert!((interval.0 - low).abs() < 1e-12 && (interval.1 - high).abs() < 1e-12, "{interval:?}");
        }
        let large = correlation(&x, &y.map(|value| value * 1e300)).unwrap();
        assert!((large.pearson - found.pearson).abs() < 1e-13);
    }

    const GOLDEN: [f64; 5] =
        [0.9545052141421225, 0.81419529252304, 0.9894751618061095, 0.7194844676581449, 0.9933796500365332];

    #[test]
    fn a_line_is_certain_and_a_constant_has_no_correlation() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let found = correlation(&x, &x.map(|value| 3.0 - value)).unwrap();
        assert!((found.pearson + 1.0).abs() < 1e-15, "{found:?}");
        let certain = Correlation { pearson: -1.0, pairs: 4 };
        assert_eq!(certain.interval(0.05).unwrap(), Some((-1.0, -1.0)));
        assert_eq!(correlation(&x[..3], &[1.0, 1.0, 2.0]).unwrap().interval(0.05).unwrap(), None);
        assert!(correlation(&x, &[0.5; 4]).is_err() && correlation(&x[..2], &[1.0, 2.0]).is_err());
        assert!(correlation(&x, &x[1..]).is_err() && certain.interval(0.0).is_err());
        assert!(correlation(&x, &[1.0, f64::NAN, 2.0, 3.0]).is_err());
    }
}
