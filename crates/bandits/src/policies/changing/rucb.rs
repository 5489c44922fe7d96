//! Sliding-window and discounted RUCB: as [RUCB](crate::policies::rucb), but old outcomes are forgotten, so that a change of
//! preferences is noticed.
//!
//! With w(i, j) the duels that i won against j, n(i, j) = w(i, j) + w(j, i), and N steps, each as far as it is remembered,
//! and with u(i, j) = w / n + sqrt(alpha ln N / n), infinite where n = 0, and u(i, i) = 1/2, at step t:
//!
//! 1. candidates C = { c : u(c, j) >= 1/2 for all j };
//! 2. the champion c is drawn from C (from all arms if C is empty);
//! 3. the challenger is d = argmax over j of u(j, c), ties at random, but never c if others tie with it;
//! 4. c and d meet.
//!
//! | name | remembered | N |
//! |---|---|---|
//! | `sliding-rucb` | the last `window` steps | min(t - 1, window) |
//! | `discounted-rucb` | all, an outcome of s steps ago by the factor (1 - 1 / memory)^s | the sum of these factors |
//!
//! ## References
//!
//! A. Garivier, E. Moulines, "On Upper-Confidence Bound Policies for Switching Bandit Problems", ALT 2011,
//! <https://doi.org/10.1007/978-3-642-24412-4_16>, for bandits of single arms: both ways to forget, and what stands for ln t.
//! RUCB is that of M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, ICML 2014, <https://proceedings.mlr.press/v32/zoghi14.html>.
//!
//! ## Notes
//!
//! * No paper has this combination, and so nothing is proven of it. Each rule is that of its paper.
//! * Forgetting means exploring for ever: every pair that was forgotten meets again. Where preferences stay as they are, regret grows
//!   in proportion to time, the faster, the shorter the memory and the more arms there are: windows should be much longer
//!   than the number of pairs, K (K - 1) / 2. Garivier and Moulines: window = 2 sqrt(T ln T / changes) for T steps.
//! * An arm that plays alone is one step: the next may remember less.
//! * The arm recommended beats the most others in more than half of the duels that are remembered.
//! * With late outcomes, duels under way count in u at their pair's present mean, at 1/2 if it is unknown (in step 1 unless that
//!   leaves no candidate). An outcome that arrives counts from its own step on: it fades, or leaves the window, as if it had come in time.
//! * A step costs O(K); a window keeps its duels, 16 bytes each.

use super::fading_counts::{FadingCounts, ForgettingRule};
use crate::algorithm::papers;
use crate::counts::OpenDuels;
use crate::random::{below, best_arm};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// Sliding-window RUCB's parameters.
    pub struct SlidingRucbConfig {
        /// Width of the confidence bounds, positive.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as the theory of RUCB needs"];
        /// How many steps are remembered, at least 2.
        window: usize = 100_000, "how many steps are remembered"
            [at least 2 and finite because "nothing would be left to learn from"];
    }

    policy ForgetfulRucb {
        name: "sliding-rucb",
        summary: "RUCB that remembers the last steps only, for users who change",
        paper: papers::GARIVIER_ALT_2011,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ForgetfulRucb {
        ForgetfulRucb::new(arms, self.alpha, ForgettingRule::Window(self.window as u64))
    }

    takes_late!();
}

