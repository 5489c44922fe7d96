//! The winner's margins: how hard the problem is.

use crate::winners::condorcet_winners;
use crate::{Arm, PreferenceMatrix};

/// By how much the Condorcet winner beats the others: p(winner, j) - 1/2 over all arms j except
/// its exact duplicates.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Gaps {
    /// The winner; the lowest of several duplicates.
    pub winner: Arm,
    /// The arm that comes closest.
    pub closest: Arm,
    /// Its gap: the smallest.
    pub smallest: f64,
    /// The mean gap.
    pub mean: f64,
    /// The largest gap.
    pub largest: f64,
}

/// The winner's gaps; `None` without a Condorcet winner, or where nothing is left to beat.
#[must_use]
pub fn gaps(matrix: &PreferenceMatrix) -> Option<Gaps> {
    let winners = condorcet_winners(matrix);
    let winner = *winners.first()?;
    let losers = || matrix.all_arms().filter(|arm| !winners.contains(arm));
    let gap = |arm| matrix.get(winner, arm) - 0.5;
    let closest = losers().min_by(|&a, &b| gap(a).total_cmp(&gap(b)))?;
    Some(Gaps {
        winner,
        closest,
        smallest: gap(closest),
        mean: losers().map(gap).sum::<f64>() / losers().count() as f64,
        largest: losers().map(gap).fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems;

    #[test]
    fn arms_in_even_steps() {
        let found = gaps(&problems::arithmetic(8).expect("eight arms")).expect("a winner");
        assert_eq!((found.winner, found.closest), (Arm(0), Arm(1)));
        for (found, expected) in [(found.smallest, 0.05), (found.mean, 0.2), (found.largest, 0.35)] {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn duplicates_are_not_beaten() {
        let even = PreferenceMatrix::from_upper(3, |_, _| 0.5).expect("a matrix");
        assert_eq!(gaps(&even), None);
        let pair = PreferenceMatrix::from_upper(3, |_, j| if j == Arm(2) { 0.7 } else { 0.5 }).expect("a matrix");
        let found = gaps(&pair).expect("two winners");
        assert_eq!((found.winner, found.closest), (Arm(0), Arm(2)));
        assert!((found.mean - 0.2).abs() < 1e-12);
    }
}
