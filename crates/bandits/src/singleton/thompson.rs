//! Thompson's sampling of single arms.

use super::SingletonBandit;
use crate::Generator;
use crate::random::{BetaPosterior, Largest};
use crate::{state, stored};

/// Picks each arm with the probability that it is the best, given its wins and losses and a
/// uniform prior on its probability of winning: one Beta draw per arm, the largest is picked.
///
/// W. R. Thompson, "On the Likelihood that One Unknown Probability Exceeds Another in View of the
/// Evidence of Two Samples", Biometrika 25, 1933, <https://doi.org/10.2307/2332286>.
#[derive(Debug, Clone)]
pub struct Thompson {
    posteriors: Largest<BetaPosterior>,
}

state!(Thompson { posteriors });

impl Thompson {
    /// For `arms` arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Self { posteriors: Largest::new(arms, BetaPosterior::new(0.0, 0.0)) }
    }

    /// Counts wins and losses of an arm, which need not be whole.
    #[inline]
    pub fn count(&mut self, arm: usize, won: f64, lost: f64) {
        let before = self.posteriors.distributions()[arm];
        self.posteriors.set(arm, BetaPosterior::new(before.won + won, before.lost + lost));
    }
}

impl SingletonBandit for Thompson {
    fn arms(&self) -> usize {
        self.posteriors.distributions().len()
    }

    #[inline]
    fn pick(&mut self, generator: &mut Generator) -> usize {
        self.posteriors.draw(generator)
    }

    #[inline]
    fn learn(&mut self, arm: usize, won: bool) {
        let won = f64::from(u8::from(won));
        self.count(arm, won, 1.0 - won);
    }

    /// Its wins and losses together: how often it was tried.
    fn score(&self, arm: usize) -> f64 {
        let BetaPosterior { won, lost, .. } = self.posteriors.distributions()[arm];
        won + lost
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
        let mut thompson = Thompson::new(4);
        thompson.learn(2, true);
        thompson.learn(0, false);
        let picked: Vec<usize> = (0..8).map(|_| thompson.pick(&mut generator)).collect();
        assert_eq!(picked, [0, 2, 2, 2, 3, 3, 2, 2]);
    }

    #[test]
    fn arms_are_picked_by_their_probability_of_being_best() {
        // Beta(1, 1) against Beta(2, 1): the second is the larger with probability 2/3.
        let mut generator = Generator::seed_from_u64(3);
        let mut thompson = Thompson::new(2);
        thompson.learn(1, true);
        let picks = 60_000;
        let second = (0..picks).filter(|_| thompson.pick(&mut generator) == 1).count();
        let bound = 5.0 * (f64::from(picks) * 2.0 / 9.0).sqrt();
        let off = second as f64 - f64::from(picks) * 2.0 / 3.0;
        assert!(off.abs() < bound, "{second}");
    }
}
