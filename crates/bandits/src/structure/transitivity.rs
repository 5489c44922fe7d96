//! Relaxed stochastic transitivity: how much smaller margins over distant arms may be than those over
//! near ones. The radius of Beat the Mean grows with its square.
//!
//! The smallest gamma >= 1 with gamma e(1, k) >= max(e(1, j), e(j, k)) for all arms j before k,
//! where arm 1 is the Condorcet winner and e(i, j) = p(i, j) - 1/2. At gamma = 1 this is strong
//! stochastic transitivity seen from the winner.
//!
//! ## References
//! Y. Yue, T. Joachims, "Beat the Mean Bandit", ICML 2011,
//! <https://icml.cc/Conferences/2011/papers/165_icmlpaper.pdf>.
//!
//! ## Notes
//! * Where RUCB's paper (M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence
//!   Bound for the K-Armed Dueling Bandit Problem", ICML 2014,
//!   <https://proceedings.mlr.press/v32/zoghi14.html>) prints probabilities instead of margins,
//!   gamma could never pass 2; the values it reports, up to 47.3, are those of margins.
//! * The definition needs a total order. Without one, "j before k" is read as "j beats k", which is
//!   the same thing where there is an order. Of exact duplicates of the winner one is taken as the
//!   winner.

use crate::winners::condorcet_winners;
use crate::{Arm, PreferenceMatrix};

/// The smallest gamma and the arms that it is due to.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RelaxedTransitivity {
    /// At least 1.
    pub gamma: f64,
    /// The triple (winner, j, k) that requires it; `None` if gamma = 1, i.e. strong stochastic
    /// transitivity holds.
    pub triple: Option<[Arm; 3]>,
}

/// The gamma of relaxed stochastic transitivity; `None` without a Condorcet winner.
///
/// ```
/// # use bandits::{problems, structure::relaxed_transitivity};
/// // Arms in even steps are as transitive as can be; in the cycle 0.4 is compared with 0.1.
/// let gamma = |matrix| relaxed_transitivity(&matrix).expect("a winner").gamma;
/// assert_eq!(gamma(problems::arithmetic(8)?), 1.0);
/// assert!((gamma(problems::cyclic()?) - 4.0).abs() < 1e-12);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[must_use]
pub fn relaxed_transitivity(matrix: &PreferenceMatrix) -> Option<RelaxedTransitivity> {
    let winner = condorcet_winners(matrix).first().copied()?;
    let mut worst = RelaxedTransitivity { gamma: 1.0, triple: None };
    let margin = |i, j| matrix.get(i, j) - 0.5;
    for j in matrix.all_arms().filter(|&j| j != winner) {
        let first = margin(winner, j);
        for k in matrix.all_arms().filter(|&k| k != winner && margin(j, k) > 0.0) {
            // A beaten arm is not a duplicate of the winner, so the denominator is positive.
            let gamma = first.max(margin(j, k)) / margin(winner, k);
            if gamma > worst.gamma {
                worst = RelaxedTransitivity { gamma, triple: Some([winner, j, k]) };
            }
        }
    }
    Some(worst)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::super::{Tournament, TournamentOrder};
    use super::*;
    use crate::problems;

    /// Whether a gamma satisfies the definition along a total order.
    fn holds(matrix: &PreferenceMatrix, order: &[Arm], gamma: f64) -> bool {
        let margin = |i, j| matrix.get(i, j) - 0.5;
        (1..order.len()).all(|j| {
            (j + 1..order.len()).all(|k| {
                let needed = margin(order[0], order[j]).max(margin(order[j], order[k]));
                gamma * margin(order[0], order[k]) >= needed * (1.0 - 1e-12)
            })
        })
    }

    #[test]
    fn it_is_the_smallest_that_satisfies_the_definition() {
        let mut relaxed = 0;
        for (arms, seed) in sizes(&[1, 2, 3, 4, 5, 6], 60) {
            let matrix = random_matrix(arms, seed);
            let TournamentOrder::Total(order) = Tournament::of(&matrix).order() else { continue };
            let gamma = relaxed_transitivity(&matrix).expect("an order has a winner").gamma;
            assert!(gamma >= 1.0 && holds(&matrix, &order, gamma));
            if gamma > 1.0 {
                assert!(!holds(&matrix, &order, gamma * (1.0 - 1e-6)));
                relaxed += 1;
            }
        }
        assert!(relaxed > 20, "{relaxed}");
    }

    #[test]
    fn cycles_duplicates_and_no_winner() {
        let cyclic = relaxed_transitivity(&problems::cyclic().expect("four arms")).expect("a winner");
        assert_eq!(cyclic.triple, Some([Arm(0), Arm(1), Arm(2)]));
        let circle = PreferenceMatrix::from_upper(3, |i, j| if j.0 - i.0 == 1 { 0.6 } else { 0.4 }).expect("a matrix");
        assert_eq!(relaxed_transitivity(&circle), None);
        let duplicates =
            PreferenceMatrix::from_rows(&[[0.5, 0.5, 0.6], [0.5, 0.5, 0.8], [0.4, 0.2, 0.5]]).expect("a matrix");
        let found = relaxed_transitivity(&duplicates).expect("winners");
        assert!((found.gamma - 3.0).abs() < 1e-12);
    }
}
