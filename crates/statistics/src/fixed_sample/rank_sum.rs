//! The rank-sum test for two samples with values that are not paired, e.g. the regret of runs of two
//! algorithms with random streams of their own.
//!
//! Equal values share their mean rank. Without equal values, and for at most 50 values in each sample, the p-value is
//! exact; otherwise it comes from the normal approximation with the correction for equal ranks and without one for
//! continuity.
//!
//! ## References
//!
//! * F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1(6), 1945,
//!   <https://doi.org/10.2307/3001968>.
//! * H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the
//!   Other", Annals of Mathematical Statistics 18(1), 1947, <https://doi.org/10.1214/aoms/1177730491>.
//! * A. Vargha, H. D. Delaney, "A Critique and Improvement of the CL Common Language Effect Size Statistics of McGraw
//!   and Wong", Journal of Educational and Behavioral Statistics 25(2), 2000,
//!   <https://doi.org/10.3102/10769986025002101>: the effect size.

use crate::StatisticsError;
use crate::special_functions::normal_above;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSum {
    /// The share of all pairs of one value of each sample in which the first sample's is larger, equal ones counted by
    /// half: an estimate of P(first > second), 1/2 if neither tends to be larger.
    pub superiority: f64,
    /// The two-sided p-value.
    pub p_value: f64,
    /// Whether it is exact.
    pub exact: bool,
}

/// The largest samples for which the distribution is counted out.
const EXACT: usize = 50;

/// Tests whether one sample tends to have larger values than the other.
///
/// # Errors
/// If a sample is empty, or a value is not finite.
///
/// ```
/// let found = statistics::fixed_sample::rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?;
/// // One of the twenty ways to choose three of six, and its mirror image.
/// assert_eq!((found.superiority, found.p_value, found.exact), (0.0, 0.1, true));
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn rank_sum(first: &[f64], second: &[f64]) -> Result<RankSum, StatisticsError> {
    let (m, n) = (first.len(), second.len());
    if m == 0 || n == 0 {
        return Err(StatisticsError::TooFew { what: "values", found: 0, needed: 1 });
    }
    let mut values: Vec<(f64, bool)> =
        first.iter().map(|&value| (value, true)).chain(second.iter().map(|&value| (value, false))).collect();
    if let Some(&(value, _)) = values.iter().find(|(value, _)| !value.is_finite()) {
        return Err(StatisticsError::OutOfRange { what: "a value", value, range: "finite numbers" });
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks, mut tie_correction, mut rank_before) = (0.0, 0.0, 0);
    for tied in values.chunk_by(|a, b| a.0 == b.0) {
        let size = tied.len() as f64;
        let rank = rank_before as f64 + (size + 1.0) / 2.0;
        ranks += rank * tied.iter().filter(|(_, of_first)| *of_first).count() as f64;
        tie_correction += size * (size * size - 1.0);
        rank_before += tied.len();
    }
    let (m_, n_) = (m as f64, n as f64);
    let larger = ranks - m_ * (m_ + 1.0) / 2.0;
    let exact = tie_correction == 0.0 && m.max(n) <= EXACT;
    let p_value = if exact {
        exact_p(larger as usize, m, n)
    } else {
        let total = m_ + n_;
        let variance = m_ * n_ / 12.0 * (total + 1.0 - tie_correction / (total * (total - 1.0)));
        let z = (larger - m_ * n_ / 2.0) / libm::sqrt(variance);
        // Without any variance all values are equal.
        if variance > 0.0 { (2.0 * normal_above(z.abs())).min(1.0) } else { 1.0 }
    };
    Ok(RankSum { superiority: larger / (m_ * n_), p_value, exact })
}

