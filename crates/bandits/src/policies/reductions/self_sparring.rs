//! Self-Sparring: one Thompson sampler plays against itself.
//!
//! Each arm i has S(i) wins and F(i) losses, 0 at first. At each step:
//!
//! 1. m times, independently, theta(i) ~ Beta(S(i) + 1, F(i) + 1) is drawn for every arm i, and the
//!    arm with the largest is picked;
//! 2. the arms picked meet, and for each pair the winner's S and the loser's F rise by eta.
//!
//! ## References
//!
//! Y. Sui, V. Zhuang, J. W. Burdick, Y. Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017,
//! <https://doi.org/10.48550/arXiv.1705.00253>, algorithm 2 (independent arms).
//!
//! ## Notes
//!
//! * m = 2 is dueling. An arm picked twice meets itself, and counts a win and a loss: that is what
//!   it has done in experiments (those with MergeDTS, ACM TOIS 38(4), 2020), and it keeps the
//!   sampler curious.
//! * m > 2 arms meet as a set, in which an arm picked more than once takes part once and learns
//!   nothing of itself; a set of one arm is a step of that arm's alone.
//! * Arms that tie for the largest draw do so with probability 0.
//! * It recommends the arm that won and lost most often.
//! * `eta` above 1 has less regret in most runs and settles on a wrong arm in the others; `docs/pages/bandits/overconfidence.md` has numbers.

use crate::algorithm::papers;
use crate::singleton::{SingletonBandit as _, Thompson, highest_score};
use crate::{ActionKind, Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// Self-Sparring's parameters.
    pub struct SelfSparringConfig {
        /// How many arms are picked at each step, at least 2.
        picks as "m": usize = 2, "how many arms are picked at each step; sets of arms above 2" [batch];
        /// The weight of a win or a loss, positive.
        eta: f64 = 1.0, "what a win or a loss counts" [positive];
    }

    policy SelfSparring {
        name: "self-sparring",
        summary: "a Thompson sampler against itself (Sui et al., UAI 2017)",
        paper: papers::SUI_UAI_2017,
        variants: [("m=4", "four picks at a time, which meet as a set")],
        revision: 2,
    }

    fn action_kind(&self) -> ActionKind {
        if self.picks > 2 { ActionKind::Sets } else { ActionKind::Duels }
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> SelfSparring {
        SelfSparring::new(self, arms)
    }

    takes_late!();
}

/// Self-Sparring.
#[derive(Debug, Clone)]
pub struct SelfSparring {
    eta: f64,
    picks: usize,
    sampler: Thompson,
    set: Vec<Arm>,
}

state!(SelfSparring { sampler, set } but { eta, picks });

impl SelfSparring {
    fn new(config: &SelfSparringConfig, arms: usize) -> Self {
        Self {
            eta: config.eta,
            picks: config.picks,
            sampler: Thompson::new(arms),
            set: Vec::with_capacity(config.picks.min(arms)),
        }
    }

    fn count(&mut self, winner: Arm, loser: Arm) {
        self.sampler.count(winner.index(), self.eta, 0.0);
        self.sampler.count(loser.index(), 0.0, self.eta);
    }
}

impl Policy for SelfSparring {
    fn arms(&self) -> usize {
        self.sampler.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        self.set.clear();
        for _ in 0..self.picks {
            let arm = Arm::at(self.sampler.pick(generator));
            if self.picks == 2 || !self.set.contains(&arm) {
                self.set.push(arm);
            }
        }
        match self.set[..] {
            [arm] => Choice::Alone { arm, until: step },
            [first, second] => Choice::Duel(first, second),
            _ => Choice::Set(&self.set),
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        match feedback {
            Feedback::Duel { winner, loser, .. } => self.count(winner, loser),
            Feedback::Set { wins } => {
                for i in 0..self.set.len() {
                    for j in 0..self.set.len() {
                        if wins.beats(i, j) {
                            self.count(self.set[i], self.set[j]);
                        }
                    }
                }
            }
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        highest_score(self.arms(), |arm| self.sampler.score(arm), generator)
    }

    stored!();
}

impl DelayedFeedback for SelfSparring {
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(feedback) = feedback {
            self.set.clear();
            self.set.extend_from_slice(arms);
            self.learn(step, feedback);
        }
    }
}
