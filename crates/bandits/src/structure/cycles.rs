//! The cycles of a matrix, those with the largest margins first.

use super::Tournament;
use crate::{Arm, PreferenceMatrix};

/// Three arms: each beats the next, and the last beats the first.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Cycle {
    /// The arms, the lowest first.
    pub arms: [Arm; 3],
    /// By how much each beats the next: p - 1/2.
    pub margins: [f64; 3],
}

impl Cycle {
    /// The smallest of its margins: how much it takes to break it.
    #[must_use]
    pub fn weakest(&self) -> f64 {
        self.margins.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// The cycles with the largest weakest margins first; ties in the order of their arms.
/// At most `limit`, which bounds the memory: hundreds of arms may have millions of cycles.
#[must_use]
pub fn clearest_cycles(matrix: &PreferenceMatrix, limit: usize) -> Vec<Cycle> {
    let clearer = |a: &Cycle, b: &Cycle| b.weakest().total_cmp(&a.weakest()).then(a.arms.cmp(&b.arms));
    let tournament = Tournament::of(matrix);
    let mut circles = Vec::new();
    for arms in tournament.cycles().take_while(|_| limit > 0) {
        let [i, j, k] = arms;
        circles.push(Cycle { arms, margins: [(i, j), (j, k), (k, i)].map(|(a, b)| matrix.get(a, b) - 0.5) });
        if circles.len() >= limit.saturating_mul(2) {
            circles.select_nth_unstable_by(limit - 1, clearer);
            circles.truncate(limit);
        }
    }
    circles.sort_unstable_by(clearer);
    circles.truncate(limit);
    circles
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::*;

    #[test]
    fn a_limit_keeps_the_clearest() {
        let mut seen = 0;
        for (arms, seed) in sizes(&[1, 3, 6, 12], 12) {
            let matrix = random_matrix(arms, seed);
            let all = clearest_cycles(&matrix, usize::MAX);
            assert_eq!(all.len() as u64, Tournament::of(&matrix).cyclic_triples());
            assert!(all.is_sorted_by(|a, b| a.weakest() >= b.weakest()));
            for circle in &all {
                let [i, j, k] = circle.arms;
                assert!(matrix.get(i, j) > 0.5 && matrix.get(j, k) > 0.5 && matrix.get(k, i) > 0.5);
            }
            for limit in [0, 1, 2, 7] {
                assert_eq!(clearest_cycles(&matrix, limit), all[..limit.min(all.len())]);
            }
            seen += all.len();
        }
        assert!(seen > 100, "{seen}");
    }
}
