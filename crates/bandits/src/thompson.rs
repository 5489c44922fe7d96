//! Two arms by Thompson sampling: the first wins the most duels of a tournament drawn from what is
//! known of every pair, the second looks best against the first in a second, independent draw.
//!
//! With theta(i, j) from Beta(w(i, j) + 1, w(j, i) + 1) the tournament asks only whether theta exceeds
//! 1/2, and so does the second draw at first, where an arm's preference over itself is 1/2: whoever is
//! below cannot be second. A coin of known bias stands in for each, and a Beta variate is drawn only of
//! the few above 1/2, given that they are.

use crate::beta::{geometric, preference_above_half, uniform};
use crate::bounds::last_step_below;
use crate::draw::{argmax, below};
use crate::{Arm, Choice, Generator};

mod knockout;
mod posterior;

use knockout::Knockout;
pub(crate) use posterior::Posterior;

/// Who may take part in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    /// Who may be first, in order.
    pub(crate) first: &'a [Arm],
    /// Evidence for each pair that the arm of the row loses to that of the column; with more than
    /// `time` of it against the first, an arm may not be second. None: any may.
    pub(crate) against: Option<(&'a [f64], f64)>,
    /// All this is so, unless a duel changes it, until alpha ln t reaches that much; and alpha.
    pub(crate) soonest: (f64, f64),
}

impl Field<'_> {
    fn may_be_second(&self, first: usize, second: usize, arms: usize) -> bool {
        self.against.is_none_or(|(against, time)| against[first * arms + second] <= time)
    }
}

/// A tournament is cut short where the favourite loses to no more than one arm in so many.
const KNOCKOUT: usize = 16;

/// How several arms that win the most duels of the tournament are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// At random.
    Random,
    /// By the regret that they promise (D-TS+).
    Regret,
}

/// Draws pairs of arms.
#[derive(Debug, Clone)]
pub(crate) struct Sampler {
    posterior: Posterior,
    ties: Ties,
    /// Whose row of a tournament is drawn first: the one to win the last.
    favourite: usize,
    /// Whom the favourite beats in the present tournament: 1 or 0 for each arm.
    favourite_row: Vec<u32>,
    row: Vec<u32>,
    scores: Vec<u32>,
    inside: Vec<u32>,
    knockout: Knockout,
    /// Of all pairs i < j, whether i won; kept only for `Ties::Regret`.
    outcomes: Vec<u32>,
    regrets: Vec<f64>,
    /// This arm's stretch alone is over, as its length was drawn: it does not once more sweep both
    /// draws.
    ended: Option<usize>,
}

impl Sampler {
    pub(crate) fn new(arms: usize, ties: Ties) -> Self {
        Self {
            posterior: Posterior::new(arms),
            ties,
            favourite: 0,
            favourite_row: vec![0; arms],
            row: vec![0; arms],
            scores: vec![0; arms],
            inside: vec![0; arms],
            knockout: Knockout::new(arms),
            outcomes: match ties {
                Ties::Random => Vec::new(),
                Ties::Regret => vec![0; arms * arms],
            },
            regrets: vec![0.0; arms],
            ended: None,
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.posterior.arms
    }

    pub(crate) fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) -> (u32, u32) {
        self.posterior.record(winner, loser)
    }

