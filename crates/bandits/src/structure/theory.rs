//! Upper bounds on regret that the papers prove, as curves over time for plotting.
//!
//! All are of the form a + b ln(T + C), or add a falling power of T, with constants that depend on the matrix through
//! the gaps of its Condorcet winner or the smallest margin of any pair. They hold for every matrix
//! with such gaps and are orders of magnitude above measured regret.
//!
//! | function | claims | needs |
//! |---|---|---|
//! | [`rucb_with_probability`] | RUCB, with probability 1 - delta (theorem 4) | alpha > 1/2 |
//! | [`rucb_expected`] | RUCB, on average (theorem 5) | alpha > 1 |
//! | [`merge_rucb_with_probability`] | mergeRUCB, with probability 1 - delta (theorem 1) | alpha > 1/2, batches of 4 or more |
//! | [`merge_rucb_expected`] | mergeRUCB, on average, delta = 1/T | alpha > 1, batches of 4 or more |
//!
//! ## References
//! * M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed
//!   Dueling Bandit Problem", ICML 2014, <https://proceedings.mlr.press/v32/zoghi14.html>.
//! * M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//!   Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>.
//!
//! ## Notes
//! * RUCB's bounds are assembled from the terms of the proofs (supplement, equation 13 and section
//!   8.3); an intermediate line of section 8.3 drops the factor of the largest gap.
//! * mergeRUCB's is the theorem's second form, in the smallest margin of all pairs: the first
//!   depends on how arms fall into batches.

use crate::winners::{condorcet_winner, condorcet_winners};
use crate::{Arm, PreferenceMatrix};

/// An upper bound on cumulative regret as a function of time.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RegretBound {
    /// The part that does not depend on time.
    pub constant: f64,
    /// The factor of ln(T + C).
    pub slope: f64,
    /// ln C; -infinity where C = 0.
    pub log_delay: f64,
    /// ln of the factor of a power of T; -infinity if there is no such term.
    pub log_transient: f64,
    /// That power, not positive.
    pub decay: f64,
}

/// Why a bound makes no claim.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// Alpha is too small for the theorem.
    #[error("alpha: the bound needs more than {above}, found {found}")]
    Alpha {
        /// The number that alpha must exceed.
        above: f64,
        /// The alpha given.
        found: f64,
    },
    /// Delta is not a probability of failure.
    #[error("delta: expected a probability between 0 and 1, both excluded, found {0}")]
    Delta(f64),
    /// Batches are too small for mergeRUCB's theorem.
    #[error("p: the bound needs batches of at least 4 arms, found {0}")]
    Batch(usize),
    /// No arm beats all others.
    #[error("the bound needs a Condorcet winner that beats every other arm strictly")]
    NoWinner,
    /// Too many arms tie.
    #[error("{tied} of {arms} arms tie with another; the bound allows a third of uninformative arms")]
    Ties {
        /// Arms that tie with another one.
        tied: usize,
        /// All arms.
        arms: usize,
    },
}

impl RegretBound {
    /// The bound on regret after `steps` steps, at least 1; infinite where it overflows.
    #[must_use]
    pub fn at(&self, steps: f64) -> f64 {
        let time = libm::log(steps.max(1.0));
        let (more, less) = (time.max(self.log_delay), time.min(self.log_delay));
        // ln(T + C), where C itself may overflow.
        let log = more + libm::log1p(libm::exp(less - more));
        self.constant + self.slope * log + libm::exp(self.log_transient + self.decay * time)
    }

    /// The number of steps from which the bound is informative: before, it exceeds what any policy can lose at most, `gap` per
    /// step, and is vacuous. `gap` is the largest of the matrix, positive. Infinite beyond 1e299 steps.
    ///
    /// ```
    /// # use bandits::structure::theory::RegretBound;
    /// let bound = RegretBound::logarithmic(0.0, 100.0);
    /// let steps = bound.informative_from(0.5);
    /// assert!(bound.at(0.99 * steps) > 0.5 * 0.99 * steps && bound.at(1.01 * steps) < 0.5 * 1.01 * steps);
    /// ```
    #[must_use]
    pub fn informative_from(&self, gap: f64) -> f64 {
        // All terms grow slower than T from T = e on, so that there is one such point.
        let (mut low, mut high) = (1.0, 690.0);
        let vacuous = |log: f64| self.at(libm::exp(log)) >= gap * libm::exp(log);
        if vacuous(high) {
            return f64::INFINITY;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *if vacuous(middle) { &mut low } else { &mut high } = middle;
        }
        libm::exp(high)
    }

