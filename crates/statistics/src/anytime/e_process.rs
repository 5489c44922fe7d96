//! One-sided evidence against "the first side wins at most a share p0 of the decided units".
//!
//! After w wins and l losses the evidence is the mixture likelihood ratio
//!
//! E(w, l) = ∫ q^w (1 - q)^l dπ(q) / (p0^w (1 - p0)^l), with π = Beta(a, b) restricted to q > p0.
//!
//! For each q > p0 the ratio is multiplied by q / p0 after a win, by (1 - q) / (1 - p0) after a loss, and by 1 after
//! a tie. If a win has probability p and a loss 1 - p given everything before, the expected factor is
//! p q / p0 + (1 - p) (1 - q) / (1 - p0): linear in p, rising, and 1 at p0. So E is a nonnegative supermartingale
//! that starts at 1 as long as p <= p0 at every decided unit, and by Ville's inequality it ever reaches 1 / alpha with
//! probability at most alpha. How units were allocated and why one stopped do not matter, as long as the choice of the
//! pair comes before its outcome.
//!
//! ## References
//!
//! * J. Ville, "Étude critique de la notion de collectif", Gauthier-Villars, 1939.
//! * H. Robbins, "Statistical Methods Related to the Law of the Iterated Logarithm", Annals of Mathematical Statistics
//!   41(5), 1970, <https://doi.org/10.1214/aoms/1177696786>: mixtures.
//! * A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-Theoretic Statistics and Safe Anytime-Valid Inference",
//!   Statistical Science 38(4), 2023, <https://doi.org/10.1214/23-STS894>: e-processes.

use crate::StatisticsError;
use crate::special_functions::{ln_beta, ln_beta_integral_above};

/// The distribution Beta(a, b) of the winning share that the evidence is averaged over, restricted to shares above the
/// null hypothesis. Validity does not depend on it; it decides which shares are detected soonest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// First parameter, positive.
    pub a: f64,
    /// Second parameter, positive.
    pub b: f64,
}

/// The weight of the default prior, in units.
pub(super) const WEIGHT: f64 = 40.0;

impl Prior {
    /// Beta(40 `null`, 40 (1 - `null`)), of mean `null`, in (0, 1): every share is tested in the same way, so that the tests of
    /// all shares together make an interval.
    #[must_use]
    pub fn around(null: f64) -> Self {
        Self { a: WEIGHT * null, b: WEIGHT * (1.0 - null) }
    }
}

impl Default for Prior {
    /// That around one half, Beta(20, 20): nine tenths of it lie between shares of 0.37 and 0.63, as the differences of real
    /// rankers do.
    fn default() -> Self {
        Self::around(0.5)
    }
}

/// Evidence against "the share of wins is at most p0", as a function of the counts.
///
/// ```
/// use statistics::anytime::EProcess;
///
/// let evidence = EProcess::against(0.5)?;
/// assert_eq!(evidence.ln(0, 0), 0.0);
/// assert!(evidence.ln(70, 30) > 20_f64.ln());
/// assert!(evidence.ln(30, 70) < 0.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EProcess {
    null: f64,
    prior: Prior,
    /// ln of what normalises the prior.
    mass: f64,
}

impl EProcess {
    /// Evidence against a share of at most `null`, in (0, 1), with the prior [around](Prior::around) it.
    ///
    /// # Errors
    /// If `null` is not in (0, 1).
    pub fn against(null: f64) -> Result<Self, StatisticsError> {
        Self::with_prior(null, Prior::around(null))
    }

    /// The same with another prior.
    ///
    /// # Errors
    /// If `null` is not in (0, 1), or if a parameter of the prior is not positive and finite.
    pub fn with_prior(null: f64, prior: Prior) -> Result<Self, StatisticsError> {
        if !(null > 0.0 && null < 1.0) {
            return Err(StatisticsError::OutOfRange {
                what: "the share under the null hypothesis",
                value: null,
                range: "(0, 1)",
            });
        }
        for value in [prior.a, prior.b] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(StatisticsError::OutOfRange { what: "a parameter of the prior", value, range: "(0, inf)" });
            }
        }
        Ok(Self::of(null, prior))
    }

    /// The same for a share and a prior that are in range.
    fn of(null: f64, prior: Prior) -> Self {
        Self { null, prior, mass: ln_beta_integral_above(null, prior.a, prior.b) }
    }

    /// That of [`against`](Self::against) a share that is known to be in (0, 1).
    pub(super) fn against_share(null: f64) -> Self {
        Self::of(null, Prior::around(null))
    }

    /// The share of the null hypothesis.
    #[must_use]
    pub fn null(&self) -> f64 {
        self.null
    }

    /// The natural logarithm of the evidence after `wins` and `losses`; ties do not change it.
    #[must_use]
    pub fn ln(&self, wins: u64, losses: u64) -> f64 {
        if wins + losses == 0 { 0.0 } else { self.ln_real(wins as f64, losses as f64) }
    }

    /// The same for decided units that may share their point: the sums of both sides' shares. A unit with shares s and
    /// 1 - s multiplies the ratio of every q by (q / p0)^s ((1 - q) / (1 - p0))^(1 - s). That is at most the weighted
    /// mean of both factors, so the evidence stays valid if the expected share is at most p0 at every unit.
    #[must_use]
    pub fn ln_shares(&self, wins: f64, losses: f64) -> f64 {
        if wins + losses == 0.0 { 0.0 } else { self.ln_real(wins, losses) }
    }

    /// The same for counts that need not be whole.
    pub(crate) fn ln_real(&self, wins: f64, losses: f64) -> f64 {
        let (a, b) = (self.prior.a + wins, self.prior.b + losses);
        let mixture = ln_beta_integral_above(self.null, a, b) - self.mass;
        mixture - wins * libm::log(self.null) - losses * libm::log1p(-self.null)
    }

    /// More than ln E, and for evidence of some size hardly more: the mixture over all shares, at a third of the cost.
    pub(super) fn ln_at_most(&self, wins: u64, losses: u64) -> f64 {
        // More than the rounding errors of either.
        const ROUNDING: f64 = 1e-6;
        let (wins, losses) = (wins as f64, losses as f64);
        let mixture = ln_beta(self.prior.a + wins, self.prior.b + losses) - self.mass;
        let ln = mixture - wins * libm::log(self.null) - losses * libm::log1p(-self.null);
        ln + ROUNDING * (1.0 + 1e-6 * (wins + losses))
    }

    /// The logarithm of the largest likelihood ratio of any share above that of the null hypothesis over that share, which no
    /// mixture exceeds. It costs two logarithms.
    pub(super) fn largest_ln_ratio(&self, wins: u64, losses: u64) -> f64 {
        largest_ln_ratio(self.null, wins, losses)
    }
}

