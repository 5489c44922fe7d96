//! The asymptotic lower bound on regret, which no policy can beat.
//!
//! A policy that is good on every matrix must compare each arm i with an arm that beats it often
//! enough to prove that it is not the winner: ln T / kl(p(i, j), 1/2) times with opponent j, at a
//! regret of (e(1, i) + e(1, j)) / 2 each. So regret grows as ln T times the sum over arms i of the
//! cheapest such opponent, where arm 1 is the Condorcet winner and e(i, j) = p(i, j) - 1/2.
//!
//! ## References
//! J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in
//! Dueling Bandit Problem", COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>.
//!
//! ## Notes
//! Exact duplicates of the winner cost nothing and need not be distinguished from it: they are left out.

use crate::winners::condorcet_winners;
use crate::{Arm, PreferenceMatrix};

/// Coefficients of ln T.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct LowerBound {
    /// The bound: each arm meets its cheapest opponent.
    pub regret: f64,
    /// The regret of the best policy that compares every arm with the winner alone; not smaller.
    pub winner_only: f64,
}

/// The coefficients of ln T in Komiyama's lower bound; `None` without a Condorcet winner.
///
/// ```
/// # use bandits::{problems, structure::lower_bound};
/// // Around the cycle 0.9 shows much sooner than 0.6 against the winner.
/// let bound = lower_bound(&problems::cyclic()?).expect("a winner");
/// assert_eq!(format!("{:.4} {:.4}", bound.regret, bound.winner_only), "0.8151 7.4495");
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[must_use]
pub fn lower_bound(matrix: &PreferenceMatrix) -> Option<LowerBound> {
    let winners = condorcet_winners(matrix);
    let winner = *winners.first()?;
    let gap = |arm: Arm| matrix.get(winner, arm) - 0.5;
    let cost = |i: Arm, j: Arm| (gap(i) + gap(j)) / (2.0 * information_per_duel(matrix.get(j, i)));
    let losers = || matrix.all_arms().filter(|arm| !winners.contains(arm));
    let cheapest = |i: Arm| {
        let better = matrix.all_arms().filter(|&j| matrix.get(j, i) > 0.5);
        better.map(|j| cost(i, j)).fold(f64::INFINITY, f64::min)
    };
    Some(LowerBound {
        regret: losers().map(cheapest).fold(0.0, |sum, cost| sum + cost),
        winner_only: losers().map(|i| cost(i, winner)).fold(0.0, |sum, cost| sum + cost),
    })
}

/// kl(p, 1/2) in nats.
fn information_per_duel(p: f64) -> f64 {
    let lean = 2.0 * p - 1.0;
    let square = lean * lean;
    if square < 1e-6 {
        // The logarithms below cancel; this is off by less than 1e-19 of the whole.
        return square / 2.0 * (1.0 + square / 6.0 + square * square / 15.0);
    }
    let side = |lean: f64| if lean > -1.0 { (1.0 + lean) * libm::log1p(lean) } else { 0.0 };
    (side(lean) + side(-lean)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::*;
    use crate::problems;

    fn assert_bound(matrix: &PreferenceMatrix, winner_only: f64, regret: f64) {
        let bound = lower_bound(matrix).expect("a winner");
        assert!((bound.winner_only - winner_only).abs() < 5e-5, "{bound:?}");
        assert!((bound.regret - regret).abs() < 5e-5, "{bound:?}");
    }

    #[test]
    fn published_problems() {
        assert_bound(&problems::arithmetic(8).expect("eight arms"), 12.7122, 12.7122);
        assert_bound(&problems::cyclic().expect("four arms"), 7.4495, 0.8151);
        // Six rankers of full-text search on arXiv, by Y. Yue, T. Joachims, "Beat the Mean Bandit",
        // ICML 2011, as Komiyama et al. use them.
        let arxiv = PreferenceMatrix::from_rows(&[
            [0.50, 0.55, 0.55, 0.54, 0.61, 0.61],
            [0.45, 0.50, 0.55, 0.55, 0.58, 0.60],
            [0.45, 0.45, 0.50, 0.54, 0.51, 0.56],
            [0.46, 0.45, 0.46, 0.50, 0.54, 0.50],
            [0.39, 0.42, 0.49, 0.46, 0.50, 0.51],
            [0.39, 0.40, 0.44, 0.50, 0.49, 0.50],
        ])
        .expect("a matrix");
        assert_bound(&arxiv, 20.7350, 20.7350);
    }

    #[test]
    fn it_agrees_with_its_formula() {
        let mut seen = 0;
        for (arms, seed) in sizes(&[2, 3, 5, 8], 40) {
            let matrix = random_matrix(arms, seed);
            let Some(winner) = crate::winners::condorcet_winner(&matrix) else { continue };
            let p = |i: Arm, j: Arm| matrix.get(i, j);
            let kl = |p: f64| {
                let part = |p: f64| if p == 0.0 { 0.0 } else { p * libm::log(2.0 * p) };
                part(p) + part(1.0 - p)
            };
            let (mut full, mut only) = (0.0, 0.0);
            for i in matrix.all_arms().filter(|&i| i != winner) {
                let mut least = f64::INFINITY;
                for j in matrix.all_arms().filter(|&j| p(i, j) < 0.5) {
                    let cost = (p(winner, i) - 0.5 + p(winner, j) - 0.5) / (2.0 * kl(p(i, j)));
                    least = least.min(cost);
                    only += if j == winner { cost } else { 0.0 };
                }
                full += least;
            }
            let bound = lower_bound(&matrix).expect("a winner");
            assert!((bound.regret / full - 1.0).abs() < 1e-9 && (bound.winner_only / only - 1.0).abs() < 1e-9);
            assert!(bound.regret <= bound.winner_only * (1.0 + 1e-12));
            seen += 1;
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn information_is_smooth_and_bounded() {
        assert!((information_per_duel(1.0) - std::f64::consts::LN_2).abs() < 1e-15);
        assert_eq!((information_per_duel(0.0), information_per_duel(0.5)), (information_per_duel(1.0), 0.0));
        // Both sides of where the series takes over.
        let (low, high) = (information_per_duel(0.5 + 0.4999e-3), information_per_duel(0.5 + 0.5001e-3));
        assert!((high / low - (0.5001_f64 / 0.4999).powi(2)).abs() < 1e-9);
        assert!((information_per_duel(0.5 + 1e-9) / 2e-18 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn without_a_winner_there_is_none_and_duplicates_are_free() {
        let circle = PreferenceMatrix::from_upper(3, |i, j| if j.0 - i.0 == 1 { 0.6 } else { 0.4 }).expect("a matrix");
        assert_eq!(lower_bound(&circle), None);
        let even = PreferenceMatrix::from_upper(3, |_, _| 0.5).expect("a matrix");
        assert_eq!(lower_bound(&even), Some(LowerBound { regret: 0.0, winner_only: 0.0 }));
    }
}
