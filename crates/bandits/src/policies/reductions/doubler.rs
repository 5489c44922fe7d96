//! Doubler: in epochs of doubled length a bandit of single arms plays against arms drawn from its
//! own choices of the epoch before.
//!
//! L is one arm drawn at random. In epoch i = 1, 2, ... the bandit S restarts, and 2^i times:
//!
//! 1. x is drawn from L, and y is what S picks, by the highest mean + sqrt(scale ln t / n);
//! 2. x and y meet, and S learns whether y won.
//!
//! Then L becomes the 2^i arms, with repetitions, that S picked in the epoch.
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014,
//! <https://proceedings.mlr.press/v32/ailon14.html>, algorithm 1. `scale` = 2.5 is (alpha + 2) / 2
//! at alpha = 3.
//!
//! ## Notes
//!
//! * t in the index counts picks since S restarted.
//! * L is kept as counts, so that memory is O(K) however long an epoch is.
//! * An arm may meet itself: a fair coin, from which S learns.
//! * The paper does not say which arm to report: here the one that is most frequent in L, once L comes from
//!   an epoch.

use rand::Rng as _;

use crate::algorithm::papers;
use crate::random::below;
use crate::singleton::highest_score;
use crate::singleton::{SingletonBandit as _, Ucb};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, state, stored};

config! {
    /// Doubler's parameters.
    pub struct DoublerConfig {
        /// What ln t is multiplied by, positive.
        scale: f64 = 2.5, "index = mean + sqrt(scale ln t / n)"
            [positive] [warns if <= 1.0: "is not above 1 (alpha = 2 scale - 2 > 0), as its theory needs"];
    }

    policy Doubler {
        name: "doubler",
        summary: "a bandit against its own choices of the epoch before (Ailon et al., ICML 2014)",
        paper: papers::AILON_ICML_2014,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Doubler {
        Doubler { bandit: Ucb::new(arms, self.scale, 0), up_to: Vec::new(), epoch: 0, left: 0, second: 0 }
    }
}

/// Doubler.
#[derive(Debug, Clone)]
pub struct Doubler {
    bandit: Ucb,
    /// How many members of L are this arm or one before it.
    up_to: Vec<u64>,
    epoch: u32,
    /// Steps left in the epoch.
    left: u64,
    second: usize,
}

state!(Doubler { bandit, up_to, epoch, left, second });

impl Doubler {
    /// Builds L from the epoch that ends and restarts the bandit.
    fn next_epoch(&mut self, generator: &mut Generator) {
        let arms = self.bandit.arms();
        if self.up_to.is_empty() {
            let lone = below(generator, arms);
            self.up_to.extend((0..arms).map(|arm| u64::from(arm >= lone)));
        } else {
            let mut sum = 0;
            for (arm, up_to) in self.up_to.iter_mut().enumerate() {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
                let picked = self.bandit.score(arm) as u64;
                sum += picked;
                *up_to = sum;
            }
            self.bandit.reset();
        }
        self.epoch += 1;
        self.left = 1_u64.checked_shl(self.epoch).unwrap_or(u64::MAX);
    }

    /// A member of L. There are 2^(i - 1) in epoch i, so that the first i - 1 bits of a draw choose
    /// one (there is one in the first epoch).
    fn opponent(&self, generator: &mut Generator) -> usize {
        let member = if self.epoch == 1 { 0 } else { generator.next_u64() >> (65 - self.epoch.min(64)) };
        self.up_to.partition_point(|&up_to| up_to <= member)
    }
}

impl Policy for Doubler {
    fn arms(&self) -> usize {
        self.bandit.arms()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        if self.left == 0 {
            self.next_epoch(generator);
        }
        self.left -= 1;
        let first = self.opponent(generator);
        self.second = self.bandit.pick(generator);
        Choice::Duel(Arm::at(first), Arm::at(self.second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { first_won, .. } = feedback {
            self.bandit.learn(self.second, !first_won);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.epoch < 2 {
            return (self.arms() == 1).then_some(Arm(0));
        }
        let members = |arm: usize| {
            let before = if arm == 0 { 0 } else { self.up_to[arm - 1] };
            (self.up_to[arm] - before) as f64
        };
        highest_score(self.arms(), members, generator)
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    #[test]
    fn opponents_are_the_choices_of_the_epoch_before() {
        let mut doubler = DoublerConfig::default().policy(5, None).expect("valid");
        let mut generator = Generator::seed_from_u64(1);
        let mut step = 0;
        let mut before: Vec<Arm> = Vec::new();
        let mut counts = [0_u32; 5];
        for epoch in 1..=13_u32 {
            let mut now = Vec::new();
            counts = [0; 5];
            for _ in 0..1 << epoch {
                step += 1;
                let Choice::Duel(first, second) = doubler.choose(step, &mut generator) else {
                    panic!("a duel");
                };
                if epoch == 1 {
                    before = vec![first];
                }
                assert!(before.contains(&first), "epoch {epoch}");
                counts[first.index()] += 1;
                now.push(second);
                // The higher arm wins.
                doubler.learn(step, Feedback::of_duel(first, second, first > second));
            }
            if epoch < 13 {
                before = now;
            }
        }
        // Each arm as often as it was chosen, within five standard deviations.
        let n = 8192.0;
        for (arm, &count) in counts.iter().enumerate() {
            let chosen = before.iter().filter(|other| other.index() == arm).count();
            let p = chosen as f64 / before.len() as f64;
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt() + 1e-9;
            assert!((f64::from(count) - n * p).abs() <= bound, "{counts:?}");
        }
        assert_eq!(doubler.recommend(&mut generator), Some(Arm(4)));
    }
}