    /// The curve `constant` + `slope` ln T.
    #[must_use]
    pub fn logarithmic(constant: f64, slope: f64) -> Self {
        Self { constant, slope, log_delay: f64::NEG_INFINITY, log_transient: f64::NEG_INFINITY, decay: 0.0 }
    }
}

/// ln C(delta): from step C(delta) on, all confidence bounds of `arms` arms hold at every step with
/// probability 1 - delta, where C = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1))
/// (lemma 1 of RUCB's paper). It overflows near alpha = 1/2, hence the logarithm.
///
/// # Errors
/// When alpha is 1/2 or less, or delta not between 0 and 1.
pub fn log_confidence_time(arms: usize, alpha: f64, delta: f64) -> Result<f64, BoundError> {
    check_alpha(alpha, 0.5)?;
    check_delta(delta)?;
    Ok((log_base(arms, alpha) - libm::log(delta)) / (2.0 * alpha - 1.0))
}

/// RUCB's regret with probability 1 - `delta`.
///
/// # Errors
/// If alpha is 1/2 or less, delta is not between 0 and 1, or no arm beats all others.
pub fn rucb_with_probability(matrix: &PreferenceMatrix, alpha: f64, delta: f64) -> Result<RegretBound, BoundError> {
    check_delta(delta)?;
    let start = libm::exp(log_confidence_time(matrix.arms(), alpha, delta / 2.0)?);
    let terms = RucbTerms::of(matrix, alpha)?;
    Ok(terms.bound(4.0 * libm::log(2.0 / delta) + 2.0 * start))
}

/// RUCB's expected regret.
///
/// # Errors
/// If alpha is 1 or less, or no arm beats all others.
pub fn rucb_expected(matrix: &PreferenceMatrix, alpha: f64) -> Result<RegretBound, BoundError> {
    check_alpha(alpha, 1.0)?;
    let terms = RucbTerms::of(matrix, alpha)?;
    let power = 2.0 * alpha - 1.0;
    let start = libm::exp((std::f64::consts::LN_2 + log_base(matrix.arms(), alpha)) / power);
    Ok(terms.bound(8.0 + start * power / (alpha - 1.0)))
}

/// mergeRUCB's regret with probability 1 - `delta`, playing batches of `batch` arms (its p).
///
/// # Errors
/// If alpha is 1/2 or less, batches hold fewer than 4 arms, delta is not between 0 and 1, no arm beats all
/// others, or more than a third of the arms tie with another.
pub fn merge_rucb_with_probability(
    matrix: &PreferenceMatrix,
    alpha: f64,
    batch: usize,
    delta: f64,
) -> Result<RegretBound, BoundError> {
    let log_delay = log_confidence_time(matrix.arms(), alpha, delta)?;
    let slope = merge_rucb_slope(matrix, alpha, batch)?;
    Ok(RegretBound { log_delay, ..RegretBound::logarithmic(0.0, slope) })
}

/// mergeRUCB's expected regret where its delta is one over the horizon.
///
/// # Errors
/// As [`merge_rucb_with_probability`], and if alpha is 1 or less.
pub fn merge_rucb_expected(matrix: &PreferenceMatrix, alpha: f64, batch: usize) -> Result<RegretBound, BoundError> {
    check_alpha(alpha, 1.0)?;
    let slope = merge_rucb_slope(matrix, alpha, batch)?;
    // slope C(1/T) / T is a falling power of T.
    let power = 1.0 / (2.0 * alpha - 1.0);
    Ok(RegretBound {
        log_transient: libm::log(slope) + power * log_base(matrix.arms(), alpha),
        decay: power - 1.0,
        ..RegretBound::logarithmic(1.0, slope)
    })
}

/// ln((4 alpha - 1) K^2 / (2 alpha - 1)).
fn log_base(arms: usize, alpha: f64) -> f64 {
    libm::log((4.0 * alpha - 1.0) / (2.0 * alpha - 1.0)) + 2.0 * libm::log(arms as f64)
}

/// The quantities that both bounds of RUCB share.
struct RucbTerms {
    /// The largest gap.
    largest: f64,
    /// 2 D ln 2D.
    exploring: f64,
    /// The sum over losers j of 2 alpha (D_j + 4 D_max) / D_j^2.
    slope: f64,
}