    /// The pair for `step`, or the first arm alone for as long as it would be drawn against itself.
    pub(crate) fn choose(&mut self, field: Field<'_>, step: u64, generator: &mut Generator) -> Choice<'static> {
        // An arm that wins every duel of both draws is first and second. It may do so again and
        // again, and as nothing is learnt, for a geometric number of steps.
        let (first, swept, second) = match self.ended.take() {
            None => {
                let (first, swept) = self.first(field, generator);
                let second = self.second(first, field, generator);
                (first, swept, second)
            }
            Some(arm) => self.after(arm, field, generator),
        };
        if first != second {
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        let mut until = step;
        if swept {
            let (one, other) = self.sweeps(first, field);
            let last = step.saturating_add(geometric(one + other, generator) - 1);
            let same = last_step_below(field.soonest.0, field.soonest.1).max(step);
            until = last.min(same);
            if last < same {
                self.ended = Some(first);
            }
        }
        Choice::Alone { arm: Arm::at(first), until }
    }

    /// ln of the probability that `arm` is first for winning every duel (or being alone in the
    /// field), and that nobody then looks better against it than itself.
    fn sweeps(&self, arm: usize, field: Field<'_>) -> (f64, f64) {
        let (mut everyone, mut open) = (0.0, 0.0);
        for other in 0..self.arms() {
            let log = libm::log1p(-self.posterior.chance(other, arm));
            everyone += log;
            if field.may_be_second(arm, other, self.arms()) {
                open += log;
            }
        }
        let first = if field.first.len() == 1 { 0.0 } else { everyone };
        (first, open)
    }

    /// A step's draws given that `arm` does not sweep both.
    #[cold]
    fn after(&mut self, arm: usize, field: Field<'_>, generator: &mut Generator) -> (usize, bool, usize) {
        let (one, other) = self.sweeps(arm, field);
        let swept_one_only = libm::exp(one) * libm::expm1(other) / libm::expm1(one + other);
        if uniform(generator) < swept_one_only {
            let arms = self.arms();
            self.upsets(arm, |second| field.may_be_second(arm, second, arms), generator);
            return (arm, true, self.best_above_half(arm, field, generator));
        }
        self.upsets(arm, |_| true, generator);
        for (beats, lost) in self.favourite_row.iter_mut().zip(&self.row) {
            *beats = 1 - lost;
        }
        self.favourite_row[arm] = 0;
        self.favourite = arm;
        let first = self.rest_of_tournament(field, generator);
        (first, false, self.second(first, field, generator))
    }

    /// Draws into `row` who of the `open` beats `arm`, given that someone does.
    fn upsets(&mut self, arm: usize, open: impl Fn(usize) -> bool, generator: &mut Generator) {
        let posterior = &self.posterior;
        let chance = |other: usize| {
            if open(other) { posterior.chance(other, arm) } else { 0.0 }
        };
        let nobody: f64 = (0..posterior.arms).map(|other| libm::log1p(-chance(other))).sum();
        // The first of them, in the order of arms.
        let mut left = uniform(generator) * -libm::expm1(nobody);
        let (mut first, mut before) = (None, 1.0);
        for other in 0..posterior.arms {
            let chance = chance(other);
            if chance > 0.0 {
                first = Some(other);
                if left < before * chance {
                    break;
                }
                left -= before * chance;
                before *= 1.0 - chance;
            }
        }
        self.row.fill(0);
        let Some(first) = first else {
            return;
        };
        self.row[first] = 1;
        for other in first + 1..posterior.arms {
            if chance(other) > 0.0 {
                self.row[other] = u32::from(posterior.wins_once(other, arm, generator));
            }
        }
    }

    /// Who wins the most duels of a tournament among the field's first, and whether it wins all (or
    /// is the only one).
    fn first(&mut self, field: Field<'_>, generator: &mut Generator) -> (usize, bool) {
        if let [only] = field.first {
            return (only.index(), true);
        }
        if field.first.binary_search(&Arm::at(self.favourite)).is_err() {
            self.favourite = field.first[0].index();
        }
        self.posterior.draw_row(self.favourite, 0, &mut self.favourite_row, generator);
        let won: u32 = self.favourite_row.iter().sum();
        if won as usize == self.arms() - 1 {
            return (self.favourite, true);
        }
        (self.rest_of_tournament(field, generator), false)
    }

    /// Who wins the most duels, given the favourite's, which it does not win all.
    fn rest_of_tournament(&mut self, field: Field<'_>, generator: &mut Generator) -> usize {
        let lost = self.arms() - 1 - self.favourite_row.iter().sum::<u32>() as usize;
        let champion = if self.ties == Ties::Regret {
            self.play_all(field.first, generator);
            self.least_regret(field.first, generator)
        } else if lost <= self.arms() / KNOCKOUT {
            self.knockout.champion(&self.posterior, field.first, self.favourite, &self.favourite_row, generator)
        } else {
            self.play_all(field.first, generator);
            let scores = field.first.iter().map(|arm| self.scores[arm.index()]);
            let top = scores.clone().max().unwrap_or(0);
            let count = scores.clone().filter(|&score| score == top).count();
            let chosen = below(generator, count);
            let mut tops = scores.zip(field.first).filter(|&(score, _)| score == top);
            tops.nth(chosen).map_or(self.favourite, |(_, arm)| arm.index())
        };
        self.favourite = champion;
        champion
    }

    /// Plays out the tournament into `scores`: all pairs that take in an arm of `first` (or, for the
    /// sake of ties, all there are), the favourite's as they stand.
    fn play_all(&mut self, first: &[Arm], generator: &mut Generator) {
        let arms = self.arms();
        let all = self.ties == Ties::Regret || first.len() == arms;
        self.inside.fill(0);
        for arm in first {
            self.inside[arm.index()] = 1;
        }
        self.scores.fill(0);
        for i in (0..arms).filter(|&i| i != self.favourite) {
            if !all && self.inside[i] == 0 {
                continue;
            }
            // Pairs of two arms of the field are played in the lower one's row.
            let from = if all { i + 1 } else { 0 };
            self.posterior.draw_row(i, from, &mut self.row, generator);
            if self.favourite >= from {
                self.row[self.favourite] = 0;
            }
            let mut won = 0;
            if !all {
                for (wins, inside) in self.row[..i].iter().zip(&self.inside) {
                    won += wins & (1 - inside);
                }
            }
            for (wins, score) in self.row[i + 1..].iter().zip(&mut self.scores[i + 1..]) {
                won += wins;
                *score += 1 - wins;
            }
            self.scores[i] += won;
            if self.ties == Ties::Regret {
                self.outcomes[i * arms + i + 1..(i + 1) * arms].copy_from_slice(&self.row[i + 1..]);
            }
        }
        let mut total = 0;
        for (score, beaten) in self.scores.iter_mut().zip(&self.favourite_row) {
            *score += 1 - beaten;
            total += beaten;
        }
        self.scores[self.favourite] = total;
    }

    /// Of the arms that won the most duels, the one whose sampled preferences promise the least
    /// regret: the sum over j of (top score - the mean score of i and j) / kl(theta(i, j), 1/2).
    fn least_regret(&mut self, first: &[Arm], generator: &mut Generator) -> usize {
        let arms = self.arms();
        let scores = &self.scores;
        let score = |arm: &Arm| scores[arm.index()];
        let top = first.iter().map(score).max().unwrap_or(0);
        let mut tied = first.iter().filter(|arm| score(arm) == top);
        if let (Some(only), None) = (tied.next(), tied.next()) {
            return only.index();
        }
        let highest = self.scores.iter().copied().max().unwrap_or(0);
        self.regrets.fill(f64::INFINITY);
        for arm in first.iter().filter(|arm| score(arm) == top) {
            self.regrets[arm.index()] = 0.0;
        }
        for i in 0..arms {
            if self.regrets[i] == f64::INFINITY {
                continue;
            }
            for j in (0..arms).filter(|&j| j != i) {
                let both = self.regrets[j] < f64::INFINITY;
                let gap = f64::from(2 * highest - self.scores[i] - self.scores[j]);
                // A pair of tied arms shares one draw, and so one divergence.
                if gap > 0.0 && !(both && j < i) {
                    let regret = gap / self.sampled_divergence(i, j, generator);
                    self.regrets[i] += regret;
                    if both {
                        self.regrets[j] += regret;
                    }
                }
            }
        }
        argmax(generator, self.regrets.iter().map(|regret| -regret)).unwrap_or(self.favourite)
    }

    /// kl(theta(i, j), 1/2) for a preference drawn given who won in the tournament.
    fn sampled_divergence(&self, i: usize, j: usize, generator: &mut Generator) -> f64 {
        let arms = self.arms();
        let won = if i == self.favourite {
            self.favourite_row[j] == 1
        } else if j == self.favourite {
            self.favourite_row[i] == 0
        } else if i < j {
            self.outcomes[i * arms + j] == 1
        } else {
            self.outcomes[j * arms + i] == 0
        };
        let (winner, loser) = if won { (i, j) } else { (j, i) };
        let wins = self.posterior.wins();
        let (won, lost) = (wins[winner * arms + loser], wins[loser * arms + winner]);
        let lean = 2.0 * preference_above_half(generator, won, lost) - 1.0;
        0.5 * ((1.0 + lean) * libm::log1p(lean) + (1.0 - lean) * libm::log1p(-lean))
    }

    /// Who looks best against `first` in a draw of its own: `first` itself, where nobody's preference
    /// over it is above 1/2.
    fn second(&mut self, first: usize, field: Field<'_>, generator: &mut Generator) -> usize {
        self.posterior.draw_row(first, 0, &mut self.row, generator);
        for wins in &mut self.row {
            *wins = 1 - *wins;
        }
        self.row[first] = 0;
        self.best_above_half(first, field, generator)
    }

    /// The arm with the largest preference over `first`, of those that `row` says are above 1/2.
    fn best_above_half(&self, first: usize, field: Field<'_>, generator: &mut Generator) -> usize {
        let arms = self.arms();
        let wins = self.posterior.wins();
        let (mut best, mut highest) = (first, 0.5);
        let above = self.row.iter().enumerate().filter(|&(_, &above)| above == 1);
        for (arm, _) in above {
            if field.may_be_second(first, arm, arms) {
                let (won, lost) = (wins[arm * arms + first], wins[first * arms + arm]);
                let preference = preference_above_half(generator, won, lost);
                if preference > highest {
                    (best, highest) = (arm, preference);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// A sampler that has seen some duels, most won by the lower arm.
    fn informed(arms: usize, duels: usize, ties: Ties) -> Sampler {
        let mut generator = Generator::seed_from_u64(7);
        let mut sampler = Sampler::new(arms, ties);
        for _ in 0..duels {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            let upset = below(&mut generator, 10) < 3;
            let (low, high) = (Arm::at(i.min(j)), Arm::at(i.max(j)));
            if upset {
                sampler.record(high, low);
            } else {
                sampler.record(low, high);
            }
        }
        sampler
    }

    /// Two samples of as many draws differ by less than five standard deviations in each cell.
    fn assert_alike(one: &[u32], other: &[u32]) {
        assert!(one.iter().filter(|&&count| count > 100).count() > 3, "{one:?}");
        for (&a, &b) in one.iter().zip(other) {
            let (a, b) = (f64::from(a), f64::from(b));
            assert!((a - b).abs() <= 5.0 * (a + b).sqrt(), "{one:?} {other:?}");
        }
    }

    #[test]
    fn tournaments_cut_short_have_the_same_winners() {
        let (arms, draws) = (20, 60_000);
        let sampler = informed(arms, 800, Ties::Random);
        let everyone: Vec<Arm> = (0..arms).map(Arm::at).collect();
        for first in [everyone, [1, 2, 3, 4, 5, 7, 11, 19].map(Arm).to_vec()] {
            let favourite = first[1].index();
            let mut row = vec![1; arms];
            row[favourite] = 0;
            for arm in [0, 2, 5, 7] {
                row[arm] = 0;
            }
            let mut counts = [vec![0; arms], vec![0; arms]];
            let mut sampler = sampler.clone();
            let mut generator = Generator::seed_from_u64(8);
            for _ in 0..draws {
                let champion = sampler.knockout.champion(&sampler.posterior, &first, favourite, &row, &mut generator);
                counts[0][champion] += 1;

                sampler.favourite = favourite;
                sampler.favourite_row.clone_from(&row);
                sampler.play_all(&first, &mut generator);
                let scores: Vec<u32> = first.iter().map(|arm| sampler.scores[arm.index()]).collect();
                let place = argmax(&mut generator, scores.iter()).expect("some are in");
                counts[1][first[place].index()] += 1;
            }
            assert_alike(&counts[0], &counts[1]);
        }
    }

    #[test]
    fn upsets_are_drawn_given_that_there_are_some() {
        let (arms, draws) = (6, 40_000);
        let mut sampler = informed(arms, 60, Ties::Random);
        let mut generator = Generator::seed_from_u64(9);
        let open = |arm: usize| arm != 3;
        let mut counts = [vec![0; 1 << arms], vec![0; 1 << arms]];
        let code = |row: &[u32]| row.iter().fold(0, |code, bit| 2 * code + *bit as usize);
        for _ in 0..draws {
            sampler.upsets(1, open, &mut generator);
            counts[0][code(&sampler.row)] += 1;
            loop {
                let row: Vec<u32> = (0..arms)
                    .map(|arm| open(arm) && sampler.posterior.wins_once(arm, 1, &mut generator))
                    .map(u32::from)
                    .collect();
                if row.contains(&1) {
                    counts[1][code(&row)] += 1;
                    break;
                }
            }
        }
        assert_eq!(counts[0][0], 0);
        assert_alike(&counts[0], &counts[1]);
    }
}