/// The two-sided p-value if all ways to choose `m` of `m + n` values are equally likely: `larger` is the number of pairs
/// in which the value of the first sample is larger.
fn exact_p(larger: usize, m: usize, n: usize) -> f64 {
    // The number of larger pairs after each value in ascending order, by how many values of the first sample came so
    // far: a value of the first sample is larger than all values of the second before it.
    let max_pairs = m * n;
    let mut ways = vec![vec![0.0; max_pairs + 1]; m + 1];
    ways[0][0] = 1.0;
    for value in 1..=m + n {
        let lowest = value.saturating_sub(n);
        for chosen in (lowest..=m.min(value)).rev() {
            let of_second = value - chosen;
            let probability_of_first = (m - chosen.saturating_sub(1)) as f64 / (m + n + 1 - value) as f64;
            let probability_of_second = (n + 1).saturating_sub(of_second) as f64 / (m + n + 1 - value) as f64;
            let mut next_ways = vec![0.0; max_pairs + 1];
            if of_second >= 1 {
                for (next_ways, count) in next_ways.iter_mut().zip(&ways[chosen]) {
                    *next_ways += probability_of_second * count;
                }
            }
            if chosen >= 1 {
                for (pairs, count) in ways[chosen - 1].iter().enumerate().take(max_pairs + 1 - of_second.min(max_pairs))
                {
                    next_ways[pairs + of_second] += probability_of_first * count;
                }
            }
            ways[chosen] = next_ways;
        }
        if lowest >= 1 {
            ways[lowest - 1].fill(0.0);
        }
    }
    let smaller = larger.min(max_pairs - larger);
    (2.0 * ways[m][..=smaller].iter().sum::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_scipy() {
        // scipy.stats.mannwhitneyu(x, y, use_continuity=False, method=...)
        let x = [19.0, 22.0, 16.0, 29.0, 24.0, 31.5];
        let y = [20.0, 11.0, 17.0, 12.0];
        let found = rank_sum(&x, &y).unwrap();
        assert!(found.exact && (found.superiority - GOLDEN_EXACT.0 / 24.0).abs() < 1e-15, "{found:?}");
        assert!((found.p_value - GOLDEN_EXACT.1).abs() < 1e-14, "{found:?}");
        let x = [1.0, 2.0, 2.0, 3.0, 5.0, 8.0, 8.0];
        let y = [2.0, 4.0, 8.0, 9.0, 9.0, 10.0];
        let found = rank_sum(&x, &y).unwrap();
        assert!(!found.exact && (found.superiority - GOLDEN_NORMAL.0 / 42.0).abs() < 1e-15, "{found:?}");
        assert!((found.p_value - GOLDEN_NORMAL.1).abs() < 1e-14, "{found:?}");
        // Larger samples: 30 and 40 values.
        let x: Vec<f64> = (0..30).map(|i| f64::from(i * 37 % 101) + 0.25).collect();
        let y: Vec<f64> = (0..40).map(|i| f64::from(i * 53 % 103) + 8.5).collect();
        let found = rank_sum(&x, &y).unwrap();
        assert!(found.exact && (found.p_value - GOLDEN_LARGE).abs() < 1e-13, "{found:?}");
    }

    const GOLDEN_EXACT: (f64, f64) = (21.0, 0.066_666_666_666_666_67);
    const GOLDEN_NORMAL: (f64, f64) = (9.0, 0.082_585_039_357_240_17);
    const GOLDEN_LARGE: f64 = 0.341_653_639_703_242_3;

    #[test]
    fn the_order_of_samples_mirrors_the_result() {
        let (x, y) = ([3.0, 9.0, 4.5, 7.0], [1.0, 8.0, 2.0]);
        let (one, other) = (rank_sum(&x, &y).unwrap(), rank_sum(&y, &x).unwrap());
        assert!((one.p_value - other.p_value).abs() < 1e-15);
        assert!((one.superiority + other.superiority - 1.0).abs() < 1e-15);
        let equal = rank_sum(&[2.0; 3], &[2.0; 4]).unwrap();
        assert_eq!((equal.superiority, equal.p_value), (0.5, 1.0));
        assert!(rank_sum(&[], &[1.0]).is_err() && rank_sum(&[f64::INFINITY], &[1.0]).is_err());
    }
}
