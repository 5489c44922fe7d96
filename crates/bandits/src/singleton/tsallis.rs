//! Tsallis-INF: a regularised leader, which assumes nothing about the outcomes and has logarithmic regret where
//! they are drawn independently.

use super::SingletonBandit;
use crate::Generator;
use crate::random::unit;
use crate::{named_values, state, stored};

named_values! {
    /// How the loss of every arm is estimated from that of the arm picked.
    pub enum Estimator {
        /// Importance weighting: l / w for the arm picked, 0 for the others; eta(t) = 2 / sqrt(t).
        Importance = "importance",
        /// Reduced variance: b + (l - b) / w for the arm picked and b for the others, where b is 1/2 for arms of probability
        /// eta(t)^2 or more and 0 for the rest; eta(t) = 4 / sqrt(t).
        Reduced = "reduced",
    }
}

impl Estimator {
    /// eta(t), the rate of learning at pick t, from 1.
    fn rate(self, step: u64) -> f64 {
        let factor = match self {
            Self::Importance => 2.0,
            Self::Reduced => 4.0,
        };
        factor / (step as f64).sqrt()
    }

    /// The value that the estimate of an arm of this probability is pulled towards.
    fn baseline(self, probability: f64, rate: f64) -> f64 {
        if self == Self::Reduced && probability >= rate * rate { 0.5 } else { 0.0 }
    }
}

/// Picks arm i with probability w(i) = 4 / (eta (L(i) - x))^2, where L(i) is the sum of its estimated losses, and x, below
/// all of them, is such that the probabilities add up to 1. The loss of an arm is 0 if it wins and 1 if it does not.
///
/// J. Zimmert, Y. Seldin, "Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits", Journal of Machine
/// Learning Research 22(28), 2021, <https://doi.org/10.48550/arXiv.1807.07623>, algorithm 1 with alpha = 1/2.
#[derive(Debug, Clone)]
pub struct TsallisInf {
    estimator: Estimator,
    step: u64,
    losses: Vec<f64>,
    /// The largest loss there has been.
    largest: f64,
    /// x at the last pick, where the search for the next begins.
    normalizer: f64,
    /// w at the last pick.
    probabilities: Vec<f64>,
}

state!(TsallisInf { step, losses, largest, normalizer, probabilities } but { estimator });

impl TsallisInf {
    /// For `arms` arms, at least one.
    #[must_use]
    pub fn new(arms: usize, estimator: Estimator) -> Self {
        Self {
            estimator,
            step: 1,
            losses: vec![0.0; arms],
            largest: 0.0,
            normalizer: f64::NEG_INFINITY,
            probabilities: vec![1.0 / arms as f64; arms],
        }
    }

    /// Brings the probabilities up to date, by Newton's method: their sum is a convex function of x that rises, so that steps
    /// from where it is above 1 never pass the root.
    fn normalize(&mut self, rate: f64) {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        // The root is between the x at which the arm that leads would have probability 1 and that at which all arms as good
        // as it would share it.
        let upper_bound = least - 2.0 / rate;
        let lower_bound = least - 2.0 * (self.losses.len() as f64).sqrt() / rate;
        let mut x = self.normalizer.clamp(lower_bound, upper_bound);
        for _ in 0..MAX_NEWTON_STEPS {
            let (sum, slope) = self.probabilities_at(x, rate);
            let next = (x - (sum - 1.0) / slope).clamp(lower_bound, upper_bound);
            if (sum - 1.0).abs() < SUM_TOLERANCE || next == x {
                break;
            }
            x = next;
        }
        self.normalizer = x;
    }

    /// Sets the probabilities to those at x; returns their sum and how fast it rises with x.
    fn probabilities_at(&mut self, x: f64, rate: f64) -> (f64, f64) {
        let (mut sum, mut cubes) = (0.0, 0.0);
        for (probability, loss) in self.probabilities.iter_mut().zip(&self.losses) {
            let root = 2.0 / (rate * (loss - x));
            *probability = root * root;
            sum += *probability;
            cubes += *probability * root;
        }
        (sum, rate * cubes)
    }
}

/// How close to 1 the probabilities add up. Draws are proportional to them.
const SUM_TOLERANCE: f64 = 1e-10;
/// A limit for sums that rounding keeps from coming that close.
const MAX_NEWTON_STEPS: usize = 100;

