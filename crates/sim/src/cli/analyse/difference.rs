//! The difference of two matrices of the same arms; for a multileaved matrix against a pairwise one it gives the
//! distortion.

use bandits::winners::condorcet_winner;
use bandits::{Arm, PreferenceMatrix};
use output::numbers::with_separators;
use serde::Serialize;
use simulation::arm_names::ArmNames;

/// The difference of a matrix p from another, q, over all pairs i < j.
#[derive(Serialize)]
pub(super) struct Difference {
    /// Mean of |p_ij - q_ij|.
    pub(super) mean: f64,
    /// Root of the mean of its square.
    pub(super) root_mean_square: f64,
    /// The pair with the largest difference, and both probabilities; null for fewer than two arms.
    pub(super) largest: Option<Largest>,
    /// The Condorcet winner of the other matrix, if it has one.
    pub(super) winner: Option<Arm>,
    /// Arms that lose to this winner in the other matrix but beat it in this one.
    pub(super) overtaking_arms: Vec<Arm>,
    /// Their share among all arms that lose to it in the other matrix: the distortion.
    pub(super) distortion: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Largest {
    pub(super) pair: (Arm, Arm),
    pub(super) matrix: f64,
    pub(super) against: f64,
}

impl Difference {
    pub(super) fn between(matrix: &PreferenceMatrix, reference: &PreferenceMatrix) -> Self {
        let pairs = || matrix.all_arms().flat_map(|i| (i.index() + 1..matrix.arms()).map(move |j| (i, Arm::at(j))));
        let difference = |(i, j)| (matrix.get(i, j) - reference.get(i, j)).abs();
        let count = pairs().count().max(1) as f64;
        let largest = pairs().fold(None, |largest, pair| match largest {
            Some(before) if difference(before) >= difference(pair) => largest,
            _ => Some(pair),
        });
        let winner = condorcet_winner(reference);
        let rivals = |winner: Arm| reference.all_arms().filter(move |&arm| reference.get(winner, arm) > 0.5);
        let overtaking_arms: Vec<Arm> = winner
            .map_or_else(Vec::new, |winner| rivals(winner).filter(|&arm| matrix.get(winner, arm) < 0.5).collect());
        Self {
            mean: pairs().map(difference).sum::<f64>() / count,
            root_mean_square: (pairs().map(|pair| difference(pair).powi(2)).sum::<f64>() / count).sqrt(),
            largest: largest.map(|(i, j)| Largest {
                pair: (i, j),
                matrix: matrix.get(i, j),
                against: reference.get(i, j),
            }),
            distortion: winner.map(|winner| overtaking_arms.len() as f64 / rivals(winner).count().max(1) as f64),
            winner,
            overtaking_arms,
        }
    }

    /// The difference in words.
    pub(super) fn describe(&self, names: &ArmNames) -> String {
        let mut text = format!("difference: mean {:.4}, root mean square {:.4}", self.mean, self.root_mean_square);
        if let Some(Largest { pair: (i, j), matrix, against }) = &self.largest {
            text += &format!(
                ", largest {:.4} ({}: {matrix:.4} against {against:.4})",
                (matrix - against).abs(),
                names.list(&[*i, *j])
            );
        }
        if let (Some(winner), Some(distortion)) = (self.winner, self.distortion) {
            text += &format!(
                "\ndistortion: {} of the arms that lose to its Condorcet winner, {}, beat it in this matrix ({:.1}%)",
                with_separators(self.overtaking_arms.len() as u64),
                names.name(winner.index()),
                100.0 * distortion
            );
        }
        text
    }
}
