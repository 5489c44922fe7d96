//! MultiSBM: each arm has a bandit of single arms of its own, which picks its opponent; the
//! opponent comes first in the next duel.
//!
//! With a bandit S(x) for each arm x, and x(1) drawn at random, at each step t:
//!
//! 1. y is what S(x(t)) picks, by the highest mean + sqrt(scale ln t / n);
//! 2. x(t) and y meet, and S(x(t)) learns whether y won;
//! 3. x(t + 1) = y.
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014,
//! <https://proceedings.mlr.press/v32/ailon14.html>, algorithm 2. `scale` = 2.5 is (alpha + 2) / 2
//! at alpha = 3.
//!
//! ## Notes
//!
//! * t in a bandit's index is the number of its own picks, as in Komiyama's software; others take
//!   the step.
//! * An arm may meet itself: a fair coin, from which its bandit learns.
//! * The paper does not say which arm to report: here the one picked most often.

use crate::algorithm::papers;
use crate::random::below;
use crate::singleton::{SingletonBandit as _, Ucb, highest_score};
use crate::state::{State, StateError, StateReader, StateWriter};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, stored};

config! {
    /// MultiSBM's parameters.
    pub struct MultiSbmConfig {
        /// What ln t is multiplied by, positive.
        scale: f64 = 2.5, "index = mean + sqrt(scale ln t / n)"
            [positive] [warns if <= 1.0: "is not above 1 (alpha = 2 scale - 2 > 0), as its theory needs"];
    }

    policy MultiSbm {
        name: "multisbm",
        summary: "a bandit of opponents for each arm (Ailon et al., ICML 2014)",
        paper: papers::AILON_ICML_2014,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> MultiSbm {
        MultiSbm::new(self, arms)
    }
}

/// MultiSBM.
#[derive(Debug, Clone)]
pub struct MultiSbm {
    bandits: Vec<Ucb>,
    picked: Vec<u64>,
    /// x(t), and its opponent.
    first: Option<usize>,
    second: usize,
}

impl State for MultiSbm {
    fn save(&self, to: &mut StateWriter) {
        State::save(&self.picked, to);
        to.put((self.first, self.second));
        self.bandits.iter().for_each(|bandit| State::save(bandit, to));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        State::load(&mut self.picked, from)?;
        (self.first, self.second) = from.get()?;
        self.bandits.iter_mut().try_for_each(|bandit| State::load(bandit, from))
    }
}

impl MultiSbm {
    fn new(config: &MultiSbmConfig, arms: usize) -> Self {
        Self { bandits: vec![Ucb::new(arms, config.scale, 0); arms], picked: vec![0; arms], first: None, second: 0 }
    }
}

impl Policy for MultiSbm {
    fn arms(&self) -> usize {
        self.bandits.len()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let arms = self.arms();
        let first = *self.first.get_or_insert_with(|| below(generator, arms));
        self.second = self.bandits[first].pick(generator);
        Choice::Duel(Arm::at(first), Arm::at(self.second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let (Feedback::Duel { first_won, .. }, Some(first)) = (feedback, self.first) else {
            return;
        };
        self.bandits[first].learn(self.second, !first_won);
        self.picked[self.second] += 1;
        self.first = Some(self.second);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        highest_score(self.arms(), |arm| self.picked[arm] as f64, generator)
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    #[test]
    fn each_arm_asks_its_own_bandit_and_the_opponent_comes_next() {
        let mut policy = MultiSbmConfig::default().policy(4, None).expect("valid");
        let mut one = Generator::seed_from_u64(1);
        let mut two = one.clone();
        let mut bandits = vec![Ucb::new(4, 2.5, 0); 4];
        let mut x = below(&mut two, 4);
        for step in 1..2_000 {
            let y = bandits[x].pick(&mut two);
            let expected = Choice::Duel(Arm::at(x), Arm::at(y));
            assert_eq!(policy.choose(step, &mut one), expected, "step {step}");
            let first_won = x < y || (x == y && step % 2 == 0);
            bandits[x].learn(y, !first_won);
            policy.learn(step, Feedback::of_duel(Arm::at(x), Arm::at(y), first_won));
            x = y;
        }
        assert_eq!(policy.recommend(&mut one), Some(Arm(0)));
    }
}