impl RucbTerms {
    fn of(matrix: &PreferenceMatrix, alpha: f64) -> Result<Self, BoundError> {
        let winner = condorcet_winner(matrix).ok_or(BoundError::NoWinner)?;
        let losers = matrix.all_arms().filter(|&arm| arm != winner);
        let mut gaps: Vec<f64> = losers.map(|arm| matrix.get(winner, arm) - 0.5).collect();
        gaps.sort_by(f64::total_cmp);
        let largest = gaps.last().copied().unwrap_or(0.0);
        // Sorted, the smaller gap of a pair is that of its first arm: with the pair (winner, j) each
        // loser has as many terms as losers follow it, and one.
        let duels: f64 =
            gaps.iter().rev().enumerate().map(|(after, gap)| (after + 1) as f64 * 4.0 * alpha / (gap * gap)).sum();
        Ok(Self {
            largest,
            exploring: if duels > 0.0 { 2.0 * duels * libm::log(2.0 * duels) } else { 0.0 },
            slope: gaps.iter().map(|gap| 2.0 * alpha * (gap + 4.0 * largest) / (gap * gap)).sum(),
        })
    }

    /// The bound if this many steps, which may overflow, pass before the bounds on preferences hold.
    fn bound(&self, steps_before: f64) -> RegretBound {
        // A lone arm costs nothing, however long it takes.
        let constant = if self.largest > 0.0 { (steps_before + self.exploring) * self.largest } else { 0.0 };
        RegretBound::logarithmic(constant, self.slope)
    }
}

/// 8 alpha p K over the square of the smallest margin of a pair that does not tie.
fn merge_rucb_slope(matrix: &PreferenceMatrix, alpha: f64, batch: usize) -> Result<f64, BoundError> {
    if batch < 4 {
        return Err(BoundError::Batch(batch));
    }
    if condorcet_winners(matrix).is_empty() {
        return Err(BoundError::NoWinner);
    }
    let arms = matrix.arms();
    // The theorem's assumptions: only uninformative arms may be repeated, and at most a third of
    // the arms is uninformative.
    let ties = |i: Arm| matrix.all_arms().any(|j| j != i && matrix.get(i, j) == 0.5);
    let tied = matrix.all_arms().filter(|&i| ties(i)).count();
    if 3 * tied > arms {
        return Err(BoundError::Ties { tied, arms });
    }
    let margins = matrix.entries().iter().map(|p| (p - 0.5).abs()).filter(|margin| *margin > 0.0);
    let smallest = margins.fold(f64::INFINITY, f64::min);
    Ok(8.0 * alpha * batch as f64 * arms as f64 / (smallest * smallest))
}

fn check_alpha(alpha: f64, above: f64) -> Result<(), BoundError> {
    // Not a number fails too.
    if alpha > above && alpha.is_finite() { Ok(()) } else { Err(BoundError::Alpha { above, found: alpha }) }
}

