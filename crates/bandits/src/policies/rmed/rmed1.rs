//! Relative minimum empirical divergence (RMED1): an arm is tried again while the evidence that it
//! is not the Condorcet winner is no stronger than ln t allows.
//!
//! With mu(i, j) = w(i, j) / n(i, j), O(i) = { j : mu(i, j) <= 1/2 }, I(i) the sum over j in O(i)
//! of n(i, j) kl(mu(i, j), 1/2), and i* the arm with the smallest I:
//!
//! 1. at first every pair meets once;
//! 2. then, pass by pass over a list of arms (all of them in the first pass): each arm l of the
//!    list meets m = i* if i* is in O(l) or O(l) is empty, and otherwise the arm m against which
//!    mu(l, m) is smallest;
//! 3. after every step, each arm j that is not still to come in this pass joins the next one if
//!    I(j) - I(i*) <= ln t + f(K).
//!
//! ## References
//!
//! J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in
//! Dueling Bandit Problem", COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>,
//! algorithms 1 and 2; f(K) = 0.3 K^1.01 as in its experiments.
//!
//! ## Notes
//!
//! * The first K (K - 1) / 2 duels count as steps, as in the paper.
//! * The paper leaves ties open: i* is the lowest of several arms, an opponent is drawn at random,
//!   and each pass goes through its arms in order.
//! * Divergences are summed in units of 2^-30, as whole numbers: a sum then does not depend on the
//!   order of its terms, and may be kept by adding what changed.
//! * The arm recommended is i*, ties by how many arms each beat.
//! * With late outcomes, the pairs without one meet in turn after step 1, until each has an outcome (`unanswered.rs`). Open
//!   duels count in I(i) at their pair's present mean, at most as many as the pair has outcomes; a stretch alone begins
//!   only when nothing is open. Measured on MSLR-WEB30K, navigational, mean and standard error: with 16 rankers, 2 x 10^5
//!   steps and a delay of 10^4 (12 runs) the regret is 2,567 +- 62, and 2,828 +- 65 if none are counted; with 136 rankers,
//!   10^6 steps and a delay of 10^5 (6 runs) it is 37,118 +- 939, and 42,865 +- 906 if all are counted, where two runs in
//!   six ended with a wrong arm.
//! * i* meets itself where it beats every arm. Where it is the only arm of its pass, that stretch
//!   is one choice: it ends with the first step at which ln t lets another arm in.

use super::divergences::Divergences;
use super::passes::Passes;
use super::unanswered::Unanswered;
use crate::algorithm::papers;
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// RMED1's parameters: f(K) = `factor` K^`power`.
    pub struct Rmed1Config {
        /// The factor of f(K), positive.
        factor: f64 = 0.3, "f(K) = factor K^power" [positive];
        /// The power of f(K), positive.
        power: f64 = 1.01, "f(K) = factor K^power" [positive];
    }

    policy Rmed1 {
        name: "rmed1",
        summary: "relative minimum empirical divergence (Komiyama et al., COLT 2015)",
        paper: papers::KOMIYAMA_COLT_2015,
        all_pairs: true,
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Rmed1 {
        Rmed1::new(self, arms)
    }

    takes_late!();
}

/// RMED1.
#[derive(Debug, Clone)]
pub struct Rmed1 {
    state: Divergences,
    passes: Passes,
    /// The pair to meet next at first; (0, 0) once all have.
    opening: (usize, usize),
    unanswered: Unanswered,
}

state!(Rmed1 { state, passes, opening, unanswered });

impl Rmed1 {
    fn new(config: &Rmed1Config, arms: usize) -> Self {
        let bonus = config.factor * libm::pow(arms as f64, config.power);
        Self {
            state: Divergences::new(arms, false),
            passes: Passes::new(arms, bonus),
            opening: if arms > 1 { (0, 1) } else { (0, 0) },
            unanswered: Unanswered::default(),
        }
    }

    /// The pair of the opening after this one.
    fn next_opening(&mut self) {
        let (first, second) = self.opening;
        self.opening = match (first + 1, second + 1) {
            (_, next) if next < self.arms() => (first, next),
            (next, _) if next + 1 < self.arms() => (next, next + 1),
            _ => (0, 0),
        };
    }
}

impl Policy for Rmed1 {
    fn arms(&self) -> usize {
        self.state.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.opening != (0, 0) {
            let (first, second) = self.opening;
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if let Some((first, second)) = self.unanswered.next(self.state.wins(), true) {
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        self.passes.admit(step - 1, &self.state);
        let arm = self.passes.next_arm(self.state.leader());
        let opponent = self.state.opponent(arm, generator);
        self.passes.note_meeting(arm, opponent);
        if opponent != arm {
            return Choice::Duel(Arm::at(arm), Arm::at(opponent));
        }
        let stretch = self.passes.is_only_arm() && !self.state.any_open();
        let until = if stretch { self.passes.alone_until(step, &self.state) } else { step };
        Choice::Alone { arm: Arm::at(arm), until }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        if self.opening != (0, 0) {
            self.next_opening();
        }
        self.state.record(winner.index(), loser.index());
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.state.wins().lowest_then_copeland(&self.state.known_sums(), generator)
    }

    stored!();
}

impl DelayedFeedback for Rmed1 {
    fn depart(&mut self, arms: &[Arm]) {
        if self.opening != (0, 0) {
            self.next_opening();
        }
        self.state.depart(arms[0].index(), arms[1].index());
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.state.arrive(i, j, feedback.is_some());
        if let Some(Feedback::Duel { winner, loser, .. }) = feedback {
            self.state.record(winner.index(), loser.index());
        }
        self.passes.note_late_outcome(i, j);
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.state.wins().between(i.index(), j.index()))
    }
}