config! {
    /// Discounted RUCB's parameters.
    pub struct DiscountedRucbConfig {
        /// Width of the confidence bounds, positive.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as the theory of RUCB needs"];
        /// After this many steps about a third (1 / e) of an outcome's weight is left; at least 2.
        memory: f64 = 50_000.0, "steps after which 1 / e of a weight is left"
            [at least 2 and finite because "nothing would be left to learn from"];
    }

    policy ForgetfulRucb {
        name: "discounted-rucb",
        summary: "RUCB whose outcomes fade, for users who change",
        paper: papers::GARIVIER_ALT_2011,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ForgetfulRucb {
        ForgetfulRucb::new(arms, self.alpha, ForgettingRule::Discount(1.0 - 1.0 / self.memory))
    }

    takes_late!();
}

/// RUCB that forgets.
#[derive(Debug, Clone)]
pub struct ForgetfulRucb {
    alpha: f64,
    memory: FadingCounts,
    candidates: Vec<Arm>,
    open: OpenDuels,
    /// u(j, c) of every j, room for it.
    bounds: Vec<f64>,
}

state!(ForgetfulRucb { memory, open } but { alpha, candidates, bounds });

impl ForgetfulRucb {
    fn new(arms: usize, alpha: f64, rule: ForgettingRule) -> Self {
        Self {
            alpha,
            memory: FadingCounts::new(arms, rule),
            candidates: Vec::with_capacity(arms),
            open: OpenDuels::new(arms),
            bounds: Vec::with_capacity(arms),
        }
    }
}

impl Policy for ForgetfulRucb {
    fn arms(&self) -> usize {
        self.memory.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.arms();
        if arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let time = self.alpha * libm::log(self.memory.forget(step).max(1.0));
        self.candidates.clear();
        self.candidates.extend((0..arms).filter(|&arm| self.memory.is_candidate(arm, time)).map(Arm::at));
        if self.open.any() && self.candidates.iter().any(|arm| !self.memory.would_leave(arm.index(), time, &self.open))
        {
            self.candidates.retain(|arm| !self.memory.would_leave(arm.index(), time, &self.open));
        }
        let champion = match self.candidates.len() {
            0 => below(generator, arms),
            count => self.candidates[below(generator, count)].index(),
        };
        self.memory.bounds(champion, time, &self.open, &mut self.bounds);
        // Others that tie with it come first.
        self.bounds[champion] = 0.5 - f64::EPSILON;
        match best_arm(generator, self.bounds.iter().copied()) {
            Some(challenger) if challenger.index() != champion => Choice::Duel(Arm::at(champion), challenger),
            _ => Choice::Alone { arm: Arm::at(champion), until: step },
        }
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.memory.record(step, winner.index(), loser.index());
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.memory.copeland_best(generator)
    }

    stored!();
}

impl DelayedFeedback for ForgetfulRucb {
    fn depart(&mut self, arms: &[Arm]) {
        self.open.depart(arms[0].index(), arms[1].index());
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.open.arrive(arms[0].index(), arms[1].index());
        if let Some(feedback) = feedback {
            self.learn(step, feedback);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{eight, eight_until, mean, runs};
    use crate::Arm;

    /// The order of eight arms is reversed after 10^6 steps, when RUCB lets the old winner play alone for hundreds of thousands
    /// of steps more: of its gap of .35 it pays almost all in the next 5 x 10^4; the forms that forget pay a fifth in the first
    /// 10^4 (.05 and .06 per step). In return they never stop exploring (.01 to .03), while RUCB no longer explores.
    #[test]
    fn who_forgets_recovers_from_a_jump_and_who_does_not_stays() {
        let jump = eight_until(1_000_000);
        let checkpoints = [900_000, 1_000_000, 1_010_000, 1_050_000];
        let play = |name: &str| {
            let runs = runs(name, &jump, &checkpoints, 10);
            let mean = |at: usize| mean(runs.iter().map(|run| run.0[at])).0;
            let per_step =
                |from: usize, to: usize| (mean(to) - mean(from)) / (checkpoints[to] - checkpoints[from]) as f64;
            let right = runs.iter().filter(|run| run.1 == Some(Arm(7))).count();
            (per_step(0, 1), per_step(1, 2), per_step(2, 3), right)
        };
        for name in ["sliding-rucb:window=20000", "discounted-rucb:memory=10000"] {
            let (before, jumped, after, right) = play(name);
            assert_eq!(right, 10, "{name}");
            assert!(before < 0.05 && after < 0.05 && jumped < 0.1, "{name}: {before}, {jumped}, {after}");
        }
        let (before, jumped, after, right) = play("rucb");
        assert!(before < 0.001 && jumped > 0.3 && after > 0.25 && right < 10, "{before}, {jumped}, {after}, {right}");
    }

    /// As long as nothing is forgotten, both are RUCB, with a known regret after 10^4 steps of this problem.
    #[test]
    fn with_a_long_memory_they_are_rucb() {
        let measured = |name: &str| mean(runs(name, &eight(), &[10_000], 40).iter().map(|run| run.0[0]));
        let (rucb, variance) = measured("rucb");
        for name in ["sliding-rucb:window=1000000", "discounted-rucb:memory=1e9"] {
            let (mean, other) = measured(name);
            let bound = 4.0 * (variance + other).sqrt();
            assert!((mean - rucb).abs() < bound, "{name}: {mean}, {rucb} +- {bound}");
        }
    }
}