fn check_delta(delta: f64) -> Result<(), BoundError> {
    if delta > 0.0 && delta < 1.0 { Ok(()) } else { Err(BoundError::Delta(delta)) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::*;
    use crate::problems;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found}, expected {expected}");
    }

    #[test]
    fn two_arms_by_hand() {
        let matrix = PreferenceMatrix::from_rows(&[[0.5, 0.7], [0.3, 0.5]]).expect("a matrix");
        // One loser with gap 0.2; alpha 1.5 makes every power 1/2: C(delta) = sqrt(10 / delta).
        let (alpha, gap, steps) = (1.5_f64, 0.2_f64, 1e6_f64);
        let exploring = 2.0 * 150.0 * libm::log(300.0);
        let slope = 3.0 * 5.0 * gap / (gap * gap);
        let bound = rucb_with_probability(&matrix, alpha, 0.1).expect("a bound");
        close(
            bound.at(steps),
            (4.0 * libm::log(20.0) + 2.0 * 200.0_f64.sqrt() + exploring) * gap + slope * libm::log(steps),
        );
        let bound = rucb_expected(&matrix, alpha).expect("a bound");
        close(bound.at(steps), (8.0 + 20.0_f64.sqrt() * 2.0 / 0.5 + exploring) * gap + slope * libm::log(steps));
        let slope = 8.0 * alpha * 4.0 * 2.0 / (gap * gap);
        let bound = merge_rucb_with_probability(&matrix, alpha, 4, 0.1).expect("a bound");
        close(bound.at(steps), slope * libm::log(steps + 10.0));
        let bound = merge_rucb_expected(&matrix, alpha, 4).expect("a bound");
        close(bound.at(steps), 1.0 + slope * libm::log(steps) + slope * (10.0 * steps).sqrt() / steps);
    }

    #[test]
    fn bounds_are_vacuous_until_they_say_something() {
        let matrix = problems::arithmetic(8).expect("eight arms");
        let bounds = [
            rucb_with_probability(&matrix, 1.01, 0.05),
            rucb_expected(&matrix, 1.01),
            merge_rucb_with_probability(&matrix, 1.01, 4, 0.05),
            merge_rucb_expected(&matrix, 1.01, 4),
        ];
        let gap = crate::structure::gaps(&matrix).expect("a winner").largest;
        for bound in bounds.map(|bound| bound.expect("a bound")) {
            let from = bound.informative_from(gap);
            assert!(from > 1e3 && from < 1e9, "{from}");
            for part in [0.001, 0.1, 0.999] {
                assert!(bound.at(part * from) > gap * part * from, "{bound:?} {part}");
            }
            for times in [1.001, 10.0, 1e6] {
                assert!(bound.at(times * from) < gap * times * from, "{bound:?} {times}");
            }
        }
        assert_eq!(rucb_with_probability(&matrix, 0.5001, 0.05).expect("a bound").informative_from(gap), f64::INFINITY);
    }

    #[test]
    fn one_arm_costs_nothing() {
        let matrix = PreferenceMatrix::new(1, vec![0.5]).expect("one arm");
        // Near 1/2 the time until the bounds hold overflows.
        for alpha in [0.505, 1.5] {
            assert_eq!(rucb_with_probability(&matrix, alpha, 0.01).expect("a bound").at(10.0), 0.0);
        }
        assert_eq!(rucb_expected(&matrix, 1.000_001).expect("a bound").at(10.0), 0.0);
    }

    #[test]
    fn sorted_sums_agree_with_sums_over_pairs() {
        let mut seen = 0;
        for (arms, seed) in sizes(&[2, 4, 7], 20) {
            let matrix = random_matrix(arms, seed);
            let Some(winner) = condorcet_winner(&matrix) else { continue };
            let alpha = 1.2;
            let gap = |arm: Arm| if arm == winner { f64::INFINITY } else { matrix.get(winner, arm) - 0.5 };
            let mut duels = 0.0;
            for i in matrix.all_arms() {
                for j in matrix.all_arms().filter(|&j| j > i) {
                    duels += 4.0 * alpha / gap(i).min(gap(j)).powi(2);
                }
            }
            close(RucbTerms::of(&matrix, alpha).expect("a winner").exploring, 2.0 * duels * libm::log(2.0 * duels));
            seen += 1;
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn near_one_half_nothing_is_lost() {
        // C(0.01) is about 10^300 here and beyond f64 for more arms; its logarithm is not.
        let matrix = problems::arithmetic(136).expect("arms");
        let bound = merge_rucb_with_probability(&matrix, 0.51, 4, 0.01);
        // Many pairs lie at p = 1, none at 1/2.
        let bound = bound.expect("a bound");
        assert!(bound.at(1e7).is_finite() && bound.log_delay > 700.0);
        assert_eq!(bound.at(1e7), bound.slope * bound.log_delay);
        assert_eq!(rucb_with_probability(&matrix, 0.51, 0.01).expect("a bound").at(1e7), f64::INFINITY);
    }

    #[test]
    fn each_rule_has_its_error() {
        let matrix = problems::arithmetic(8).expect("arms");
        for alpha in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(rucb_with_probability(&matrix, alpha, 0.1), Err(BoundError::Alpha { above: 0.5, .. })));
            assert!(matches!(merge_rucb_with_probability(&matrix, alpha, 4, 0.1), Err(BoundError::Alpha { .. })));
        }
        assert_eq!(rucb_expected(&matrix, 1.0), Err(BoundError::Alpha { above: 1.0, found: 1.0 }));
        assert_eq!(merge_rucb_expected(&matrix, 0.9, 4), Err(BoundError::Alpha { above: 1.0, found: 0.9 }));
        for delta in [0.0, 1.0, 1.5] {
            assert_eq!(rucb_with_probability(&matrix, 0.6, delta), Err(BoundError::Delta(delta)));
            assert_eq!(merge_rucb_with_probability(&matrix, 0.6, 4, delta), Err(BoundError::Delta(delta)));
        }
        assert_eq!(merge_rucb_expected(&matrix, 1.01, 3), Err(BoundError::Batch(3)));
        let circle = PreferenceMatrix::from_upper(3, |i, j| if j.0 - i.0 == 1 { 0.6 } else { 0.4 }).expect("a matrix");
        assert_eq!(rucb_expected(&circle, 1.01), Err(BoundError::NoWinner));
        assert_eq!(merge_rucb_expected(&circle, 1.01, 4), Err(BoundError::NoWinner));
        let tied = PreferenceMatrix::from_upper(4, |i, _| if i.0 == 0 { 0.6 } else { 0.5 }).expect("a matrix");
        assert_eq!(merge_rucb_expected(&tied, 1.01, 4), Err(BoundError::Ties { tied: 3, arms: 4 }));
        assert!(rucb_expected(&tied, 1.01).is_ok());
    }
}
