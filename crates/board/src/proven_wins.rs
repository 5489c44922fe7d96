//! What is known pair by pair, without a model: one e-process per pair and direction.
//!
//! For each ordered pair (i, j) there is evidence against "i wins at most half of its decided units with j". With
//! K (K - 1) such statements, each is rejected when its evidence reaches K (K - 1) / alpha; by Ville's inequality the
//! probability that any rejection is wrong is at most alpha, at all looks together and under any choice of pairs by
//! earlier outcomes. To name the best, K / alpha is enough: one that is named falsely beats one in particular that is not beaten.
//!
//! Units of one judge, or on one item, resemble each other. Where statements are about judges (items) in general, each judge (item) counts
//! once per pair: for the side that won more of its units. With both, the smaller evidence counts.
//!
//! The evidence of a pair depends on its totals alone. It is read where the table ends, not at its largest on the way: rows of
//! people's tables may be sorted by winner, and counts have no order, and both would make evidence of nothing.

use crate::Answer;
use crate::populations::{Populations, numbers_of};
use crate::units::Unit;
use statistics::StatisticsError;
use statistics::anytime::EProcess;
use statistics::bradley_terry::Point;

/// The evidence of all ordered pairs of a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProvenWins {
    members: usize,
    alpha: f64,
    /// Row i, column j: ln of the evidence that i beats j; 0 for what lost more than it won.
    ln_evidence: Vec<f64>,
}

impl ProvenWins {
    pub(crate) fn of(
        members: usize,
        units: &[Unit],
        populations: &Populations,
        alpha: f64,
    ) -> Result<Self, StatisticsError> {
        let mut all: Vec<Vec<f64>> =
            populations.kinds().map(|kind| points_of_clusters(members, units, &numbers_of(kind, units))).collect();
        if all.is_empty() {
            all.push(points_of_units(members, units));
        }
        let evidence = EProcess::against(0.5)?;
        let mut ln_evidence = vec![0.0; members * members];
        for i in 0..members {
            for j in (0..members).filter(|j| *j != i) {
                let of = |points: &Vec<f64>| {
                    let (wins, losses) = (points[i * members + j], points[j * members + i]);
                    if wins > losses { evidence.ln_shares(wins, losses) } else { 0.0 }
                };
                ln_evidence[i * members + j] = all.iter().map(of).fold(f64::INFINITY, f64::min);
            }
        }
        Ok(Self { members, alpha, ln_evidence })
    }

    /// Whether `first` is known to beat `second`, all pairs together.
    pub(crate) fn beats(&self, first: usize, second: usize) -> bool {
        let statements = (self.members * self.members.saturating_sub(1)).max(1) as f64;
        first != second && self.ln_evidence[first * self.members + second] >= libm::log(statements / self.alpha)
    }

    /// How many are known to beat this one, and how many it is known to beat.
    pub(crate) fn bounds(&self, member: usize) -> (usize, usize) {
        let others = 0..self.members;
        (
            others.clone().filter(|other| self.beats(*other, member)).count(),
            others.filter(|other| self.beats(member, *other)).count(),
        )
    }

    /// The member that is known to beat every other one.
    pub(crate) fn best(&self) -> Option<usize> {
        let needed = libm::log(self.members as f64 / self.alpha);
        let beats_all = |member: &usize| {
            let row = &self.ln_evidence[member * self.members..(member + 1) * self.members];
            row.iter().enumerate().all(|(other, ln)| other == *member || *ln >= needed)
        };
        (0..self.members).find(beats_all)
    }
}

/// Corrected points, moved towards a half until no others leave the range from 0 to 1: the evidence needs a range, and an expectation of at
/// most a half stays one.
fn within_a_point(points: f64) -> f64 {
    0.5 + (points - 0.5) / (2.0 * Answer::FARTHEST)
}

/// Points of the row's member in decided units with the column's.
fn points_of_units(members: usize, units: &[Unit]) -> Vec<f64> {
    let mut points = vec![0.0_f64; members * members];
    for unit in units {
        let comparison = unit.comparison;
        let Point::Share(share) = comparison.point else { continue };
        let share = if unit.expected_spread.is_some() { within_a_point(share) } else { share };
        let (i, j) = (comparison.first, comparison.second);
        let n = comparison.copies as f64;
        points[i * members + j] += n * share;
        points[j * members + i] += n * (1.0 - share);
    }
    points
}

/// In how many clusters the row's member won more of the units with the column's than it lost.
fn points_of_clusters(members: usize, units: &[Unit], clusters: &[u32]) -> Vec<f64> {
    let mut nets: Vec<(usize, u32, f64)> = units
        .iter()
        .zip(clusters)
        .filter_map(|(unit, cluster)| {
            let comparison = unit.comparison;
            let Point::Share(share) = comparison.point else { return None };
            let (i, j) = (comparison.first.min(comparison.second), comparison.first.max(comparison.second));
            let net = comparison.copies as f64 * (share - 0.5);
            Some((i * members + j, *cluster, if comparison.first == i { net } else { -net }))
        })
        .collect();
    nets.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let mut points = vec![0.0_f64; members * members];
    for same in nets.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (i, j) = (same[0].0 / members, same[0].0 % members);
        let net: f64 = same.iter().map(|one| one.2).sum();
        if net > 1e-9 {
            points[i * members + j] += 1.0;
        } else if net < -1e-9 {
            points[j * members + i] += 1.0;
        }
    }
    points
}
