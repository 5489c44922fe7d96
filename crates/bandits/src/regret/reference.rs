//! The gap of every arm of a preference matrix, by each notion of the best arm.

use crate::structure::{VonNeumannError, von_neumann};
use crate::winners::{borda_scores, condorcet_winners, copeland_scores, gaps_to};
use crate::{Arm, PreferenceMatrix};

/// Differences of Borda scores up to this are rounding errors: scores are means of probabilities.
const SCORE_TOLERANCE: f64 = 1e-12;
/// Margins of the von Neumann winner up to this share of the largest margin are rounding errors of the linear program.
const MARGIN_TOLERANCE: f64 = 1e-9;

/// The reference that regret is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegretReference {
    /// The Condorcet winner *: the gap of arm j is p(*, j) - 1/2.
    Condorcet,
    /// The best Copeland score, which exists without a Condorcet winner too: the gap of an arm is how much smaller a
    /// share of the other arms it beats than the best arm does, in [0, 1]; this is another scale than that of the
    /// other references. M. Zoghi et al., "Copeland Dueling Bandits", NIPS 2015,
    /// <https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html>.
    Copeland,
    /// The best Borda score: the gap of an arm is how much smaller its mean probability of beating another arm is, in
    /// [0, 1].
    Borda,
    /// The von Neumann winner w, a lottery that no arm beats: the gap of arm j is the sum over arms i of w(i) p(i, j),
    /// minus 1/2. Arms that the lottery plays have gap 0.
    VonNeumann,
    /// This arm: the gap of arm j is p(arm, j) - 1/2, below 0 for arms that beat it.
    Against(Arm),
}

/// Why regret cannot be measured against a reference.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegretReferenceError {
    /// There is no Condorcet winner.
    #[error(
        "the matrix has no Condorcet winner (arm {strongest} beats the most, {beaten} of {others}); \
         measure regret by Copeland score, Borda score or the von Neumann winner, or against an arm of your choice"
    )]
    NoCondorcetWinner {
        /// An arm with the highest Copeland score.
        strongest: u32,
        /// The number of others it beats, ties not counted.
        beaten: usize,
        /// The number of others.
        others: usize,
    },
    /// The arm does not exist.
    #[error("arm {arm} is out of range: the matrix has {arms} arms, counted from 0")]
    NoSuchArm {
        /// The arm.
        arm: u32,
        /// The number of arms.
        arms: usize,
    },
    /// The von Neumann winner was not found.
    #[error(transparent)]
    VonNeumann(#[from] VonNeumannError),
}

impl RegretReference {
    /// The gap of each arm of `matrix`: what one step with that arm alone costs, 0 for the best.
    ///
    /// # Errors
    /// If the matrix has no such reference.
    pub fn gaps(self, matrix: &PreferenceMatrix) -> Result<Vec<f64>, RegretReferenceError> {
        let arms = matrix.arms();
        match self {
            Self::Condorcet => match condorcet_winners(matrix).first() {
                Some(&winner) => Ok(gaps_to(matrix, winner)),
                None => Err(no_condorcet_winner(matrix)),
            },
            Self::Copeland => {
                let scores = copeland_scores(matrix);
                let top = scores.iter().copied().fold(0.0, f64::max);
                let others = (arms - 1).max(1) as f64;
                Ok(scores.iter().map(|score| (top - score) / others).collect())
            }
            Self::Borda => {
                let scores = borda_scores(matrix);
                let top = scores.iter().copied().fold(0.0, f64::max);
                Ok(scores
                    .iter()
                    .map(|score| Some(top - score).filter(|gap| *gap > SCORE_TOLERANCE).unwrap_or(0.0))
                    .collect())
            }
            Self::VonNeumann => von_neumann_gaps(matrix),
            Self::Against(arm) if arm.index() < arms => Ok(gaps_to(matrix, arm)),
            Self::Against(arm) => Err(RegretReferenceError::NoSuchArm { arm: arm.0, arms }),
        }
    }
}

/// The mean margin of the von Neumann winner over each arm.
fn von_neumann_gaps(matrix: &PreferenceMatrix) -> Result<Vec<f64>, RegretReferenceError> {
    let lottery = von_neumann(matrix)?;
    let mut gaps = vec![0.0; matrix.arms()];
    let mut largest: f64 = 0.0;
    for (i, &weight) in matrix.all_arms().zip(&lottery.weights).filter(|(_, weight)| **weight > 0.0) {
        for (gap, p) in gaps.iter_mut().zip(matrix.row(i)) {
            *gap += weight * (p - 0.5);
            largest = largest.max((p - 0.5).abs());
        }
    }
    for (gap, &weight) in gaps.iter_mut().zip(&lottery.weights) {
        // Complementary slackness: what the lottery plays, it does not beat.
        if weight > 0.0 || *gap <= MARGIN_TOLERANCE * largest {
            *gap = 0.0;
        }
    }
    Ok(gaps)
}

