//! Exponential weights, partly shared among all arms, so that an arm that becomes best late is soon found.

use super::SingletonBandit;
use crate::Generator;
use crate::random::{WeightTree, below, unit};
use crate::{state, stored};

/// Picks an arm with probability p = (1 - gamma) w / W + gamma / K. The weight w of the arm picked is then multiplied by
/// exp(gamma / (p K)) if it won; and in any case all weights grow by e alpha W / K, with W from before.
///
/// P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM Journal on
/// Computing 32(1), 2002, <https://doi.org/10.1137/S0097539701398375>, section 8.
#[derive(Debug, Clone)]
pub struct Exp3S {
    gamma: f64,
    alpha: f64,
    /// A weight is, up to a factor of all, what the tree holds of it and `shared`: a pick costs O(log K).
    own: WeightTree,
    shared: f64,
    arms: usize,
}

state!(Exp3S { own, shared } but { gamma, alpha, arms });

/// Once the sum of the weights is above this, all are divided by it, to stay finite.
const MAX_WEIGHT_SUM: f64 = 1e100;

impl Exp3S {
    /// For `arms` arms, at least one; gamma is in (0, 1] and alpha at least 0.
    #[must_use]
    pub fn new(arms: usize, gamma: f64, alpha: f64) -> Self {
        Self { gamma, alpha, own: WeightTree::ones(arms), shared: 0.0, arms }
    }

    /// min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))): gamma for a horizon T in which the best arm changes S - 1 times, with
    /// alpha = 1 / T (section 8 of the paper); 1 for a horizon of 0.
    #[must_use]
    pub fn gamma_for(arms: usize, horizon: u64, stretches: f64) -> f64 {
        let (k, t) = (arms as f64, horizon as f64);
        let e = std::f64::consts::E;
        if horizon == 0 { 1.0 } else { (k * (stretches * libm::log(k * t) + e) / ((e - 1.0) * t)).sqrt().min(1.0) }
    }

    /// W.
    fn total(&self) -> f64 {
        self.own.total() + self.arms as f64 * self.shared
    }

    /// w / W.
    fn share(&self, arm: usize) -> f64 {
        (self.own.weight(arm) + self.shared) / self.total()
    }

    fn probability(&self, arm: usize) -> f64 {
        (1.0 - self.gamma) * self.share(arm) + self.gamma / self.arms as f64
    }
}

impl SingletonBandit for Exp3S {
    fn arms(&self) -> usize {
        self.arms
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        let uniform = self.gamma + (1.0 - self.gamma) * (self.arms as f64 * self.shared / self.total());
        if unit(generator) < uniform { below(generator, self.arms) } else { self.own.draw(generator) }
    }

    fn learn(&mut self, arm: usize, won: bool) {
        let share = std::f64::consts::E * self.alpha * self.total() / self.arms as f64;
        if won {
            let factor = libm::exp(self.gamma / (self.probability(arm) * self.arms as f64));
            // The shared part does not grow: the arm's own part grows for both.
            let own = self.own.weight(arm);
            self.own.set(arm, factor * own + (factor - 1.0) * self.shared);
        }
        self.shared += share;
        let total = self.total();
        if total > MAX_WEIGHT_SUM {
            let own: Vec<f64> = (0..self.arms).map(|arm| self.own.weight(arm) / total).collect();
            self.own.set_all(|arm| own[arm]);
            self.shared /= total;
        }
    }

    /// w / W.
    fn score(&self, arm: usize) -> f64 {
        self.share(arm)
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// The rule as it is written, with every weight by itself.
    #[test]
    fn the_weights_are_those_of_the_rule() {
        let (gamma, alpha, arms) = (0.2, 0.001, 5);
        let mut exp3s = Exp3S::new(arms, gamma, alpha);
        let mut weights = vec![1.0; arms];
        let mut generator = Generator::seed_from_u64(3);
        for step in 0..20_000 {
            let arm = exp3s.pick(&mut generator);
            // The first arm is the best, and later the third.
            let won = arm == if step < 10_000 { 0 } else { 2 } || step % 3 == 0;
            let total: f64 = weights.iter().sum();
            let p = (1.0 - gamma) * weights[arm] / total + gamma / arms as f64;
            assert!((p - exp3s.probability(arm)).abs() < 1e-9, "step {step}");
            if won {
                weights[arm] *= libm::exp(gamma / (p * arms as f64));
            }
            weights.iter_mut().for_each(|weight| *weight += std::f64::consts::E * alpha * total / arms as f64);
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= total);
            exp3s.learn(arm, won);
            if step == 9_999 {
                assert!(exp3s.share(0) > 0.5, "{}", exp3s.share(0));
            }
        }
        assert!(exp3s.share(2) > 0.5, "{}", exp3s.share(2));
        assert!(exp3s.shared.is_finite() && exp3s.total() < MAX_WEIGHT_SUM);
    }

    #[test]
    fn arms_are_drawn_with_their_probabilities() {
        let mut exp3s = Exp3S::new(4, 0.1, 0.01);
        let mut generator = Generator::seed_from_u64(2);
        for arm in [0, 2, 2, 1, 2] {
            exp3s.learn(arm, true);
        }
        let draws = 50_000;
        let mut counts = [0_u32; 4];
        for _ in 0..draws {
            counts[exp3s.pick(&mut generator)] += 1;
        }
        for (arm, count) in counts.into_iter().enumerate() {
            let (n, p) = (f64::from(draws), exp3s.probability(arm));
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - n * p).abs() < bound, "{counts:?}");
        }
    }

    #[test]
    fn gamma_is_that_of_the_paper() {
        // sqrt(10 (3 ln 10^6 + e) / (1.71828 10^5)).
        assert!(
            (Exp3S::gamma_for(10, 100_000, 3.0) - 0.050_698).abs() < 1e-6,
            "{}",
            Exp3S::gamma_for(10, 100_000, 3.0)
        );
        assert_eq!(Exp3S::gamma_for(10, 3, 1.0), 1.0);
        assert_eq!(Exp3S::gamma_for(10, 0, 1.0), 1.0);
    }
}
