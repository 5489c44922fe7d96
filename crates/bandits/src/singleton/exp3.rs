//! Exponential weights for single arms, which assume nothing about the outcomes.

use super::{SingletonBandit, highest_score};
use crate::random::{WeightTree, below, unit};
use crate::{Arm, Generator, state, stored};

/// Weights as powers of e: drawn from in O(log K), and never too large or too small to be distinguished
/// apart, as logarithms are kept beside them.
#[derive(Debug, Clone)]
pub(crate) struct ExpWeights {
    logs: Vec<f64>,
    /// The tree holds exp(log - shift).
    shift: f64,
    tree: WeightTree,
}

state!(ExpWeights { logs, shift, tree });

/// How far a logarithm may rise above the shift.
const MAX_LOG_ABOVE_SHIFT: f64 = 300.0;

impl ExpWeights {
    pub(crate) fn new(arms: usize) -> Self {
        Self { logs: vec![0.0; arms], shift: 0.0, tree: WeightTree::ones(arms) }
    }

    pub(crate) fn arms(&self) -> usize {
        self.logs.len()
    }

    /// The logarithms of the weights.
    pub(crate) fn logs(&self) -> &[f64] {
        &self.logs
    }

    /// The arm of the largest weight, ties at random; `None` where all are equal (but a lone arm is the best there is).
    pub(crate) fn heaviest(&self, generator: &mut Generator) -> Option<Arm> {
        highest_score(self.logs.len(), |arm| self.logs[arm], generator)
    }

    /// The probability of an arm: (1 - rate) weight / total + rate / K.
    #[inline]
    pub(crate) fn probability(&self, arm: usize, rate: f64) -> f64 {
        (1.0 - rate) * self.tree.weight(arm) / self.tree.total() + rate / self.logs.len() as f64
    }

    /// An arm with that probability.
    #[inline]
    pub(crate) fn draw(&self, rate: f64, generator: &mut Generator) -> usize {
        if unit(generator) < rate { below(generator, self.logs.len()) } else { self.tree.draw(generator) }
    }

    /// Multiplies a weight by e to this power.
    #[inline]
    pub(crate) fn raise(&mut self, arm: usize, power: f64) {
        self.logs[arm] += power;
        if self.logs[arm] - self.shift > MAX_LOG_ABOVE_SHIFT {
            self.shift_to(self.logs[arm]);
        } else {
            self.tree.set(arm, libm::exp(self.logs[arm] - self.shift));
            // Where all weights have fallen far below 1, their sum loses its digits.
            if self.tree.total() < 1e-100 {
                let top = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                self.shift_to(top);
            }
        }
    }

    #[cold]
    fn shift_to(&mut self, shift: f64) {
        self.shift = shift;
        let logs = &self.logs;
        self.tree.set_all(|arm| libm::exp(logs[arm] - shift));
    }
}

/// How much of EXP3's choice is uniform, and how fast it learns.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Rate {
    /// The same share at every pick, in (0, 1].
    Fixed(f64),
    /// min(`most`, sqrt(K ln K / max(t, 10^4))) at pick t, which needs no horizon.
    Falling {
        /// The most it may be.
        most: f64,
    },
}

impl Rate {
    /// The rate of pick `step`, from 1.
    #[inline]
    pub(crate) fn at(self, step: u64, arms: usize) -> f64 {
        match self {
            Self::Fixed(rate) => rate,
            Self::Falling { most } => most.min(tuned_rate(arms, step.max(10_000) as f64)),
        }
    }
}

/// sqrt(K ln K / t), or 1 if there is only one arm.
pub(crate) fn tuned_rate(arms: usize, time: f64) -> f64 {
    let arms = arms.max(2) as f64;
    (arms * libm::log(arms) / time).sqrt()
}

/// Picks an arm with probability p = (1 - rate) w / W + rate / K, and multiplies its weight w by
/// exp(rate / (p K)) if it wins.
///
/// P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire, "The Nonstochastic Multiarmed Bandit
/// Problem", SIAM Journal on Computing 32(1), 2002, <https://doi.org/10.1137/S0097539701398375>.
#[derive(Debug, Clone)]
pub struct Exp3 {
    rate: Rate,
    step: u64,
    weights: ExpWeights,
}

state!(Exp3 { step, weights } but { rate });