fn no_condorcet_winner(matrix: &PreferenceMatrix) -> RegretReferenceError {
    let scores = copeland_scores(matrix);
    let strongest = (0..scores.len()).fold(0, |a, b| if scores[b] > scores[a] { b } else { a });
    let beaten =
        matrix.all_arms().filter(|&j| j.index() != strongest && matrix.get(Arm::at(strongest), j) > 0.5).count();
    RegretReferenceError::NoCondorcetWinner { strongest: Arm::at(strongest).0, beaten, others: scores.len() - 1 }
}

/// Whether no arm has a gap above 0, of at least two: regret is then 0 whatever is played, no arm is wrong, and regret
/// measures nothing.
#[must_use]
pub fn every_arm_is_optimal(gaps: &[f64]) -> bool {
    gaps.len() > 1 && gaps.iter().all(|gap| *gap <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems;

    fn matrix(rows: &[&[f64]]) -> PreferenceMatrix {
        PreferenceMatrix::from_rows(rows).expect("a matrix")
    }

    fn close(found: &[f64], expected: &[f64]) {
        let pairs = found.iter().zip(expected);
        assert!(found.len() == expected.len() && pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn regret_needs_a_truth() {
        let cycle = matrix(&[&[0.5, 0.6, 0.4], &[0.4, 0.5, 0.6], &[0.6, 0.4, 0.5]]);
        let error = RegretReference::Condorcet.gaps(&cycle).expect_err("a cycle");
        assert_eq!(
            error.to_string(),
            "the matrix has no Condorcet winner (arm 0 beats the most, 1 of 2); measure regret by Copeland score, \
             Borda score or the von Neumann winner, or against an arm of your choice"
        );
        let against = RegretReference::Against(Arm(1)).gaps(&cycle).expect("an arm");
        close(&against, &[-0.1, 0.0, 0.1]);
        assert_eq!(
            RegretReference::Against(Arm(3)).gaps(&cycle).err(),
            Some(RegretReferenceError::NoSuchArm { arm: 3, arms: 3 })
        );
    }

    #[test]
    fn an_even_cycle_has_no_best_arm_by_any_reference() {
        let cycle = matrix(&[&[0.5, 0.6, 0.4], &[0.4, 0.5, 0.6], &[0.6, 0.4, 0.5]]);
        for reference in [RegretReference::Copeland, RegretReference::Borda, RegretReference::VonNeumann] {
            let gaps = reference.gaps(&cycle).expect("always there");
            assert_eq!(gaps, [0.0; 3], "{reference:?}");
            assert!(every_arm_is_optimal(&gaps));
        }
        assert!(!every_arm_is_optimal(&[0.0, 0.1]) && !every_arm_is_optimal(&[0.0]));
    }

    #[test]
    fn an_uneven_cycle_has_a_best_arm_by_borda_score_alone() {
        let cycle = matrix(&[&[0.5, 0.6, 0.2], &[0.4, 0.5, 0.7], &[0.8, 0.3, 0.5]]);
        let gaps = |reference: RegretReference| reference.gaps(&cycle).expect("always there");
        assert_eq!(gaps(RegretReference::Copeland), [0.0; 3]);
        assert_eq!(gaps(RegretReference::VonNeumann), [0.0; 3]);
        // Scores .4, .55 and .55.
        close(&gaps(RegretReference::Borda), &[0.15, 0.0, 0.0]);
    }

    #[test]
    fn the_von_neumann_winner_beats_what_it_does_not_play() {
        // A cycle of three with margins .1, which all beat arm 3 with different margins.
        let four =
            matrix(&[&[0.5, 0.6, 0.4, 0.9], &[0.4, 0.5, 0.6, 0.8], &[0.6, 0.4, 0.5, 0.7], &[0.1, 0.2, 0.3, 0.5]]);
        let gaps = RegretReference::VonNeumann.gaps(&four).expect("always there");
        assert_eq!(gaps[..3], [0.0; 3]);
        close(&gaps, &[0.0, 0.0, 0.0, 0.3]);
        close(&RegretReference::Copeland.gaps(&four).expect("scores"), &[0.0, 0.0, 0.0, 2.0 / 3.0]);
        close(&RegretReference::Borda.gaps(&four).expect("scores"), &[0.0, 1.0 / 30.0, 2.0 / 30.0, 1.3 / 3.0]);
    }

    #[test]
    fn with_a_condorcet_winner_von_neumann_agrees_with_it() {
        let order = problems::arithmetic(8).expect("eight arms");
        let gaps = |reference: RegretReference| reference.gaps(&order).expect("arm 0");
        assert_eq!(gaps(RegretReference::VonNeumann), gaps(RegretReference::Condorcet));
        // Each arm beats one fewer of the seven others than the arm before, by .05 more per place.
        close(&gaps(RegretReference::Copeland)[..3], &[0.0, 1.0 / 7.0, 2.0 / 7.0]);
        close(&gaps(RegretReference::Borda)[..3], &[0.0, 0.4 / 7.0, 0.8 / 7.0]);
    }
}