/// The same for the share `null`.
pub(super) fn largest_ln_ratio(null: f64, wins: u64, losses: u64) -> f64 {
    let (wins, losses) = (wins as f64, losses as f64);
    let units = wins + losses;
    if wins <= null * units {
        return 0.0;
    }
    let term = |count: f64, share: f64| if count == 0.0 { 0.0 } else { count * libm::log(count / (units * share)) };
    term(wins, null) + term(losses, 1.0 - null)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By numerical integration.
    fn integrated(null: f64, prior: Prior, wins: i32, losses: i32) -> f64 {
        let steps = 20_000;
        let width = (1.0 - null) / f64::from(steps);
        let (mut above, mut mass) = (0.0, 0.0);
        for step in 0..steps {
            let q = null + (f64::from(step) + 0.5) * width;
            let density = libm::pow(q, prior.a - 1.0) * libm::pow(1.0 - q, prior.b - 1.0);
            above += density * (q / null).powi(wins) * ((1.0 - q) / (1.0 - null)).powi(losses);
            mass += density;
        }
        libm::log(above / mass)
    }

    #[test]
    fn equals_the_integral() {
        for (null, a, b) in [(0.5, 20.0, 20.0), (0.5, 1.0, 1.0), (0.45, 2.0, 3.0), (0.8, 1.5, 1.0)] {
            let prior = Prior { a, b };
            let evidence = EProcess::with_prior(null, prior).unwrap();
            for (wins, losses) in [(1, 0), (0, 1), (10, 10), (60, 40), (5, 80), (80, 5)] {
                let (found, expected) =
                    (evidence.ln(wins as u64, losses as u64), integrated(null, prior, wins, losses));
                assert!((found - expected).abs() < 1e-5, "{null} {prior:?} {wins} {losses}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn the_expected_factor_is_one_at_the_null_and_less_below() {
        for null in [0.5, 0.4] {
            let evidence = EProcess::against(null).unwrap();
            for (wins, losses) in [(0, 0), (3, 9), (200, 180), (1_000, 3_000)] {
                let factor = |p: f64| {
                    let now = evidence.ln(wins, losses);
                    let after_win = libm::exp(evidence.ln(wins + 1, losses) - now);
                    let after_loss = libm::exp(evidence.ln(wins, losses + 1) - now);
                    p * after_win + (1.0 - p) * after_loss
                };
                assert!((factor(null) - 1.0).abs() < 1e-10, "{}", factor(null));
                assert!(factor(null - 0.1) < 1.0 && factor(0.01) < 1.0);
            }
        }
    }

    #[test]
    fn nine_tenths_of_the_default_prior_are_where_its_description_says() {
        let Prior { a, b } = Prior::default();
        let above = |share: f64| libm::exp(crate::special_functions::ln_beta_integral_above(share, a, b));
        let within = (above(0.37) - above(0.63)) / above(1e-9);
        assert!((within - 0.9).abs() < 0.01, "{within}");
    }

    #[test]
    fn no_evidence_exceeds_the_largest_ratio() {
        for null in [0.02, 0.3, 0.5, 0.9] {
            let evidence = EProcess::against(null).unwrap();
            for (wins, losses) in [(0, 0), (1, 0), (3, 9), (9, 3), (600, 400), (5_100, 5_000), (5_000, 5_100)] {
                let most = evidence.largest_ln_ratio(wins, losses);
                assert!(evidence.ln(wins, losses) <= most + 1e-9, "{null} {wins} {losses}");
                assert!(evidence.ln(wins, losses) < evidence.ln_at_most(wins, losses), "{null} {wins} {losses}");
            }
        }
    }

    #[test]
    fn refuses_what_is_not_a_share() {
        for null in [0.0, 1.0, f64::NAN] {
            let error = EProcess::against(null).unwrap_err().to_string();
            assert!(error.contains("the share under the null hypothesis") && error.contains("(0, 1)"), "{error}");
        }
        assert!(EProcess::with_prior(0.5, Prior { a: 0.0, b: 1.0 }).is_err());
    }
}
