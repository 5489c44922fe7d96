//! The winners of a preference matrix, by each notion of winning.
//! [`Tournament`](crate::structure::Tournament) describes how far it is from an order.

use crate::{Arm, PreferenceMatrix};

/// The Condorcet winner: the arm that beats every other one with probability above 1/2. A pair at
/// exactly 1/2 is not beaten, so an exact duplicate of the best arm leaves no winner: see
/// [`condorcet_winners`].
#[must_use]
pub fn condorcet_winner(matrix: &PreferenceMatrix) -> Option<Arm> {
    matrix.all_arms().find(|&i| matrix.all_arms().all(|j| i == j || matrix.get(i, j) > 0.5))
}

/// The Condorcet winner and its exact duplicates: the arms that no arm beats, provided they beat
/// all the others (among themselves they are at exactly 1/2). Empty where there are none.
#[must_use]
pub fn condorcet_winners(matrix: &PreferenceMatrix) -> Vec<Arm> {
    let unbeaten: Vec<Arm> =
        matrix.all_arms().filter(|&i| matrix.all_arms().all(|j| i == j || matrix.get(i, j) >= 0.5)).collect();
    let beat_the_rest =
        unbeaten.iter().all(|&i| matrix.all_arms().all(|j| unbeaten.contains(&j) || matrix.get(i, j) > 0.5));
    if beat_the_rest { unbeaten } else { Vec::new() }
}

/// Each arm's Copeland score: how many arms it beats, a pair at exactly 1/2 counting half.
#[must_use]
pub fn copeland_scores(matrix: &PreferenceMatrix) -> Vec<f64> {
    matrix
        .all_arms()
        .map(|i| {
            let halves: u32 = matrix
                .all_arms()
                .filter(|&j| j != i)
                .map(|j| match matrix.get(i, j) {
                    p if p > 0.5 => 2,
                    0.5 => 1,
                    _ => 0,
                })
                .sum();
            f64::from(halves) / 2.0
        })
        .collect()
}

/// The arms with the highest Copeland score; several where they tie.
#[must_use]
pub fn copeland_winners(matrix: &PreferenceMatrix) -> Vec<Arm> {
    highest(&copeland_scores(matrix))
}

/// Each arm's Borda score: the probability that it beats another arm drawn uniformly; 1/2 for a
/// lone arm.
#[must_use]
pub fn borda_scores(matrix: &PreferenceMatrix) -> Vec<f64> {
    let others = matrix.arms() - 1;
    if others == 0 {
        return vec![0.5];
    }
    matrix
        .all_arms()
        .map(|i| {
            let sum: f64 = matrix.all_arms().filter(|&j| j != i).map(|j| matrix.get(i, j)).sum();
            sum / others as f64
        })
        .collect()
}

/// The arms with the highest Borda score; several where they tie to the last bit.
#[must_use]
pub fn borda_winners(matrix: &PreferenceMatrix) -> Vec<Arm> {
    highest(&borda_scores(matrix))
}

/// The gap of each arm to `best`: p(best, j) - 1/2, in [-1/2, 1/2], 0 for `best` itself.
/// Negative only where `j` beats it.
#[must_use]
pub fn gaps_to(matrix: &PreferenceMatrix, best: Arm) -> Vec<f64> {
    matrix.all_arms().map(|j| if j == best { 0.0 } else { matrix.get(best, j) - 0.5 }).collect()
}

fn highest(scores: &[f64]) -> Vec<Arm> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..scores.len()).filter(|&i| scores[i] == top).map(Arm::at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems;

    fn matrix(rows: &[&[f64]]) -> PreferenceMatrix {
        PreferenceMatrix::from_rows(rows).expect("a matrix")
    }

    #[test]
    fn an_order_has_one_winner_by_every_notion() {
        let matrix = problems::arithmetic(8).expect("eight arms");
        assert_eq!(condorcet_winner(&matrix), Some(Arm(0)));
        assert_eq!(condorcet_winners(&matrix), [Arm(0)]);
        assert_eq!(copeland_winners(&matrix), [Arm(0)]);
        assert_eq!(borda_winners(&matrix), [Arm(0)]);
        assert_eq!(copeland_scores(&matrix), [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
        assert!((gaps_to(&matrix, Arm(0))[7] - 0.35).abs() < 1e-12);
    }

    #[test]
    fn exact_ties_leave_no_strict_winner() {
        let duplicates = matrix(&[&[0.5, 0.5, 0.7], &[0.5, 0.5, 0.6], &[0.3, 0.4, 0.5]]);
        assert_eq!(condorcet_winner(&duplicates), None);
        assert_eq!(condorcet_winners(&duplicates), [Arm(0), Arm(1)]);
        assert_eq!(copeland_scores(&duplicates), [1.5, 1.5, 0.0]);

        // 0 and 1 tie, 0 beats 2, but 1 only ties with 2: no group of duplicates stands apart.
        let muddle = matrix(&[&[0.5, 0.5, 0.7], &[0.5, 0.5, 0.5], &[0.3, 0.5, 0.5]]);
        assert_eq!(condorcet_winners(&muddle), []);
        assert_eq!(condorcet_winners(&matrix(&[&[0.5]])), [Arm(0)]);
        assert_eq!(borda_winners(&matrix(&[&[0.5]])), [Arm(0)]);
    }

    #[test]
    fn borda_may_disagree_with_condorcet() {
        let matrix = matrix(&[&[0.5, 0.55, 0.55], &[0.45, 0.5, 0.95], &[0.45, 0.05, 0.5]]);
        assert_eq!(condorcet_winner(&matrix), Some(Arm(0)));
        assert_eq!(borda_winners(&matrix), [Arm(1)]);
    }

    #[test]
    fn a_cycle_may_lie_below_a_winner_or_leave_none() {
        assert_eq!(condorcet_winner(&problems::cyclic().expect("four arms")), Some(Arm(0)));
        let circle = matrix(&[&[0.5, 0.6, 0.4], &[0.4, 0.5, 0.6], &[0.6, 0.4, 0.5]]);
        assert_eq!(condorcet_winners(&circle), []);
        assert_eq!(copeland_winners(&circle).len(), 3);
    }
}
