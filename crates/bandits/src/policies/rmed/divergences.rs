//! The divergences of each arm, shared by the RMED policies; [`rmed1`](super::rmed1) defines them.

use std::sync::LazyLock;

use super::least_sum::LeastSum;
use super::row_minima::RowMinima;
use crate::Generator;
use crate::counts::{OpenDuels, PairCounts, PairTable};
use crate::state;

/// Divergences are whole numbers of this size.
pub(crate) const DIVERGENCE_UNIT: f64 = 1.0 / (1_u64 << 30) as f64;

/// Divergences are kept of pairs that have met less often on either side.
const TABLE_MEETINGS: usize = 64;

static FIRST_DIVERGENCES: LazyLock<Vec<i64>> = LazyLock::new(|| {
    let counts = (0..TABLE_MEETINGS as u32).flat_map(|won| (0..TABLE_MEETINGS as u32).map(move |lost| (won, lost)));
    counts.map(|(won, lost)| if won + lost == 0 { 0 } else { compute_divergence(won, lost) }).collect()
});

/// n kl(won / n, 1/2) in units of [`DIVERGENCE_UNIT`], the same for either side; 0 where n = 0.
#[inline]
pub(crate) fn divergence(won: u32, lost: u32) -> i64 {
    let (row, column) = (won as usize, lost as usize);
    if row < TABLE_MEETINGS && column < TABLE_MEETINGS {
        FIRST_DIVERGENCES[row * TABLE_MEETINGS + column]
    } else {
        compute_divergence(won, lost)
    }
}

fn compute_divergence(won: u32, lost: u32) -> i64 {
    let (won, lost) = (f64::from(won), f64::from(lost));
    let lean = (won - lost) / (won + lost);
    let half = |wins: f64, lean: f64| {
        if wins > 0.0 { wins * libm::log1p(lean) } else { 0.0 }
    };
    in_units(half(won, lean) + half(lost, -lean))
}

