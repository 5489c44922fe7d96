//! Thompson's sampling of single arms.

use super::SingletonBandit;
use crate::Generator;
use crate::random::{Beta, Normals};
use crate::state::{state, stored};

/// Picks each arm with the probability that it is the best, given its wins and losses and a
/// uniform prior on its probability of winning: one Beta draw an arm, the largest is picked.
///
/// W. R. Thompson, "On the Likelihood that One Unknown Probability Exceeds Another in View of the
/// Evidence of Two Samples", Biometrika 25, 1933, <https://doi.org/10.2307/2332286>.
#[derive(Debug, Clone)]
pub struct Thompson {
    normals: Normals,
    counts: Vec<[f64; 2]>,
    posterior: Vec<Beta>,
}

state!(Thompson { counts, posterior } but { normals });

impl Thompson {
    /// For `arms` arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Self { normals: Normals::new(), counts: vec![[0.0; 2]; arms], posterior: vec![Beta::new(1.0, 1.0); arms] }
    }

    /// Counts wins and losses of an arm, which need not be whole.
    #[inline]
    pub fn count(&mut self, arm: usize, won: f64, lost: f64) {
        let counts = &mut self.counts[arm];
        counts[0] += won;
        counts[1] += lost;
        self.posterior[arm] = Beta::new(counts[0] + 1.0, counts[1] + 1.0);
    }
}

impl SingletonBandit for Thompson {
    fn arms(&self) -> usize {
        self.posterior.len()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (arm, posterior) in self.posterior.iter().enumerate() {
            let theta = posterior.draw(self.normals, generator);
            if theta > best.0 {
                best = (theta, arm);
            }
        }
        best.1
    }

    #[inline]
    fn learn(&mut self, arm: usize, won: bool) {
        let won = f64::from(u8::from(won));
        self.count(arm, won, 1.0 - won);
    }

    /// Its wins and losses together: how often it was tried.
    fn score(&self, arm: usize) -> f64 {
        self.counts[arm][0] + self.counts[arm][1]
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
