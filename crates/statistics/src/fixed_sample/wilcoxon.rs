//! Wilcoxon's signed-rank test for paired values, e.g. a measure per query of two rankers.
//!
//! Differences of 0 are left out; equal differences share their mean rank. Without equal differences, and for at most
//! 50 of them, the p-value is exact; otherwise it comes from the normal approximation with the correction for equal
//! ranks and without one for continuity.
//!
//! ## References
//!
//! F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1(6), 1945,
//! <https://doi.org/10.2307/3001968>.

use crate::StatisticsError;
use crate::special_functions::normal_above;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRank {
    /// The sum of the ranks of positive differences (first minus second).
    pub positive_ranks: f64,
    /// The number of differences that are not 0.
    pub used: usize,
    /// The two-sided p-value.
    pub p_value: f64,
    /// Whether it is exact.
    pub exact: bool,
}

impl SignedRank {
    /// By how much the ranks of positive differences exceed their expectation: above 0 if the ranks speak for the first.
    #[must_use]
    pub fn excess(&self) -> f64 {
        let used = self.used as f64;
        self.positive_ranks - used * (used + 1.0) / 4.0
    }
}

/// The most differences for which the distribution is counted out.
const EXACT: usize = 50;

/// Tests whether the differences `first[i] - second[i]` are symmetric around 0.
///
/// # Errors
/// If the samples differ in length, or a value is not finite.
pub fn wilcoxon_signed_rank(first: &[f64], second: &[f64]) -> Result<SignedRank, StatisticsError> {
    let mut differences = super::bootstrap::differences(first, second)?;
    differences.retain(|difference| *difference != 0.0);
    differences.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let used = differences.len();
    if used == 0 {
        return Ok(SignedRank { positive_ranks: 0.0, used, p_value: 1.0, exact: true });
    }
    let (mut positive_ranks, mut equal) = (0.0, 0.0);
    let mut rank_before = 0;
    for tied in differences.chunk_by(|a, b| a.abs() == b.abs()) {
        let size = tied.len() as f64;
        let rank = rank_before as f64 + (size + 1.0) / 2.0;
        positive_ranks += rank * tied.iter().filter(|difference| **difference > 0.0).count() as f64;
        equal += size * (size * size - 1.0);
        rank_before += tied.len();
    }
    let n = used as f64;
    let exact = equal == 0.0 && used <= EXACT;
    let p_value = if exact {
        exact_p(positive_ranks as usize, used)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - equal / 48.0;
        let z = (positive_ranks - n * (n + 1.0) / 4.0) / libm::sqrt(variance);
        (2.0 * normal_above(z.abs())).min(1.0)
    };
    Ok(SignedRank { positive_ranks, used, p_value, exact })
}

/// The two-sided p-value when all signs of the ranks 1 to `n` are equally likely.
fn exact_p(positive: usize, n: usize) -> f64 {
    let max_sum = n * (n + 1) / 2;
    // Probabilities of the sum of the first ranks; each rank is in it with probability 1/2.
    let mut probability = vec![0.0; max_sum + 1];
    probability[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..=max_sum).rev() {
            let with_rank = if sum >= rank { probability[sum - rank] } else { 0.0 };
            probability[sum] = 0.5 * (probability[sum] + with_rank);
        }
    }
    let smaller = positive.min(max_sum - positive);
    (2.0 * probability[..=smaller].iter().sum::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_scipy() {
        // scipy.stats.wilcoxon(x, y, correction=False, method=...)
        let x = [125.0, 115.0, 130.0, 140.0, 140.5, 115.5, 140.2, 125.9, 140.7, 135.0];
        let y = [110.0, 122.0, 125.3, 120.0, 140.0, 124.0, 123.1, 137.0, 135.2, 145.9];
        let found = wilcoxon_signed_rank(&x, &y).unwrap();
        assert!(found.exact && found.used == 10, "{found:?}");
        assert!((found.p_value - GOLDEN_EXACT).abs() < 1e-13, "{found:?}");
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0];
        let y = [2.0, 2.0, 1.0, 1.0, 4.0, 7.0, 3.0, 6.0, 9.0, 7.0, 9.0, 8.0];
        let found = wilcoxon_signed_rank(&x, &y).unwrap();
        assert!(!found.exact && found.used == 10, "{found:?}");
        assert!((found.p_value - GOLDEN_NORMAL).abs() < 1e-13, "{found:?}");
    }

    const GOLDEN_EXACT: f64 = 0.625;
    const GOLDEN_NORMAL: f64 = 0.015906705657373472;

    #[test]
    fn no_difference_is_no_evidence() {
        assert_eq!(wilcoxon_signed_rank(&[1.0, 2.0], &[1.0, 2.0]).unwrap().p_value, 1.0);
        assert!(wilcoxon_signed_rank(&[1.0], &[1.0, 2.0]).is_err());
        assert!(wilcoxon_signed_rank(&[f64::NAN], &[1.0]).is_err());
    }
}