impl Exp3 {
    /// For `arms` arms.
    #[must_use]
    pub fn new(arms: usize, rate: Rate) -> Self {
        Self { rate, step: 1, weights: ExpWeights::new(arms) }
    }

    /// The rate tuned to a horizon: min(1, sqrt(K ln K / ((e - 1) T))), corollary 3.2 of the paper;
    /// 1 for a horizon of 0.
    #[must_use]
    pub fn rate_for(arms: usize, horizon: u64) -> Rate {
        let gain = (std::f64::consts::E - 1.0) * horizon as f64;
        Rate::Fixed(tuned_rate(arms, gain).min(1.0))
    }
}

impl SingletonBandit for Exp3 {
    fn arms(&self) -> usize {
        self.weights.arms()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        let rate = self.rate.at(self.step, self.arms());
        self.weights.draw(rate, generator)
    }

    fn learn(&mut self, arm: usize, won: bool) {
        let arms = self.arms();
        let rate = self.rate.at(self.step, arms);
        self.step += 1;
        if won {
            let p = self.weights.probability(arm, rate);
            self.weights.raise(arm, rate / (p * arms as f64));
        }
    }

    /// The logarithm of its weight.
    fn score(&self, arm: usize) -> f64 {
        self.weights.logs()[arm]
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let mut exp3 = Exp3::new(3, Rate::Fixed(0.2));
        let mut picked = Vec::new();
        for _ in 0..40 {
            let arm = exp3.pick(&mut generator);
            exp3.learn(arm, arm == 1);
            picked.push(arm);
        }
        assert_eq!(picked[..12], [2, 2, 1, 1, 0, 1, 1, 0, 1, 1, 2, 1]);
        let weights: Vec<String> = (0..3).map(|arm| format!("{:.9}", exp3.score(arm))).collect();
        assert_eq!(weights, ["0.000000000", "3.454651518", "0.000000000"]);
    }

    #[test]
    fn weights_stay_numbers_whatever_their_size() {
        let mut weights = ExpWeights::new(3);
        for step in 0..100_000 {
            weights.raise(1, 0.9);
            weights.raise(2, if step < 50_000 { 1.0 } else { 0.7 });
            weights.raise(0, -0.5);
        }
        let sum: f64 = (0..3).map(|arm| weights.probability(arm, 0.1)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert!((weights.logs()[1] - 90_000.0).abs() < 1e-3);
        // Arm 1 has come out 5,000 powers of e ahead.
        assert!((weights.probability(1, 0.1) - (0.9 + 0.1 / 3.0)).abs() < 1e-12);

        // All fall far below their start.
        let mut weights = ExpWeights::new(2);
        for _ in 0..2_000 {
            weights.raise(0, -1.0);
            weights.raise(1, -1.0);
        }
        assert!((weights.probability(0, 0.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn arms_are_drawn_with_their_probabilities() {
        let mut generator = Generator::seed_from_u64(2);
        let mut weights = ExpWeights::new(4);
        for (arm, power) in [0.3, -1.0, 1.5, 0.0].into_iter().enumerate() {
            weights.raise(arm, power);
        }
        let draws = 50_000;
        let mut counts = [0_u32; 4];
        for _ in 0..draws {
            counts[weights.draw(0.3, &mut generator)] += 1;
        }
        for (arm, count) in counts.into_iter().enumerate() {
            let (n, p) = (f64::from(draws), weights.probability(arm, 0.3));
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - n * p).abs() < bound, "{counts:?}");
        }
    }

    #[test]
    fn rates_are_those_of_the_paper() {
        let Rate::Fixed(rate) = Exp3::rate_for(10, 100_000) else {
            panic!("a fixed rate");
        };
        // sqrt(10 ln 10 / (1.718 10^5)).
        assert!((rate - 0.011_576).abs() < 1e-6, "{rate}");
        assert_eq!(Exp3::rate_for(10, 3), Rate::Fixed(1.0));
        assert_eq!(Exp3::rate_for(2, 0), Rate::Fixed(1.0));
        let falling = Rate::Falling { most: 0.5 };
        assert_eq!(falling.at(5, 10), falling.at(10_000, 10));
        assert!(falling.at(20_000, 10) < falling.at(10_000, 10));
        assert_eq!(falling.at(5, 10_000), 0.5);
    }
}
