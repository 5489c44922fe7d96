//! What the RMED policies keep: the divergences of each arm, and the lists that passes go through.
//! See [`rmed`](super::rmed) for what they mean.

use super::rmed::{allowance, divergence};
use crate::Generator;
use crate::clock::Clock;
use crate::draw::below;
use crate::minima::Minima;

/// Divergences are counted in units of 2^-30, as in [`rmed`](super::rmed).
const UNIT: f64 = 1.0 / (1_u64 << 30) as f64;

/// Who won how often, I(i) of every arm, and i*.
#[derive(Debug, Clone)]
pub(super) struct Divergences {
    arms: usize,
    wins: Vec<u32>,
    /// mu(l, j) in row l; infinite on the diagonal, so that no arm is its own weakest spot.
    means: Minima<f64>,
    /// n kl(mu, 1/2) of each pair i < j, at `i * arms + j`.
    terms: Vec<i64>,
    /// 1 / kl(mu(l, j), 1/2) where mu(l, j) < 1/2, otherwise 0; empty where nobody asks.
    per_divergence: Vec<f64>,
    /// I(i), in one row.
    sums: Minima<i64>,
    /// The size of O(i).
    lost_to: Vec<u32>,
    /// i*.
    leader: usize,
}

impl Divergences {
    /// Of pairs that never met. [`cheapest`](Self::cheapest) may be asked only with `costs`.
    pub(super) fn new(arms: usize, costs: bool) -> Self {
        let mut means = Minima::new(arms, arms, 0.5, f64::INFINITY);
        for arm in 0..arms {
            means.set(arm, arm, f64::INFINITY);
        }
        Self {
            arms,
            wins: vec![0; arms * arms],
            means,
            terms: vec![0; arms * arms],
            per_divergence: vec![0.0; if costs { arms * arms } else { 0 }],
            sums: Minima::new(1, arms, 0, i64::MAX),
            lost_to: vec![arms as u32 - 1; arms],
            leader: 0,
        }
    }

    pub(super) fn arms(&self) -> usize {
        self.arms
    }

    pub(super) fn wins(&self) -> &[u32] {
        &self.wins
    }

    pub(super) fn sums(&self) -> &[i64] {
        &self.sums.row(0)[..self.arms]
    }

    pub(super) fn leader(&self) -> usize {
        self.leader
    }

    /// How often two arms met.
    #[inline]
    pub(super) fn met(&self, i: usize, j: usize) -> u32 {
        self.wins[i * self.arms + j] + self.wins[j * self.arms + i]
    }

    /// Whether `j` is in O(`i`).
    #[inline]
    pub(super) fn not_ahead(&self, i: usize, j: usize) -> bool {
        self.wins[i * self.arms + j] <= self.wins[j * self.arms + i]
    }

    /// The opponent of `arm` by RMED1, perhaps `arm` itself.
    pub(super) fn opponent(&self, arm: usize, generator: &mut Generator) -> usize {
        let leader = self.leader;
        if (arm != leader && self.not_ahead(arm, leader)) || self.lost_to[arm] == 0 {
            return leader;
        }
        let mut weakest = self.means.holders(arm);
        let ties = weakest.clone().count();
        weakest.nth(below(generator, ties)).unwrap_or(leader)
    }

    /// b(`arm`), each cost counting as at least `least`.
    pub(super) fn cheapest(&self, arm: usize, least: f64) -> usize {
        let leader = self.leader;
        let means = &self.means.row(leader)[..self.arms];
        let row = &self.per_divergence[arm * self.arms..(arm + 1) * self.arms];
        let own = if arm == leader { 0.5 } else { means[arm] };
        let weighed = |mean: f64, per_divergence: f64| {
            let cost = own + mean - 1.0;
            let cost = if cost > least { cost } else { least };
            if per_divergence > 0.0 { cost * per_divergence } else { f64::INFINITY }
        };
        // The leader's mean against itself stands as infinite: it is looked at by itself.
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
        let (forth, back) = (winner * self.arms + loser, loser * self.arms + winner);
        let term = self.arms * winner.min(loser) + winner.max(loser);
        self.wins[forth] += 1;
        let (won, lost) = (self.wins[forth], self.wins[back]);

        // The pair's term belongs to the arm that is behind (to both, as 0, where they are even).
        let old = self.terms[term];
        let was_behind = if won - 1 < lost { winner } else { loser };
        self.sums.set(0, was_behind, self.sums.get(0, was_behind) - old);
        let new = divergence(won, lost);
        let is_behind = if won < lost { winner } else { loser };
        self.sums.set(0, is_behind, self.sums.get(0, is_behind) + new);
        self.terms[term] = new;
        self.leader = self.sums.holders(0).next().unwrap_or(0);

        // O holds who is not ahead: the winner may have left the loser's company of equals.
        if won - 1 == lost {
            self.lost_to[winner] -= 1;
        }
        if won == lost {
            self.lost_to[loser] += 1;
        }
        let total = f64::from(won) + f64::from(lost);
        self.means.set(winner, loser, f64::from(won) / total);
        self.means.set(loser, winner, f64::from(lost) / total);
        if !self.per_divergence.is_empty() {
            let inverse = per_divergence(new, total);
            self.per_divergence[forth] = if won < lost { inverse } else { 0.0 };
            self.per_divergence[back] = if lost < won { inverse } else { 0.0 };
        }
    }
}