/// How much larger than the smallest the divergence of an arm of the next pass may be.
#[inline]
pub(crate) fn pass_allowance(ln_step: f64, bonus: f64) -> i64 {
    in_units(ln_step + bonus)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any run's length")]
fn in_units(value: f64) -> i64 {
    let units = value / DIVERGENCE_UNIT;
    // Rounded down, as `libm::floor` does, which is a call.
    let toward_zero = units as i64;
    toward_zero.saturating_sub(i64::from(toward_zero as f64 > units))
}

/// The wins of every pair, I(i) of every arm, and i*.
#[derive(Debug, Clone)]
pub(super) struct Divergences {
    arms: usize,
    wins: PairCounts,
    /// mu(l, j) in row l; infinite on the diagonal, so that no arm is its own weakest spot.
    means: RowMinima,
    /// n kl(mu, 1/2) of each pair i < j.
    terms: PairTable<i64>,
    /// 1 / kl(mu(l, j), 1/2) where mu(l, j) < 1/2, otherwise 0; `None` without costs.
    per_divergence: Option<PairTable<f64>>,
    /// I(i), and i*.
    pub(super) sums: LeastSum,
    /// The size of O(i).
    lost_to: Vec<u32>,
    open: OpenDuels,
}

state!(Divergences { wins, means, terms, per_divergence, sums, lost_to, open } but { arms });

impl Divergences {
    /// Of pairs that never met. [`cheapest`](Self::cheapest) needs `costs`.
    pub(super) fn new(arms: usize, costs: bool) -> Self {
        Self {
            arms,
            wins: PairCounts::new(arms, 0),
            means: RowMinima::new(arms, arms, 0.5),
            terms: PairTable::new(arms, 0),
            per_divergence: costs.then(|| PairTable::new(arms, 0.0)),
            sums: LeastSum::new(arms),
            lost_to: vec![arms as u32 - 1; arms],
            open: OpenDuels::new(arms),
        }
    }

    pub(super) fn arms(&self) -> usize {
        self.arms
    }

    pub(super) fn wins(&self) -> &PairCounts {
        &self.wins
    }

    pub(super) fn leader(&self) -> usize {
        self.sums.leader()
    }

    /// How often two arms met, open duels included.
    #[inline]
    pub(super) fn met(&self, i: usize, j: usize) -> u32 {
        self.wins.met(i, j) + self.open.between(i, j)
    }

    /// Whether any duel is open.
    pub(super) fn any_open(&self) -> bool {
        self.open.any()
    }

    /// A duel is open from now on.
    pub(super) fn depart(&mut self, i: usize, j: usize) {
        self.open.depart(i, j);
        self.update_term(i, j);
    }

    /// A duel is open no longer; if it is answered, its outcome must be [recorded](Self::record) next.
    pub(super) fn arrive(&mut self, i: usize, j: usize, answered: bool) {
        self.open.arrive(i, j);
        if !answered {
            self.update_term(i, j);
        }
    }

    /// The term of a pair, open duels counted at its present mean. In RMED1, where pairs may have met once, at most as
    /// many open duels count as there are outcomes.
    #[inline]
    fn weight(&self, i: usize, j: usize) -> i64 {
        let (won, lost) = self.wins.between(i, j);
        let (term, open) = (divergence(won, lost), self.open.between(i, j));
        if open == 0 || term == 0 {
            return term;
        }
        let known = won + lost;
        let open = if self.per_divergence.is_some() { open } else { open.min(known) };
        in_units(term as f64 * DIVERGENCE_UNIT * (1.0 + f64::from(open) / f64::from(known)))
    }

    /// Brings the term of a pair up to date with its open duels.
    fn update_term(&mut self, i: usize, j: usize) {
        let pair = (i.min(j), i.max(j));
        let (old, new) = (self.terms[pair], self.weight(i, j));
        if old != new {
            let behind = if self.wins.beats(i, j) { j } else { i };
            self.sums.add(behind, new - old);
            self.terms[pair] = new;
        }
    }

    /// I(i) of every arm, without open outcomes.
    pub(super) fn known_sums(&self) -> Vec<i64> {
        if !self.open.any() {
            return self.sums.iter().collect();
        }
        let behind = |i: usize, j: usize| self.wins[(i, j)] < self.wins[(j, i)];
        let term = |i: usize, j: usize| divergence(self.wins[(i, j)], self.wins[(j, i)]);
        let sum = |i: usize| (0..self.arms).filter(|&j| behind(i, j)).map(|j| term(i, j)).sum();
        (0..self.arms).map(sum).collect()
    }

    /// Whether `j` is in O(`i`).
    #[inline]
    pub(super) fn is_not_ahead(&self, i: usize, j: usize) -> bool {
        !self.wins.beats(i, j)
    }

    /// The opponent of `arm` by RMED1, perhaps `arm` itself.
    pub(super) fn opponent(&self, arm: usize, generator: &mut Generator) -> usize {
        let leader = self.leader();
        if (arm != leader && self.is_not_ahead(arm, leader)) || self.lost_to[arm] == 0 {
            return leader;
        }
        self.means.draw_smallest(arm, generator)
    }

    /// b(`arm`), each cost counting as at least `least`.
    pub(super) fn cheapest_opponent(&self, arm: usize, least: f64) -> usize {
        let leader = self.leader();
        let means = &self.means.row(leader)[..self.arms];
        let Some(table) = &self.per_divergence else {
            return leader;
        };
        let row = table.row(arm);
        let own = if arm == leader { 0.5 } else { means[arm] };
        let weighed = |mean: f64, per_divergence: f64| {
            let cost = own + mean - 1.0;
            let cost = if cost > least { cost } else { least };
            if per_divergence > 0.0 { cost * per_divergence } else { f64::INFINITY }
        };
        // The leader's mean against itself stands as infinite: it is handled separately.
        let at_leader = weighed(0.5, row[leader]);
        let mut lanes = [f64::INFINITY; 4];
        let (means_by_four, last_means) = means.as_chunks::<4>();
        let (row_by_four, last_row) = row.as_chunks::<4>();
        for (means, row) in means_by_four.iter().zip(row_by_four) {
            for ((lane, &mean), &per_divergence) in lanes.iter_mut().zip(means).zip(row) {
                let value = weighed(mean, per_divergence);
                *lane = if value < *lane { value } else { *lane };
            }
        }
        let rest = last_means.iter().zip(last_row);
        let lowest = lanes
            .into_iter()
            .chain(rest.map(|(&mean, &per_divergence)| weighed(mean, per_divergence)))
            .fold(f64::INFINITY, |low, value| if value < low { value } else { low });
        if lowest == f64::INFINITY || at_leader < lowest {
            return leader;
        }
        let mut all = means.iter().zip(row);
        let first = all.position(|(&mean, &per_divergence)| weighed(mean, per_divergence) == lowest);
        let first = first.unwrap_or(leader);
        if at_leader == lowest { first.min(leader) } else { first }
    }

    /// Takes in a duel.
    pub(super) fn record(&mut self, winner: usize, loser: usize) {
        let pair = (winner.min(loser), winner.max(loser));
        let (won, lost) = self.wins.record(winner, loser);

        // The pair's term belongs to the arm that is behind (to both, as 0, where they are even).
        let old = self.terms[pair];
        let was_behind = if won - 1 < lost { winner } else { loser };
        let new = self.weight(winner, loser);
        let is_behind = if won < lost { winner } else { loser };
        // Mostly it stays with the same arm.
        if was_behind == is_behind {
            self.sums.add(is_behind, new - old);
        } else {
            self.sums.add(was_behind, -old);
            self.sums.add(is_behind, new);
        }
        self.terms[pair] = new;

        // O holds the arms that are not ahead: the winner may have left the loser's O, as an equal.
        if won - 1 == lost {
            self.lost_to[winner] -= 1;
        }
        if won == lost {
            self.lost_to[loser] += 1;
        }
        let total = f64::from(won) + f64::from(lost);
        self.means.set(winner, loser, f64::from(won) / total);
        self.means.set(loser, winner, f64::from(lost) / total);
        if let Some(table) = &mut self.per_divergence {
            let inverse = inverse_divergence(divergence(won, lost), total);
            table[(winner, loser)] = if won < lost { inverse } else { 0.0 };
            table[(loser, winner)] = if lost < won { inverse } else { 0.0 };
        }
    }
}

/// 1 / kl, up to a factor that all pairs share, from n kl.
#[inline]
fn inverse_divergence(term: i64, total: f64) -> f64 {
    total / (term.max(1)) as f64
}
