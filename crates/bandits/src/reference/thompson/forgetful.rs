//! D-TS that forgets, as its rule is written: at every step the table of remembered duels is made from that of the step before,
//! or from the duels themselves, and preferences are drawn from their Beta distributions.

use crate::counts::PairTable;
use crate::policies::changing::dts::{DiscountedDtsConfig, SlidingDtsConfig};
use crate::random::{argmax, preference};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// How outcomes are forgotten.
#[derive(Debug, Clone, Copy)]
enum ForgettingRule {
    Window(u64),
    Discount(f64),
}

/// D-TS that forgets, as its rule is written.
#[derive(Debug, Clone)]
pub struct ReferenceForgetfulDts {
    alpha: f64,
    rule: ForgettingRule,
    /// Step, winner and loser of each duel in the window.
    duels: Vec<(u64, usize, usize)>,
    wins: PairTable<f64>,
    /// N, and the step that it is of.
    steps: (f64, u64),
}

impl ReferenceForgetfulDts {
    /// Sliding-window D-TS, for valid parameters and at least one arm.
    #[must_use]
    pub fn sliding(config: &SlidingDtsConfig, arms: usize) -> Self {
        Self::new(config.alpha, ForgettingRule::Window(config.window as u64), arms)
    }

    /// Discounted D-TS, for valid parameters and at least one arm.
    #[must_use]
    pub fn discounted(config: &DiscountedDtsConfig, arms: usize) -> Self {
        Self::new(config.alpha, ForgettingRule::Discount(1.0 - 1.0 / config.memory), arms)
    }

    fn new(alpha: f64, rule: ForgettingRule, arms: usize) -> Self {
        Self { alpha, rule, duels: Vec::new(), wins: PairTable::new(arms, 0.0), steps: (0.0, 0) }
    }

    fn forget(&mut self, step: u64) {
        match self.rule {
            ForgettingRule::Window(window) => {
                self.duels.retain(|duel| step - duel.0 <= window);
                self.wins = PairTable::new(self.wins.arms(), 0.0);
                for &(_, winner, loser) in &self.duels {
                    self.wins[(winner, loser)] += 1.0;
                }
                self.steps = (step.min(window) as f64, step);
            }
            ForgettingRule::Discount(factor) => {
                for _ in self.steps.1..step {
                    self.steps.0 = factor * self.steps.0 + 1.0;
                    for arm in 0..self.wins.arms() {
                        self.wins.row_mut(arm).iter_mut().for_each(|weight| *weight *= factor);
                    }
                }
                self.steps.1 = step;
            }
        }
    }

    /// Whether u(i, j) >= 1/2; l(j, i) <= 1/2 is the same.
    fn may_beat(&self, i: usize, j: usize) -> bool {
        let (won, lost) = (self.wins[(i, j)], self.wins[(j, i)]);
        let count = won + lost;
        count == 0.0 || won / count + (self.alpha * libm::log(self.steps.0) / count).sqrt() >= 0.5
    }

    fn draw(&self, i: usize, j: usize, generator: &mut Generator) -> f64 {
        preference(generator, self.wins[(i, j)], self.wins[(j, i)])
    }

    fn first(&self, generator: &mut Generator) -> usize {
        let arms = self.wins.arms();
        let ahead = |i: usize| (0..arms).filter(|&j| j != i && self.may_beat(i, j)).count();
        let most = (0..arms).map(ahead).max().unwrap_or(0);
        let candidates: Vec<usize> = (0..arms).filter(|&i| ahead(i) == most).collect();
        if let [only] = candidates[..] {
            return only;
        }
        let mut scores = vec![0; arms];
        for i in 0..arms {
            for j in i + 1..arms {
                if candidates.contains(&i) || candidates.contains(&j) {
                    scores[if self.draw(i, j, generator) > 0.5 { i } else { j }] += 1;
                }
            }
        }
        let best = argmax(generator, candidates.iter().map(|&arm| scores[arm]));
        best.map_or(0, |place| candidates[place])
    }
}

impl Policy for ReferenceForgetfulDts {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.forget(step);
        let first = self.first(generator);
        let mut theta = vec![0.0; self.wins.arms()];
        for (i, theta) in theta.iter_mut().enumerate() {
            *theta = match i {
                _ if i == first => 0.5,
                _ if self.may_beat(first, i) => self.draw(i, first, generator),
                _ => 0.0,
            };
        }
        let second = argmax(generator, theta.into_iter()).unwrap_or(first);
        if first == second {
            return Choice::Alone { arm: Arm::at(first), until: step };
        }
        Choice::Duel(Arm::at(first), Arm::at(second))
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            match self.rule {
                ForgettingRule::Window(_) => self.duels.push((step, winner.index(), loser.index())),
                ForgettingRule::Discount(_) => self.wins[(winner, loser)] += 1.0,
            }
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
