//! Student's t-test for paired values, e.g. a measure per query of two rankers.
//!
//! It tests means, which is what tables of measures show. With tens of queries or more it keeps its level for the skewed
//! differences of such measures, and among the usual tests it decides most often.
//!
//! ## References
//!
//! Student, "The Probable Error of a Mean", Biometrika 6(1), 1908, <https://doi.org/10.2307/2331554>;
//! J. Urbano, H. Lima, A. Hanjalic, "Statistical Significance Testing in Information Retrieval: An Empirical Analysis of Type
//! I, Type II and Type III Errors", SIGIR 2019, <https://doi.org/10.1145/3331184.3331259>.

use crate::StatisticsError;
use crate::special_functions::{student_outside, student_quantile};

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// The mean of the differences, first minus second.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// The mean in standard errors; 0 if all differences are 0, infinite if all are the same other number.
    pub t: f64,
    /// The degrees of freedom: one less than the pairs.
    pub degrees_of_freedom: usize,
    /// The two-sided p-value.
    pub p_value: f64,
}

impl PairedT {
    /// The interval of the mean difference at confidence 1 - `alpha`. It contains 0 exactly if the p-value is above `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn interval(&self, alpha: f64) -> Result<(f64, f64), StatisticsError> {
        interval(self.mean, self.standard_error, self.degrees_of_freedom, alpha)
    }
}

/// The interval of an estimate at confidence 1 - `alpha`, by Student's distribution.
pub(super) fn interval(
    value: f64,
    standard_error: f64,
    degrees_of_freedom: usize,
    alpha: f64,
) -> Result<(f64, f64), StatisticsError> {
    crate::error::check_level(alpha)?;
    let half_width = standard_error * student_quantile(alpha, degrees_of_freedom as f64);
    Ok((value - half_width, value + half_width))
}

/// Tests whether the mean of the differences `first[i] - second[i]` is 0.
///
/// # Errors
/// If the samples differ in length or have fewer than two values, or a value is not finite.
///
/// ```
/// let found = statistics::fixed_sample::paired_t_test(&[0.42, 0.13, 0.77, 0.5], &[0.40, 0.25, 0.70, 0.5])?;
/// assert!((found.p_value - 0.8642).abs() < 1e-4);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Result<PairedT, StatisticsError> {
    let differences = super::bootstrap::differences(first, second)?;
    let n = differences.len();
    if n < 2 {
        return Err(StatisticsError::TooFew { what: "pairs of values", found: n, needed: 2 });
    }
    let mean = differences.iter().sum::<f64>() / n as f64;
    let squares: f64 = differences.iter().map(|difference| (difference - mean) * (difference - mean)).sum();
    let standard_error = libm::sqrt(squares / (n - 1) as f64 / n as f64);
    let t = if mean == 0.0 { 0.0 } else { mean / standard_error };
    Ok(PairedT { mean, standard_error, t, degrees_of_freedom: n - 1, p_value: student_outside(t, (n - 1) as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1e-3), "{found}, expected {expected}");
    }

    #[test]
    fn equals_scipy() {
        // scipy.stats.ttest_rel(x, y), and its confidence_interval(1 - alpha)
        let x = [0.42, 0.13, 0.77, 0.5, 0.91, 0.0, 0.33];
        let y = [0.40, 0.25, 0.70, 0.5, 0.60, 0.1, 0.2];
        let found = paired_t_test(&x, &y).unwrap();
        close(found.t, 0.799_174_363_496_369_6);
        close(found.p_value, 0.454_653_775_810_864_8);
        let (low, high) = found.interval(0.05).unwrap();
        close(low, -0.091_308_273_799_749_43);
        close(high, 0.179_879_702_371_178);
        let x: Vec<f64> = (0..100).map(|i| f64::from(7 * i % 100) / 100.0).collect();
        let y: Vec<f64> = (0..100).map(|i| f64::from((37 * i + 11) % 100) / 100.0 * 0.9).collect();
        let found = paired_t_test(&x, &y).unwrap();
        close(found.t, 1.252_441_103_270_050_9);
        close(found.p_value, 0.213_359_738_958_183_7);
        let (low, high) = found.interval(0.01).unwrap();
        close(low, -0.054_302_941_149_056_85);
        close(high, 0.153_302_941_149_056_85);
        // One degree of freedom: Cauchy's distribution.
        let found = paired_t_test(&[1.0, 2.0], &[0.0, 5.0]).unwrap();
        close(found.p_value, 0.704_832_764_699_133_5);
        close(found.interval(0.05).unwrap().1, 24.412_409_472_349_39);
    }

    #[test]
    fn far_tails_are_small_and_not_lost() {
        let x: Vec<f64> = (0..400).map(|i| 1.0 + f64::from(i % 2)).collect();
        let found = paired_t_test(&x, &[0.0; 400]).unwrap();
        assert!(found.t > 59.0 && found.p_value > 0.0 && found.p_value < 1e-190, "{found:?}");
    }

    #[test]
    fn constant_differences_are_certain_and_none_is_no_evidence() {
        let same = paired_t_test(&[0.25, 0.5], &[0.25, 0.5]).unwrap();
        assert_eq!((same.t, same.p_value, same.interval(0.05).unwrap()), (0.0, 1.0, (0.0, 0.0)));
        let one = paired_t_test(&[1.0, 2.0, 3.0], &[0.5, 1.5, 2.5]).unwrap();
        assert_eq!((one.mean, one.standard_error, one.p_value), (0.5, 0.0, 0.0));
        assert!(paired_t_test(&[1.0], &[2.0]).is_err() && paired_t_test(&[1.0, 2.0], &[2.0]).is_err());
        assert!(paired_t_test(&[f64::NAN, 1.0], &[1.0, 2.0]).is_err() && one.interval(1.0).is_err());
    }
}