/// 1 / kl, up to a factor that all pairs share, from n kl.
#[inline]
fn per_divergence(term: i64, total: f64) -> f64 {
    total / (term.max(1)) as f64
}

/// Where an arm stands in the passes over the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Still to come in this pass.
    Coming,
    /// In the next pass.
    Next,
    /// In neither.
    Out,
}

/// The lists L_C, L_R and L_N.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    /// f(K).
    bonus: f64,
    clock: Clock,
    /// This pass, and how much of it is played.
    pass: Vec<usize>,
    played: usize,
    place: Vec<Place>,
    /// How many arms are in the next pass.
    admitted: usize,
    /// No arm that is out has a smaller I.
    lowest_out: i64,
    /// Arms whose I or place the last step changed.
    touched: Option<[usize; 2]>,
}

impl Passes {
    pub(super) fn new(arms: usize, bonus: f64) -> Self {
        Self {
            bonus,
            clock: Clock::new(),
            pass: (0..arms).collect(),
            played: 0,
            place: vec![Place::Coming; arms],
            admitted: 0,
            lowest_out: i64::MAX,
            touched: None,
        }
    }

    /// Whether a pass is about to begin.
    pub(super) fn at_start(&self) -> bool {
        self.played == 0 || self.played == self.pass.len()
    }

    /// The next arm of the pass, or the first of the next.
    pub(super) fn next_arm(&mut self) -> usize {
        if self.played == self.pass.len() {
            self.begin();
        }
        let arm = self.pass[self.played];
        self.played += 1;
        self.place[arm] = Place::Out;
        arm
    }

    fn begin(&mut self) {
        self.pass.clear();
        self.played = 0;
        self.admitted = 0;
        for (arm, place) in self.place.iter_mut().enumerate() {
            if *place == Place::Next {
                *place = Place::Coming;
                self.pass.push(arm);
            }
        }
    }

    /// Notes that these two meet.
    pub(super) fn touch(&mut self, arm: usize, opponent: usize) {
        self.touched = Some([arm, opponent]);
    }

    /// Notes that any arm may have changed.
    pub(super) fn touch_all(&mut self) {
        self.lowest_out = i64::MIN;
    }

    /// Lets into the next pass whom `step`, the last one played in a pass, lets in.
    pub(super) fn admit(&mut self, step: u64, state: &Divergences) {
        let Some(touched) = self.touched.take() else {
            return;
        };
        let most = state.sums.smallest(0).saturating_add(allowance(self.clock.ln(step as f64), self.bonus));
        for arm in touched {
            self.look_at(arm, most, state);
        }
        if most >= self.lowest_out {
            self.lowest_out = i64::MAX;
            for arm in 0..self.place.len() {
                self.look_at(arm, most, state);
            }
        }
    }

    #[inline]
    fn look_at(&mut self, arm: usize, most: i64, state: &Divergences) {
        if self.place[arm] == Place::Out {
            let sum = state.sums.get(0, arm);
            if sum <= most {
                self.place[arm] = Place::Next;
                self.admitted += 1;
            } else {
                self.lowest_out = self.lowest_out.min(sum);
            }
        }
    }

    /// Whether the arm that plays now is all there is of this pass and the next.
    pub(super) fn nobody_else(&self) -> bool {
        self.played == self.pass.len() && self.admitted == 0
    }

    /// The first step, `step` or later, that lets in an arm other than the leader.
    pub(super) fn alone_until(&self, step: u64, state: &Divergences) -> u64 {
        let others = state.sums().iter().enumerate().filter(|&(arm, _)| arm != state.leader);
        let Some(nearest) = others.map(|(_, &sum)| sum).min() else {
            return u64::MAX;
        };
        let needed = nearest - state.sums.smallest(0);
        let reached = |step: u64| allowance(libm::log(step as f64), self.bonus) >= needed;
        let guess = libm::exp(needed as f64 * UNIT - self.bonus);
        if guess >= 9e15 {
            return u64::MAX;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9e15")]
        let mut first = (guess as u64).max(step);
        while first > step && reached(first - 1) {
            first -= 1;
        }
        while !reached(first) {
            first += 1;
        }
        first
    }
}
