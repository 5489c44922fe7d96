//! D-EXP3: exponential weights of estimated Borda scores, whatever the preferences do. Its Borda regret grows like
//! K^(1/3) T^(2/3), which no algorithm beats where preferences are chosen by an adversary.
//!
//! With q(i) = (1 - gamma) exp(eta S(i)) / sum over j of exp(eta S(j)) + gamma / K, at each step:
//!
//! 1. a and b are drawn independently, each with probabilities q, and meet;
//! 2. if a wins, S(a) rises by 1 / (K q(a) q(b)).
//!
//! This is an unbiased estimate of the share of all K arms that a beats, itself included by half.
//!
//! ## References
//!
//! A. Saha, T. Koren, Y. Mansour, "Adversarial Dueling Bandits", ICML 2021, <https://doi.org/10.48550/arXiv.2010.14563>,
//! algorithm 1.
//!
//! ## Notes
//!
//! * eta = (ln K / (T sqrt K))^(2/3) and gamma = sqrt(eta K), at most 1, for horizon T, as in its theorem.
//! * An arm may meet itself: a fair coin, from which it learns.
//! * Only the arm that was drawn first learns: its opponent's score would need weights of its own.
//! * Weights are kept as logarithms and drawn from a tree of sums: a step costs O(log K).
//! * The arm reported has the largest weight.

use crate::algorithm::{given_horizon, papers};
use crate::singleton::ExpWeights;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, state, stored};

config! {
    /// D-EXP3's parameters.
    pub struct Dexp3Config {
        /// How much of each draw is uniform, in (0, 1], which also sets eta = gamma^2 / K; `None` for that of the horizon.
        gamma: Option<f64> = None, "how much of each draw is uniform; eta = gamma^2 / K" [share];
    }

    policy Dexp3 {
        name: "dexp3",
        summary: "exponential weights of Borda scores (Saha et al., ICML 2021)",
        paper: papers::SAHA_ICML_2021,
        needs_horizon: true,
    }

    fn uses_horizon(&self) -> bool {
        self.gamma.is_none()
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Dexp3 {
        Dexp3::new(self, arms, horizon)
    }
}

/// D-EXP3.
#[derive(Debug, Clone)]
pub struct Dexp3 {
    gamma: f64,
    eta: f64,
    /// exp(eta S).
    weights: ExpWeights,
}

state!(Dexp3 { weights } but { gamma, eta });

impl Dexp3 {
    fn new(config: &Dexp3Config, arms: usize, horizon: Option<u64>) -> Self {
        let count = arms.max(2) as f64;
        let tuned = || {
            let eta = libm::pow(libm::log(count) / (given_horizon(horizon) as f64 * count.sqrt()), 2.0 / 3.0);
            (eta * count).sqrt().min(1.0)
        };
        let gamma = config.gamma.unwrap_or_else(tuned);
        Self { gamma, eta: gamma * gamma / count, weights: ExpWeights::new(arms) }
    }
}

impl Policy for Dexp3 {
    fn arms(&self) -> usize {
        self.weights.arms()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let first = self.weights.draw(self.gamma, generator);
        let second = self.weights.draw(self.gamma, generator);
        Choice::Duel(Arm::at(first), Arm::at(second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, first_won: true } = feedback {
            let q = |arm: Arm| self.weights.probability(arm.index(), self.gamma);
            let power = self.eta / (self.arms() as f64 * q(winner) * q(loser));
            self.weights.raise(winner.index(), power);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.weights.heaviest(generator)
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;
    use crate::random::unit;

    /// The mean by which S rises in a step is exactly that of the paper: summed over all draws and outcomes.
    #[test]
    fn scores_are_estimated_without_bias() {
        let p = [[0.5, 0.7, 0.2], [0.3, 0.5, 0.9], [0.8, 0.1, 0.5]];
        let policy = || Dexp3Config { gamma: Some(0.3) }.policy(3, None).expect("valid");
        let mut start = policy();
        let mut generator = Generator::seed_from_u64(1);
        for step in 1..200 {
            let Choice::Duel(first, second) = start.choose(step, &mut generator) else { panic!("always a duel") };
            let first_won = unit(&mut generator) < p[first.index()][second.index()];
            start.learn(step, Feedback::of_duel(first, second, first_won));
        }
        for (i, row) in p.iter().enumerate() {
            let mut mean = 0.0;
            for (j, &wins) in row.iter().enumerate() {
                let mut after = start.clone();
                after.learn(200, Feedback::of_duel(Arm::at(i), Arm::at(j), true));
                let rise = (after.weights.logs()[i] - start.weights.logs()[i]) / start.eta;
                let drawn = start.weights.probability(i, 0.3) * start.weights.probability(j, 0.3);
                mean += drawn * wins * rise;
            }
            let score = row.iter().sum::<f64>() / 3.0;
            assert!((mean - score).abs() < 1e-9, "{i}: {mean}, {score}");
        }
    }

    #[test]
    fn rates_follow_the_theorem() {
        // ln 4 / (1000 x 2) to the power of 2/3 is .007832; times 4, its root .1770.
        let policy = Dexp3Config::default().policy(4, Some(1_000)).expect("valid");
        assert!((policy.eta - 0.007_832).abs() < 1e-6 && (policy.gamma - 0.176_998).abs() < 1e-5, "{}", policy.gamma);
        assert!(Dexp3Config::default().policy(4, Some(1)).expect("valid").gamma <= 1.0);
    }
}
