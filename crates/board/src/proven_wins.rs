//! Pairwise statements without a model: one e-process per pair and direction.
//!
//! For each ordered pair (i, j) there is evidence against "i wins at most half of its decided units with j". With K (K - 1) such
//! statements, each is rejected when its evidence reaches K (K - 1) / alpha; by Ville's inequality the probability that any
//! rejection is wrong is at most alpha, at all looks together and under any choice of pairs by earlier outcomes. To name the
//! best, K / alpha is enough: a false best needs one particular false rejection.
//!
//! Units of one judge, or on one item, resemble each other. Where statements are about judges (items) in general, each judge (item) counts
//! once per pair: for the side that won more of its units. With both, the smaller evidence counts.
//!
//! Totals of corrected points are not enough without their ranges, so their evidence comes from bets: on each unit, or on the mean of
//! each cluster.
//!
//! The evidence of a pair depends on its totals alone. It is read where the table ends, not at its largest on the way: rows of
//! people's tables may be sorted by winner, and counts have no order, and both would give false evidence.

use crate::populations::{ClusterKind, Populations, numbers_of};
use crate::units::Unit;
use statistics::StatisticsError;
use statistics::anytime::{EProcess, ln_capital};
use statistics::bradley_terry::Point;

/// The evidence of all ordered pairs of a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProvenWins {
    members: usize,
    alpha: f64,
    /// Row i, column j: ln of the evidence that i beats j; 0 if i lost more than it won.
    ln_evidence: Vec<f64>,
}

impl ProvenWins {
    pub(crate) fn of(
        members: usize,
        units: &[Unit],
        populations: &Populations,
        alpha: f64,
    ) -> Result<Self, StatisticsError> {
        let corrected = CorrectedPoints::of_units(units);
        if !corrected.is_empty() {
            let clusters_by_kind: Vec<Vec<u32>> = populations.kinds().map(|kind| numbers_of(kind, units)).collect();
            let ln_evidence = ln_e_values_of_corrected(members, &corrected, &clusters_by_kind);
            return Ok(Self { members, alpha, ln_evidence });
        }
        let mut ln_capitals: Vec<Vec<f64>> =
            populations.kinds().map(|kind| points_of_clusters(members, units, kind)).collect();
        if ln_capitals.is_empty() {
            ln_capitals.push(points_of_units(members, units));
        }
        let evidence = EProcess::against(0.5)?;
        let mut ln_evidence = vec![0.0; members * members];
        for i in 0..members {
            for j in (0..members).filter(|j| *j != i) {
                let e_values = |points: &Vec<f64>| {
                    let (wins, losses) = (points[i * members + j], points[j * members + i]);
                    if wins > losses { evidence.ln_shares(wins, losses) } else { 0.0 }
                };
                ln_evidence[i * members + j] = ln_capitals.iter().map(e_values).fold(f64::INFINITY, f64::min);
            }
        }
        Ok(Self { members, alpha, ln_evidence })
    }

    /// Whether `first` is known to beat `second`, all pairs together.
    pub(crate) fn beats(&self, first: usize, second: usize) -> bool {
        let statements = (self.members * self.members.saturating_sub(1)).max(1) as f64;
        first != second && self.ln_evidence[first * self.members + second] >= libm::log(statements / self.alpha)
    }

    /// The number known to beat this one, and the number that it is known to beat.
    pub(crate) fn bounds(&self, member: usize) -> (usize, usize) {
        let rivals = 0..self.members;
        (
            rivals.clone().filter(|other| self.beats(*other, member)).count(),
            rivals.filter(|other| self.beats(member, *other)).count(),
        )
    }

    /// The member that is known to beat every other one.
    pub(crate) fn best(&self) -> Option<usize> {
        let threshold = libm::log(self.members as f64 / self.alpha);
        let beats_all = |member: &usize| {
            let row = &self.ln_evidence[member * self.members..(member + 1) * self.members];
            row.iter().enumerate().all(|(other, ln)| other == *member || *ln >= threshold)
        };
        (0..self.members).find(beats_all)
    }
}

/// Corrected points of a unit.
struct CorrectedPoints {
    /// Its place among the units.
    unit_index: usize,
    pair: (usize, usize),
    /// The points of the first of the pair, beyond a half.
    beyond: f64,
    /// The largest possible distances below a half, for the first and for the second of the pair.
    bounds: [f64; 2],
}