impl SingletonBandit for TsallisInf {
    fn arms(&self) -> usize {
        self.losses.len()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        self.normalize(self.estimator.rate(self.step));
        let mut left = unit(generator) * self.probabilities.iter().sum::<f64>();
        for (arm, probability) in self.probabilities.iter().enumerate() {
            left -= probability;
            if left < 0.0 {
                return arm;
            }
        }
        self.arms() - 1
    }

    fn learn(&mut self, arm: usize, won: bool) {
        let rate = self.estimator.rate(self.step);
        self.step += 1;
        if self.estimator == Estimator::Reduced {
            for (loss, &probability) in self.losses.iter_mut().zip(&self.probabilities) {
                *loss += self.estimator.baseline(probability, rate);
            }
        }
        let probability = self.probabilities[arm];
        let loss = f64::from(u8::from(!won));
        self.losses[arm] += (loss - self.estimator.baseline(probability, rate)) / probability;
        self.largest = self.losses.iter().copied().fold(self.largest, f64::max);
    }

    /// How far its estimated losses are below the largest there have been.
    fn score(&self, arm: usize) -> f64 {
        self.largest - self.losses[arm]
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// x by bisection, and the probabilities there.
    fn plain(losses: &[f64], rate: f64) -> Vec<f64> {
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let at = |x: f64| losses.iter().map(|loss| 4.0 / (rate * (loss - x)).powi(2)).collect::<Vec<_>>();
        let (mut low, mut high) = (least - 1e9, least);
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            if at(middle).iter().sum::<f64>() > 1.0 { high = middle } else { low = middle }
        }
        at(low)
    }

    #[test]
    fn probabilities_are_those_of_the_rule() {
        for estimator in [Estimator::Importance, Estimator::Reduced] {
            let mut generator = Generator::seed_from_u64(1);
            let mut bandit = TsallisInf::new(7, estimator);
            let mut losses = vec![0.0; 7];
            for step in 1..=3_000_u64 {
                let picked = bandit.pick(&mut generator);
                let rate = if estimator == Estimator::Importance { 2.0 } else { 4.0 } / (step as f64).sqrt();
                let expected = plain(&losses, rate);
                for (one, other) in bandit.probabilities.iter().zip(&expected) {
                    assert!((one - other).abs() < 1e-8, "step {step}: {:?} {expected:?}", bandit.probabilities);
                }
                // Arm 2 wins three times in four, the others once in two.
                let won = step % 4 != 0 && (picked == 2 || step % 2 == 1);
                let loss = if won { 0.0 } else { 1.0 };
                for (arm, total) in losses.iter_mut().enumerate() {
                    let w = bandit.probabilities[arm];
                    let b = if estimator == Estimator::Reduced && w >= rate * rate { 0.5 } else { 0.0 };
                    *total += if arm == picked { (loss - b) / w + b } else { b };
                }
                bandit.learn(picked, won);
                for (one, other) in bandit.losses.iter().zip(&losses) {
                    assert!((one - other).abs() < 1e-9 * (1.0 + other.abs()), "step {step}");
                }
            }
            let best = (0..7).max_by(|&a, &b| bandit.score(a).total_cmp(&bandit.score(b)));
            assert_eq!(best, Some(2), "{estimator:?}");
        }
    }

    #[test]
    fn estimates_are_unbiased() {
        // The mean over the arm picked, weighed by its probability, is the loss of every arm.
        for estimator in [Estimator::Importance, Estimator::Reduced] {
            let mut before = TsallisInf::new(4, estimator);
            (before.losses, before.step) = (vec![3.0, 0.0, 40.0, 12.0], 900);
            before.pick(&mut Generator::seed_from_u64(1));
            let losses = [0.0, 1.0, 1.0, 0.0];
            let mut mean = [0.0; 4];
            for (picked, &loss) in losses.iter().enumerate() {
                let mut after = before.clone();
                after.learn(picked, loss == 0.0);
                for (arm, mean) in mean.iter_mut().enumerate() {
                    *mean += before.probabilities[picked] * (after.losses[arm] - before.losses[arm]);
                }
            }
            let sum: f64 = before.probabilities.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9);
            for (mean, loss) in mean.iter().zip(losses) {
                assert!((mean - loss).abs() < 1e-8, "{estimator:?}: {mean} {loss}");
            }
        }
    }

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let mut bandit = TsallisInf::new(3, Estimator::Reduced);
        let mut picked = Vec::new();
        for _ in 0..40 {
            let arm = bandit.pick(&mut generator);
            bandit.learn(arm, arm == 1);
            picked.push(arm);
        }
        assert_eq!(picked[..12], [2, 1, 0, 1, 1, 1, 2, 1, 0, 1, 1, 1]);
    }
}
