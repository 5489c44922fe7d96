//! REX3 (relative exponential weights for exploration and exploitation): both arms of a duel are
//! drawn from one distribution of exponential weights; the winner's weight rises and the loser's falls.
//!
//! At each step, with p(i) = (1 - gamma) w(i) / W + gamma / K:
//!
//! 1. a and b are drawn independently, each with probabilities p, and meet;
//! 2. the winner's weight is multiplied by exp(gamma psi / (K p)), the loser's by
//!    exp(-gamma psi / (K p)), each with its own p.
//!
//! | `variant` | psi | gamma, where it is not given |
//! |---|---|---|
//! | `horizon` (default) | 1/2 | min(1/2, sqrt(K ln K / T)) for horizon T |
//! | `mergedts` | 1 | min(1/2, sqrt(K ln K / max(t, 10^4))) at step t, no horizon |
//!
//! ## References
//!
//! P. Gajane, T. Urvoy, F. Clérot, "A Relative Exponential Weighing Algorithm for Adversarial
//! Utility-based Dueling Bandits", ICML 2015, <https://proceedings.mlr.press/v37/gajane15.html>,
//! algorithm 1. The second variant is that of C. Li, I. Markov, M. de Rijke, M. Zoghi, "MergeDTS",
//! ACM TOIS 38(4), 2020, <https://doi.org/10.1145/3411753>.
//!
//! ## Notes
//!
//! * psi is the difference of the two rewards halved: 1/2 for a duel won. The horizon's gamma is
//!   that of the authors' own software; the paper's has the bound of its theorem 1 instead of T.
//! * An arm that meets itself learns nothing, so such a step is that arm's alone.
//! * Weights are kept as logarithms and drawn from a tree of sums: a step costs O(log K).
//! * The arm reported has the largest weight.

use crate::algorithm::{given_horizon, papers};
use crate::singleton::{ExpWeights, Rate, tuned_rate};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored};

named_values! {
    /// Where gamma comes from, if it is not given.
    pub enum Gamma {
        /// From the horizon.
        Horizon = "horizon",
        /// From the step, as in the experiments with MergeDTS.
        Mergedts = "mergedts",
    }
}

config! {
    /// REX3's parameters.
    pub struct Rex3Config {
        /// Which of the published rules.
        variant: Gamma = Gamma::Horizon, "horizon or mergedts";
        /// How much of each draw is uniform, in (0, 1]; `None` for that of the variant.
        gamma: Option<f64> = None, "how much of each draw is uniform"
            [share] [warns if > 0.5: "is above 1/2, the most its theory has"];
    }

    policy Rex3 {
        name: "rex3",
        summary: "relative exponential weights (Gajane et al., ICML 2015)",
        paper: papers::GAJANE_ICML_2015,
        variants: [("variant=mergedts", "decreasing gamma, psi = 1")],
        needs_horizon: true,
    }

    fn uses_horizon(&self) -> bool {
        self.variant == Gamma::Horizon && self.gamma.is_none()
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Rex3 {
        Rex3::new(self, arms, horizon)
    }
}

/// REX3.
#[derive(Debug, Clone)]
pub struct Rex3 {
    rate: Rate,
    psi: f64,
    weights: ExpWeights,
}

state!(Rex3 { weights } but { rate, psi });

impl Rex3 {
    fn new(config: &Rex3Config, arms: usize, horizon: Option<u64>) -> Self {
        let rate = match (config.gamma, config.variant) {
            (Some(gamma), _) => Rate::Fixed(gamma),
            (None, Gamma::Horizon) => Rate::Fixed(tuned_rate(arms, given_horizon(horizon) as f64).min(0.5)),
            (None, Gamma::Mergedts) => Rate::Falling { most: 0.5 },
        };
        Self {
            rate,
            psi: match config.variant {
                Gamma::Horizon => 0.5,
                Gamma::Mergedts => 1.0,
            },
            weights: ExpWeights::new(arms),
        }
    }
}

impl Policy for Rex3 {
    fn arms(&self) -> usize {
        self.weights.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let rate = self.rate.at(step, self.arms());
        let first = Arm::at(self.weights.draw(rate, generator));
        let second = Arm::at(self.weights.draw(rate, generator));
        if first == second {
            return Choice::Alone { arm: first, until: step };
        }
        Choice::Duel(first, second)
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let rate = self.rate.at(step, self.arms());
        let power = |arm: Arm| {
            let p = self.weights.probability(arm.index(), rate);
            rate * self.psi / (p * self.arms() as f64)
        };
        let (rise, fall) = (power(winner), power(loser));
        self.weights.raise(winner.index(), rise);
        self.weights.raise(loser.index(), -fall);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.weights.heaviest(generator)
    }

    stored!();
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an independent check, which no result depends on")]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    #[test]
    fn a_duel_moves_two_weights_as_the_rule_says() {
        let config = Rex3Config { gamma: Some(0.3), ..Default::default() };
        let mut rex3 = config.policy(4, None).expect("valid");
        let mut generator = Generator::seed_from_u64(1);
        let mut logs = [0.0_f64; 4];
        for step in 1..=300 {
            let Choice::Duel(first, second) = rex3.choose(step, &mut generator) else {
                continue;
            };
            let total: f64 = logs.iter().map(|log| log.exp()).sum();
            let p = |arm: Arm| 0.7 * logs[arm.index()].exp() / total + 0.3 / 4.0;
            // The lower arm wins.
            let (winner, loser) = (first.min(second), first.max(second));
            let (rise, fall) = (0.15 / (p(winner) * 4.0), 0.15 / (p(loser) * 4.0));
            logs[winner.index()] += rise;
            logs[loser.index()] -= fall;
            rex3.learn(step, Feedback::of_duel(first, second, winner == first));
            for (kept, plain) in rex3.weights.logs().iter().zip(logs) {
                assert!((kept - plain).abs() < 1e-9, "step {step}");
            }
        }
        assert_eq!(rex3.recommend(&mut generator), Some(Arm(0)));
    }
}
