//! The sign test and an interval for its share.

use crate::special::{binomial_at_least, normal_quantile};
use crate::{Counts, StatisticsError};

/// The exact two-sided p-value of "wins and losses are equally likely"; ties say nothing. 1 without decided units.
///
/// Twice the smaller tail of the binomial distribution, at most 1.
#[must_use]
pub fn sign_test(counts: Counts) -> f64 {
    let more = counts.wins.max(counts.losses);
    (2.0 * binomial_at_least(more, counts.decided(), 0.5)).min(1.0)
}

/// Wilson's interval for the share of wins among the decided units, at confidence 1 - `alpha`.
///
/// E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American
/// Statistical Association 22(158), 1927, <https://doi.org/10.1080/01621459.1927.10502953>.
///
/// # Errors
/// If `alpha` is not in (0, 1), or no unit is decided.
pub fn wilson_interval(counts: Counts, alpha: f64) -> Result<(f64, f64), StatisticsError> {
    crate::error::check_level(alpha)?;
    let share = counts.share().ok_or(StatisticsError::TooFew { what: "decided units", found: 0, needed: 1 })?;
    let n = counts.decided() as f64;
    let z = normal_quantile(1.0 - alpha / 2.0);
    let centre = share + z * z / (2.0 * n);
    let radius = z * libm::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
    let scale = 1.0 + z * z / n;
    Ok((((centre - radius) / scale).max(0.0), ((centre + radius) / scale).min(1.0)))
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
        // statsmodels.stats.proportion.proportion_confint(60, 100, method="wilson")
        let (low, high) = wilson_interval(Counts::new(60, 40, 9), 0.05).unwrap();
        assert!((low - 0.502002586791062).abs() < 1e-12 && (high - 0.690598713567541).abs() < 1e-12, "{low} {high}");
        assert!(wilson_interval(Counts::new(0, 0, 9), 0.05).is_err());
    }
}