impl CorrectedPoints {
    /// The corrected points of the units that have any.
    fn of_units(units: &[Unit]) -> Vec<Self> {
        let corrected = |(unit_index, unit): (usize, &Unit)| {
            let Unit { comparison, expected, .. } = unit;
            let (range, Point::Share(share)) = (expected.as_ref()?.range, comparison.point) else { return None };
            let bounds = [0.5 - range[0], range[1] - 0.5];
            Some(Self { unit_index, pair: (comparison.first, comparison.second), beyond: share - 0.5, bounds })
        };
        units.iter().enumerate().filter_map(corrected).collect()
    }
}

/// The evidence of all ordered pairs, from bets on units or, where statements are about a kind in general, on the means of its clusters; the
/// smaller counts.
fn ln_e_values_of_corrected(members: usize, points: &[CorrectedPoints], kinds: &[Vec<u32>]) -> Vec<f64> {
    let own_clusters: Vec<u32> = (0..points.len() as u32).collect();
    let mut ln_evidence = vec![0.0; members * members];
    let by_kind: Vec<Vec<u32>> = match kinds {
        [] => vec![own_clusters],
        kinds => kinds.iter().map(|numbers| points.iter().map(|one| numbers[one.unit_index]).collect()).collect(),
    };
    let mut is_first_kind = true;
    for clusters in by_kind {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|cell| (points[*cell].pair, clusters[*cell]));
        for rows_of_pair in order.chunk_by(|a, b| points[*a].pair == points[*b].pair) {
            let mean = |cluster: &[usize], value: &dyn Fn(&CorrectedPoints) -> f64| {
                cluster.iter().map(|cell| value(&points[*cell])).sum::<f64>() / cluster.len() as f64
            };
            let means = |side: usize| {
                let sign = if side == 0 { 1.0 } else { -1.0 };
                rows_of_pair.chunk_by(|a, b| clusters[*a] == clusters[*b]).map(move |cluster| {
                    (mean(cluster, &|one| sign * one.beyond), mean(cluster, &|one| one.bounds[side]))
                })
            };
            let (i, j) = points[rows_of_pair[0]].pair;
            for (cell, side) in [(i * members + j, 0), (j * members + i, 1)] {
                let ln_e_value = ln_capital(means(side)).max(0.0);
                ln_evidence[cell] = if is_first_kind { ln_e_value } else { ln_e_value.min(ln_evidence[cell]) };
            }
        }
        is_first_kind = false;
    }
    ln_evidence
}

/// Points of the row's member in decided units with the column's.
fn points_of_units(members: usize, units: &[Unit]) -> Vec<f64> {
    let mut points = vec![0.0_f64; members * members];
    for unit in units {
        let comparison = unit.comparison;
        let Point::Share(share) = comparison.point else { continue };
        let (i, j) = (comparison.first, comparison.second);
        let n = comparison.copies as f64;
        points[i * members + j] += n * share;
        points[j * members + i] += n * (1.0 - share);
    }
    points
}

/// By how many judges (items) the row's member won more of the units with the column's than it lost. Those without a name may be one of the
/// others, so they do not count.
fn points_of_clusters(members: usize, units: &[Unit], kind: ClusterKind) -> Vec<f64> {
    let mut nets: Vec<(usize, u32, f64)> = units
        .iter()
        .filter_map(|unit| {
            let (cluster, comparison) = (kind.of(unit)?, unit.comparison);
            let Point::Share(share) = comparison.point else { return None };
            let (i, j) = (comparison.first.min(comparison.second), comparison.first.max(comparison.second));
            let net = comparison.copies as f64 * (share - 0.5);
            Some((i * members + j, cluster, if comparison.first == i { net } else { -net }))
        })
        .collect();
    nets.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let mut points = vec![0.0_f64; members * members];
    for rows_of_pair in nets.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (i, j) = (rows_of_pair[0].0 / members, rows_of_pair[0].0 % members);
        let net: f64 = rows_of_pair.iter().map(|one| one.2).sum();
        if net > 1e-9 {
            points[i * members + j] += 1.0;
        } else if net < -1e-9 {
            points[j * members + i] += 1.0;
        }
    }
    points
}
