//! Which differences of strengths are significant, all pairs together, at one look.
//!
//! The largest of all |difference| / standard error has a distribution that follows from the covariances. Pairs beyond
//! its quantile differ; the probability that any pair is wrong is at most alpha, for one look at a sample with pairs
//! that were not chosen by its outcomes.
//!
//! ## References
//!
//! * T. Hothorn, F. Bretz, P. Westfall, "Simultaneous Inference in General Parametric Models", Biometrical Journal 50(3),
//!   2008, <https://doi.org/10.1002/bimj.200810425>: quantiles of the maximum.
//! * M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for Ranks with Applications to Mobility across
//!   Neighbourhoods and Academic Achievement across Countries", Review of Economic Studies 91(1), 2024,
//!   <https://doi.org/10.1093/restud/rdad006>: ranks from simultaneous differences.

use crate::special_functions::{Normals, normal_quantile, student_quantile};
use crate::{StatisticsError, matrix};

/// Draws times pairs that are simulated; 4,000 draws of some 700 strengths.
const MOST_WORK: usize = 1_000_000_000;

/// Simultaneous tests of all differences of strengths.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxT {
    strengths: Vec<f64>,
    /// Row by row: the standard error of each difference.
    errors: Vec<f64>,
    quantile: f64,
}

impl MaxT {
    /// From estimates and their covariances, row by row. With `freedom` degrees of freedom (the number of clusters less
    /// one, say), the quantile is that of a multivariate t distribution. The quantile is simulated with fixed draws; with two strengths,
    /// and with so many that draws would take seconds, it is that of Bonferroni's inequality.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1), or there are fewer than two strengths.
    ///
    /// # Panics
    /// If the covariances do not have one row and column per strength.
    pub fn new(
        strengths: &[f64],
        covariance: &[f64],
        freedom: Option<u64>,
        alpha: f64,
    ) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        let arms = strengths.len();
        if arms < 2 {
            return Err(StatisticsError::TooFew { what: "strengths", found: arms, needed: 2 });
        }
        assert_eq!(covariance.len(), arms * arms, "one row and column per strength");
        let variance =
            |i: usize, j: usize| covariance[i * arms + i] + covariance[j * arms + j] - 2.0 * covariance[i * arms + j];
        let errors: Vec<f64> = (0..arms * arms).map(|at| libm::sqrt(variance(at / arms, at % arms).max(0.0))).collect();
        // A common shift changes no difference, and makes the matrix positive definite.
        let shift = (0..arms).map(|k| covariance[k * arms + k]).sum::<f64>() / arms as f64;
        let shifted: Vec<f64> = covariance.iter().map(|value| value + shift).collect();
        let factor = matrix::Cholesky::forced(&shifted, arms);
        let count = (200.0 / alpha).max(4_000.0) as usize;
        let pairs = arms * (arms - 1) / 2;
        if pairs == 1 || count.saturating_mul(pairs) > MOST_WORK {
            let alpha_of_pair = alpha / pairs as f64;
            let freedom = freedom.filter(|freedom| *freedom > 0);
            let quantile = freedom.map_or_else(
                || -normal_quantile(alpha_of_pair / 2.0),
                |freedom| student_quantile(alpha_of_pair, freedom as f64),
            );
            return Ok(Self { strengths: strengths.to_vec(), errors, quantile });
        }
        let mut draws = Normals::from_seed(0x6d61_785f);
        let inverse_errors: Vec<f64> =
            errors.iter().map(|error| if *error > 0.0 { 1.0 / error } else { 0.0 }).collect();
        let mut largest: Vec<f64> = (0..count)
            .map(|_| {
                let scale = freedom
                    .filter(|freedom| *freedom > 0)
                    .map_or(1.0, |freedom| libm::sqrt(freedom as f64 / draws.chi_squared(freedom)));
                let strengths_drawn = factor.correlate(&draws.normals(arms));
                let mut largest_z = 0.0_f64;
                for i in 1..arms {
                    for j in 0..i {
                        largest_z = largest_z
                            .max((strengths_drawn[i] - strengths_drawn[j]).abs() * inverse_errors[i * arms + j]);
                    }
                }
                scale * largest_z
            })
            .collect();
        largest.sort_by(f64::total_cmp);
        let quantile = largest[((count as f64 * (1.0 - alpha)) as usize).min(count - 1)];
        Ok(Self { strengths: strengths.to_vec(), errors, quantile })
    }

    /// How many standard errors a difference must exceed.
    #[must_use]
    pub fn quantile(&self) -> f64 {
        self.quantile
    }

    /// The difference of two strengths, first minus second, and its standard error.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn difference(&self, first: usize, second: usize) -> (f64, f64) {
        (self.strengths[first] - self.strengths[second], self.errors[first * self.strengths.len() + second])
    }

    /// Whether `first` is significantly stronger than `second`.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn is_stronger(&self, first: usize, second: usize) -> bool {
        let (difference, error) = self.difference(first, second);
        difference > self.quantile * error
    }

    /// The best and the worst rank, from 1, that the differences allow `arm`: simultaneous for all arms.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn ranks(&self, arm: usize) -> (usize, usize) {
        let arms = self.strengths.len();
        let rivals = || (0..arms).filter(|other| *other != arm);
        let stronger = rivals().filter(|other| self.is_stronger(*other, arm)).count();
        let weaker = rivals().filter(|other| self.is_stronger(arm, *other)).count();
        (1 + stronger, arms - weaker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Independent estimates with the same error: the quantiles of Tukey's studentised range, divided by sqrt(2).
    #[test]
    fn quantiles_are_those_of_the_studentised_range() {
        // scipy.stats.studentized_range.ppf(0.95, k, df) / sqrt(2)
        for (arms, freedom, expected) in [(3, None, 2.3437), (10, None, 3.1638), (3, Some(10), 2.7413)] {
            let covariance: Vec<f64> =
                (0..arms * arms).map(|at| if at / arms == at % arms { 0.3 } else { 0.0 }).collect();
            let test = MaxT::new(&vec![0.0; arms], &covariance, freedom, 0.05).unwrap();
            // The density at the quantile is about .1, so that 4,000 draws give it to .035.
            assert!((test.quantile() - expected).abs() < 0.1, "{arms}: {} {expected}", test.quantile());
        }
    }

    #[test]
    fn ranks_count_significant_differences() {
        let covariance = [0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01];
        let test = MaxT::new(&[1.0, 0.9, -1.9], &covariance, None, 0.05).unwrap();
        assert_eq!([0, 1, 2].map(|arm| test.ranks(arm)), [(1, 2), (1, 2), (3, 3)]);
        assert!(
            MaxT::new(&[1.0], &[1.0], None, 0.05).is_err() && MaxT::new(&[1.0, 0.0], &[1.0; 4], None, 1.0).is_err()
        );
    }
}
