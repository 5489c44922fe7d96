//! The sign test and an interval for its share.

use crate::special_functions::binomial_at_least;
use crate::{Counts, StatisticsError};

/// The exact two-sided p-value of "wins and losses are equally likely"; ties do not count. 1 without decided units.
///
/// Twice the smaller tail of the binomial distribution, at most 1.
#[must_use]
pub fn sign_test(counts: Counts) -> f64 {
    let larger = counts.wins.max(counts.losses);
    (2.0 * binomial_at_least(larger, counts.decided(), 0.5)).min(1.0)
}

/// The exact interval of Clopper and Pearson for the share of wins among the decided units, at confidence 1 - `alpha`: the
/// shares that neither tail of the binomial distribution rejects at `alpha` / 2. So it contains 1/2 exactly if
/// [`sign_test`] is above `alpha`.
///
/// C. J. Clopper, E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
/// Biometrika 26(4), 1934, <https://doi.org/10.1093/biomet/26.4.404>.
///
/// # Errors
/// If `alpha` is not in (0, 1), or no unit is decided.
pub fn exact_interval(counts: Counts, alpha: f64) -> Result<(f64, f64), StatisticsError> {
    crate::error::check_level(alpha)?;
    if counts.decided() == 0 {
        return Err(StatisticsError::TooFew { what: "decided units", found: 0, needed: 1 });
    }
    let lower = |wins: u64| lower_bound(wins, counts.decided(), alpha / 2.0);
    Ok((lower(counts.wins), 1.0 - lower(counts.losses)))
}

/// The share with which at least `wins` of `n` units are won with probability `tail`.
fn lower_bound(wins: u64, n: u64, tail: f64) -> f64 {
    if wins == 0 {
        return 0.0;
    }
    // The middle of the first step is 1/2, where the sign test looks: rounding makes no difference between the two.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let share = 0.5 * (low + high);
        if binomial_at_least(wins, n, share) <= tail { low = share } else { high = share }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_scipy_and_statsmodels() {
        // scipy.stats.binomtest(w, w + l, 0.5).pvalue
        let golden = [
            (9, 1, 0.021484375),
            (60, 40, 0.05688793364098087),
            (1_030, 970, 0.18706188977129473),
            (0, 0, 1.0),
            (5, 5, 1.0),
        ];
        for (wins, losses, p) in golden {
            let found = sign_test(Counts::new(wins, losses, 3));
            assert!((found - p).abs() < 1e-11, "{wins} {losses}: {found}");
            assert_eq!(found, sign_test(Counts::new(losses, wins, 0)));
        }
    }

    #[test]
    fn interval_equals_scipy() {
        // scipy.stats.binomtest(w, w + l).proportion_ci(1 - alpha, method="exact")
        let golden = [
            (4, 0, 0.05, 0.3976353643835142, 1.0),
            (0, 5, 0.05, 0.0, 0.5218237501049814),
            (9, 2, 0.05, 0.48224414763987544, 0.9771688017000408),
            (60, 40, 0.05, 0.4972091504223335, 0.6967052312971551),
            (60, 40, 0.01, 0.46647299565267597, 0.7237423415638214),
        ];
        for (wins, losses, alpha, low, high) in golden {
            let found = exact_interval(Counts::new(wins, losses, 9), alpha).unwrap();
            assert!((found.0 - low).abs() < 1e-9 && (found.1 - high).abs() < 1e-9, "{wins} {losses}: {found:?}");
        }
        assert!(exact_interval(Counts::new(0, 0, 9), 0.05).is_err());
    }

    /// For every outcome of up to 400 units: the interval contains 1/2 exactly if the test does not reject it.
    #[test]
    fn interval_and_test_agree() {
        for n in 1_u64..=400 {
            // The other half is the mirror image.
            for wins in n.div_ceil(2)..=n {
                let counts = Counts::new(wins, n - wins, 0);
                for alpha in [0.05, 0.01, 0.05 / 3.0].into_iter().take(if n <= 60 { 3 } else { 1 }) {
                    let (low, high) = exact_interval(counts, alpha).unwrap();
                    let contains = low < 0.5 && high > 0.5;
                    assert_eq!(contains, sign_test(counts) > alpha, "{wins} of {n} at {alpha}: {low} {high}");
                }
            }
        }
    }
}
