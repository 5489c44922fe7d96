//! A matrix less another of the same arms: read as distortion where the one was multileaved and the
//! other interleaved pair by pair.

use bandits::winners::condorcet_winner;
use bandits::{Arm, PreferenceMatrix};
use serde::Serialize;

use crate::output::numbers::grouped;
use crate::simulation::arm_names::ArmNames;

/// How far a matrix lies from another, over all pairs i < j.
#[derive(Serialize)]
pub(super) struct Difference {
    /// Mean of |p_ij - q_ij|.
    pub(super) mean: f64,
    /// Root of the mean of its square.
    pub(super) root_mean_square: f64,
    /// The pair that differs the most, with both probabilities; absent below two arms.
    pub(super) largest: Option<Largest>,
    /// The other matrix's Condorcet winner, if it has one.
    pub(super) winner: Option<Arm>,
    /// Arms that this winner beats there, but that beat it here.
    pub(super) overtake_it: Vec<Arm>,
    /// The same as a share of its rivals: the distortion.
    pub(super) distortion: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Largest {
    pub(super) pair: (Arm, Arm),
    pub(super) here: f64,
    pub(super) there: f64,
}

impl Difference {
    pub(super) fn of(matrix: &PreferenceMatrix, against: &PreferenceMatrix) -> Self {
        let pairs = || matrix.all_arms().flat_map(|i| (i.index() + 1..matrix.arms()).map(move |j| (i, Arm::at(j))));
        let difference = |(i, j)| (matrix.get(i, j) - against.get(i, j)).abs();
        let count = pairs().count().max(1) as f64;
        let largest = pairs().fold(None, |largest, pair| match largest {
            Some(before) if difference(before) >= difference(pair) => largest,
            _ => Some(pair),
        });
        let winner = condorcet_winner(against);
        let rivals = |winner: Arm| against.all_arms().filter(move |&arm| against.get(winner, arm) > 0.5);
        let overtake_it: Vec<Arm> = winner
            .map_or_else(Vec::new, |winner| rivals(winner).filter(|&arm| matrix.get(winner, arm) < 0.5).collect());
        Self {
            mean: pairs().map(difference).sum::<f64>() / count,
            root_mean_square: (pairs().map(|pair| difference(pair).powi(2)).sum::<f64>() / count).sqrt(),
            largest: largest.map(|(i, j)| Largest { pair: (i, j), here: matrix.get(i, j), there: against.get(i, j) }),
            distortion: winner.map(|winner| overtake_it.len() as f64 / rivals(winner).count().max(1) as f64),
            winner,
            overtake_it,
        }
    }

    /// The same in words.
    pub(super) fn told(&self, names: &ArmNames) -> String {
        let mut text = format!("difference: mean {:.4}, root mean square {:.4}", self.mean, self.root_mean_square);
        if let Some(Largest { pair: (i, j), here, there }) = &self.largest {
            text += &format!(
                ", largest {:.4} ({}: {here:.4} against {there:.4})",
                (here - there).abs(),
                names.list(&[*i, *j])
            );
        }
        if let (Some(winner), Some(distortion)) = (self.winner, self.distortion) {
            text += &format!(
                "\ndistortion: {} of the arms that its Condorcet winner, {}, beats there beat it here ({:.1}%)",
                grouped(self.overtake_it.len() as u64),
                names.name(winner.index()),
                100.0 * distortion
            );
        }
        text
    }
}
