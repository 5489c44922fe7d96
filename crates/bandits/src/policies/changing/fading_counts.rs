//! Counts of duels that fade: the last of them, or all of them with falling weights.

use std::collections::VecDeque;

use crate::confidence::largest;
use crate::counts::{OpenDuels, PairTable};
use crate::random::best_arm;
use crate::state::{State, StateError, StateReader, StateWriter};
use crate::{Arm, Generator, state};

/// How outcomes are forgotten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ForgettingRule {
    /// The outcomes of this many last steps count.
    Window(u64),
    /// Each step multiplies the weight of everything earlier by this.
    Discount(f64),
}

/// The wins of each pair, as far as they are remembered, and the evidence against each arm.
#[derive(Debug, Clone)]
pub(super) struct FadingCounts {
    rule: ForgettingRule,
    /// A duel of today in the units of the tables: 1 with a window; with a discount it grows, which spares the tables a
    /// multiplication at each step.
    unit: f64,
    won: PairTable<f64>,
    met: PairTable<f64>,
    /// (w(j, i) - w(i, j))^2 / 4n of an arm i that is behind, as in `confidence::Evidence`.
    against: PairTable<f64>,
    strongest: Vec<f64>,
    /// With a window: step, winner and loser of each duel in it.
    duels: Duels,
    /// The step of the last look.
    now: u64,
}

state!(FadingCounts { unit, won, met, against, strongest, duels, now } but { rule });

/// Beyond this the tables return to small numbers.
const MAX_SCALE: f64 = 1e100;

impl FadingCounts {
    pub(super) fn new(arms: usize, rule: ForgettingRule) -> Self {
        Self {
            rule,
            unit: 1.0,
            won: PairTable::new(arms, 0.0),
            met: PairTable::new(arms, 0.0),
            against: PairTable::new(arms, 0.0),
            strongest: vec![0.0; arms],
            duels: Duels::default(),
            now: 0,
        }
    }

    pub(super) fn arms(&self) -> usize {
        self.won.arms()
    }

    /// Forgets the outcomes that are past at `step`; returns how many steps are remembered, by weight.
    pub(super) fn forget(&mut self, step: u64) -> f64 {
        let passed = step - self.now;
        self.now = step;
        match self.rule {
            ForgettingRule::Window(window) => {
                while let Some((winner, loser)) = self.duels.pop_expired(window, step) {
                    self.count(winner, loser, -1.0);
                }
                (step - 1).min(window) as f64
            }
            ForgettingRule::Discount(factor) => {
                for _ in 0..passed {
                    self.unit /= factor;
                }
                if self.unit > MAX_SCALE {
                    self.rescale();
                }
                factor * (1.0 - libm::pow(factor, (step - 1) as f64)) / (1.0 - factor)
            }
        }
    }

    /// Takes in the duel of `step`, the last that was looked at, or an earlier one.
    pub(super) fn record(&mut self, step: u64, winner: usize, loser: usize) {
        match self.rule {
            ForgettingRule::Window(window) => {
                // One that comes so late that its step is forgotten is not worth counting.
                if step.saturating_add(window) >= self.now {
                    self.duels.insert(step, winner, loser);
                    self.count(winner, loser, 1.0);
                }
            }
            ForgettingRule::Discount(factor) => {
                let weight = self.unit * libm::pow(factor, (self.now - step) as f64);
                self.count(winner, loser, weight);
            }
        }
    }

    fn count(&mut self, winner: usize, loser: usize, weight: f64) {
        self.won[(winner, loser)] += weight;
        for pair in [(winner, loser), (loser, winner)] {
            self.met[pair] += weight;
        }
        let lead = self.won[(winner, loser)] - self.won[(loser, winner)];
        let met = self.met[(winner, loser)];
        let evidence = if met > 0.0 { lead * lead / (4.0 * met) } else { 0.0 };
        self.against[(winner, loser)] = if lead < 0.0 { evidence } else { 0.0 };
        self.against[(loser, winner)] = if lead > 0.0 { evidence } else { 0.0 };
        for arm in [winner, loser] {
            self.strongest[arm] = largest(self.against.row(arm));
        }
    }

