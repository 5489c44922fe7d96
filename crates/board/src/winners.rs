//! Winners where no order fits: by the notions of `bandits`, from the shares seen.

use crate::group::GroupFit;
use bandits::structure::von_neumann;
use bandits::winners::{condorcet_winner, copeland_winners};
use bandits::{Arm, PreferenceMatrix};
use serde::Serialize;
use statistics::bradley_terry::Point;

/// The winners of a group by its shares of points, where ties are halves and pairs that never met are even.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Winners {
    /// The Condorcet winner: it got more than half of the points against every other one. There may be none.
    pub condorcet: Option<String>,
    /// The Copeland winners: competitors with more than half against most others; several if they tie.
    pub copeland: Vec<String>,
    /// The von Neumann winner: a lottery that none beats on average, by names with their probabilities, largest first. Empty if it was
    /// not found.
    pub von_neumann: Vec<(String, f64)>,
}

impl Winners {
    pub(crate) fn of(names: &[String], group: &GroupFit) -> Option<Self> {
        let size = group.members.len();
        let mut points = vec![0.0; size * size];
        for unit in &group.units {
            let comparison = unit.comparison;
            let n = comparison.weight * comparison.copies as f64;
            let share = match comparison.point {
                Point::Share(share) => share,
                Point::Tie => 0.5,
            };
            points[comparison.first * size + comparison.second] += n * share;
            points[comparison.second * size + comparison.first] += n * (1.0 - share);
        }
        let (matrix, _) = PreferenceMatrix::from_wins(size, &points).ok()?;
        let name = |arm: Arm| names[group.members[arm.0 as usize]].clone();
        let lottery = von_neumann(&matrix).map(|found| found.support()).unwrap_or_default();
        Some(Self {
            condorcet: condorcet_winner(&matrix).map(name),
            copeland: copeland_winners(&matrix).into_iter().map(name).collect(),
            von_neumann: lottery.into_iter().map(|(arm, weight)| (name(arm), weight)).collect(),
        })
    }
}