    #[cold]
    fn rescale(&mut self) {
        let back = 1.0 / self.unit;
        for table in [&mut self.won, &mut self.met, &mut self.against] {
            for arm in 0..table.arms() {
                table.row_mut(arm).iter_mut().for_each(|value| *value *= back);
            }
        }
        self.strongest.iter_mut().for_each(|value| *value *= back);
        self.unit = 1.0;
    }

    /// Whether an arm's upper bounds against all others are at least 1/2, for alpha ln N = `time`.
    pub(super) fn is_candidate(&self, arm: usize, time: f64) -> bool {
        self.strongest[arm] <= time * self.unit
    }

    /// Whether some upper bound of an arm would be below 1/2 if the duels under way, `more`, ended at their pair's mean.
    pub(super) fn would_leave(&self, arm: usize, time: f64, more: &OpenDuels) -> bool {
        let pairs = self.against.row(arm).iter().zip(self.met.row(arm)).enumerate();
        pairs.filter(|(_, (evidence, _))| **evidence > 0.0).any(|(other, (evidence, met))| {
            let known = met / self.unit;
            evidence * (1.0 + f64::from(more.between(arm, other)) / known) > time * self.unit
        })
    }

    /// The bound of each opponent of `champion`: its share of their duels and sqrt(time / n); infinite where n = 0. `more`
    /// are duels under way, which count in n.
    pub(super) fn bounds(&self, champion: usize, time: f64, more: &OpenDuels, bounds: &mut Vec<f64>) {
        let (won, met) = (self.won.row(champion), self.met.row(champion));
        bounds.clear();
        if !more.any() {
            let time = time * self.unit;
            let bound = |(won, met): (&f64, &f64)| {
                if *met > 0.0 { 1.0 - won / met + (time / met).sqrt() } else { f64::INFINITY }
            };
            bounds.extend(won.iter().zip(met).map(bound));
            return;
        }
        let bound = |(opponent, (&won, &met)): (usize, (&f64, &f64))| {
            let all = met / self.unit + f64::from(more.between(champion, opponent));
            let mean = if met > 0.0 { 1.0 - won / met } else { 0.5 };
            if all > 0.0 { mean + (time / all).sqrt() } else { f64::INFINITY }
        };
        bounds.extend(won.iter().zip(met).enumerate().map(bound));
    }

    /// The evidence for each pair that the arm of the row loses to that of the column, and the threshold beyond which an upper
    /// bound is below 1/2, for alpha ln N = `time`.
    pub(super) fn evidence_and_threshold(&self, time: f64) -> (&PairTable<f64>, f64) {
        (&self.against, time * self.unit)
    }

    /// How many upper bounds of an arm are below 1/2.
    pub(super) fn losses(&self, arm: usize, time: f64) -> usize {
        if self.is_candidate(arm, time) {
            return 0;
        }
        self.against.row(arm).iter().filter(|&&evidence| evidence > time * self.unit).count()
    }

    /// How often `i` won against `j`, and `j` against `i`, as far as it is remembered.
    pub(super) fn between(&self, i: usize, j: usize) -> (f64, f64) {
        (self.won[(i, j)] / self.unit, self.won[(j, i)] / self.unit)
    }

    /// The arm that beats the greatest number of others in more than half of their remembered duels, ties at random;
    /// `None` if no arm beats any (but a lone arm is the best there is).
    pub(super) fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        let arms = self.arms();
        let beats = |i: usize, j: usize| self.won[(i, j)] > self.won[(j, i)];
        let beaten: Vec<usize> = (0..arms).map(|i| (0..arms).filter(|&j| beats(i, j)).count()).collect();
        if arms > 1 && beaten.iter().all(|&count| count == 0) {
            return None;
        }
        best_arm(generator, beaten.into_iter())
    }
}

/// Duels in the order of their steps, each with its winner and its loser.
#[derive(Debug, Clone, Default)]
pub(super) struct Duels(VecDeque<(u64, u32, u32)>);

impl Duels {
    pub(super) fn insert(&mut self, step: u64, winner: usize, loser: usize) {
        let later = self.0.iter().rev().take_while(|duel| duel.0 > step).count();
        self.0.insert(self.0.len() - later, (step, winner as u32, loser as u32));
    }

    /// Takes out the winner and the loser of a duel that is not among those of the last `window` steps before `step`.
    pub(super) fn pop_expired(&mut self, window: u64, step: u64) -> Option<(usize, usize)> {
        let (_, winner, loser) = self.0.pop_front_if(|duel| duel.0.saturating_add(window) < step)?;
        Some((winner as usize, loser as usize))
    }

    /// The step of the first.
    pub(super) fn first(&self) -> Option<u64> {
        self.0.front().map(|duel| duel.0)
    }
}

impl State for Duels {
    fn save(&self, to: &mut StateWriter) {
        self.0.iter().copied().collect::<Vec<_>>().save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let mut duels: Vec<(u64, u32, u32)> = Vec::new();
        duels.load(from)?;
        self.0 = duels.into();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::below;

    /// Both rules beside sums over all duels, with steps without duels and duels that are recorded late.
    #[test]
    fn what_is_remembered_is_the_weighted_sum() {
        let arms = 4;
        for rule in [ForgettingRule::Window(30), ForgettingRule::Discount(0.9), ForgettingRule::Discount(1e-3)] {
            let mut generator = Generator::seed_from_u64(1);
            let mut memory = FadingCounts::new(arms, rule);
            let mut all: Vec<(u64, usize, usize)> = Vec::new();
            for step in 1..600_u64 {
                let steps = memory.forget(step);
                let weight = |played: u64| match rule {
                    ForgettingRule::Window(window) => f64::from(u8::from(step - played <= window)),
                    ForgettingRule::Discount(factor) => libm::pow(factor, (step - played) as f64),
                };
                let sum = |i: usize, j: usize| -> f64 {
                    all.iter().filter(|duel| (duel.1, duel.2) == (i, j)).map(|duel| weight(duel.0)).sum()
                };
                assert!((steps - (1..step).map(weight).sum::<f64>()).abs() < 1e-6, "{rule:?}, {step}");
                for i in 0..arms {
                    let mut strongest: f64 = 0.0;
                    let mut bounds = Vec::new();
                    memory.bounds(i, 2.0, &OpenDuels::new(arms), &mut bounds);
                    for (j, bound) in bounds.into_iter().enumerate().filter(|&(j, _)| j != i) {
                        let (won, lost) = (sum(i, j), sum(j, i));
                        let met = won + lost;
                        assert!(
                            bound.is_finite() == (met > 0.0) || met < 1e-100 && rule != ForgettingRule::Window(30),
                            "{rule:?}, {step}"
                        );
                        // The weights of the window are whole numbers, those of a discount fall below any digit.
                        if met > 1e-6 {
                            assert!((bound - lost / met - (2.0 / met).sqrt()).abs() < 1e-6 * bound, "{rule:?}, {step}");
                            let behind = (lost - won).max(0.0);
                            strongest = strongest.max(behind * behind / (4.0 * met));
                        }
                    }
                    for j in (0..arms).filter(|&j| j != i) {
                        let (won, lost) = (sum(i, j), sum(j, i));
                        let near = |one: f64, other: f64| (one - other).abs() < 1e-9 * (1.0 + other);
                        assert!(near(memory.between(i, j).0, won) && near(memory.between(i, j).1, lost));
                        let evidence = (lost - won).max(0.0).powi(2) / (4.0 * (won + lost)).max(1e-6);
                        for (time, is) in [(evidence + 1e-6, false), (evidence - 1e-6, true)] {
                            assert!(
                                (memory.evidence_and_threshold(time).0[(i, j)] > memory.evidence_and_threshold(time).1)
                                    == is
                                    || evidence < 1e-6,
                                "{rule:?}, {step}, {i}, {j}"
                            );
                        }
                    }
                    for (time, is) in [(strongest + 1e-6, true), (strongest - 1e-6, false)] {
                        assert!(memory.is_candidate(i, time) == is || strongest < 1e-6, "{rule:?}, {step}, {i}");
                    }
                }
                let (winner, loser) = (below(&mut generator, arms), below(&mut generator, arms));
                let late = below(&mut generator, 40) as u64;
                let played = if late < 35 { step } else { step.saturating_sub(late).max(1) };
                if winner != loser {
                    memory.record(played, winner, loser);
                    all.push((played, winner, loser));
                }
            }
        }
    }
}
