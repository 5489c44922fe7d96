//! Sliding-window and discounted D-TS: as [D-TS](crate::policies::dts), but old outcomes are forgotten, so that a change of
//! preferences is noticed.
//!
//! With w(i, j) the duels that i won against j, n(i, j) = w(i, j) + w(j, i), and N steps, each as far as it is remembered,
//! and with u and l = w(i, j) / n(i, j) +- sqrt(alpha ln N / n(i, j)), or 2 and 0 where n = 0, at step t:
//!
//! 1. candidates C: the arms i with u(i, j) >= 1/2 for the greatest number of arms j;
//! 2. theta(i, j) is drawn from Beta(w(i, j) + 1, w(j, i) + 1) for i < j, theta(j, i) = 1 - theta(i, j); the first is the arm
//!    a of C with theta(a, j) > 1/2 for the greatest number of arms j, ties at random;
//! 3. theta'(i, a) is drawn again, theta'(a, a) = 1/2; the second is the arm with the largest, of those with
//!    l(i, a) <= 1/2;
//! 4. the two meet.
//!
//! | name | remembered | N |
//! |---|---|---|
//! | `sliding-dts` | the last `window` steps | min(t, window) |
//! | `discounted-dts` | all, an outcome of s steps ago by the factor (1 - 1 / memory)^s | the sum of these factors, s = 0 to t - 1 |
//!
//! ## References
//!
//! H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, <https://doi.org/10.48550/arXiv.1604.07101>, for
//! the rule. For bandits of single arms, Thompson sampling forgets by a window in F. Trovò, S. Paladino, M. Restelli, N. Gatti,
//! "Sliding-Window Thompson Sampling for Non-Stationary Settings", Journal of Artificial Intelligence Research 68, 2020,
//! <https://doi.org/10.1613/jair.1.11407>, and by a discount in V. Raj, S. Kalyani, "Taming Non-stationary Bandits: A Bayesian
//! Approach", arXiv 2017, <https://doi.org/10.48550/arXiv.1707.09727>. What stands for ln t is that of A. Garivier,
//! E. Moulines, "On Upper-Confidence Bound Policies for Switching Bandit Problems", ALT 2011,
//! <https://doi.org/10.1007/978-3-642-24412-4_16>.
//!
//! ## Notes
//!
//! * No paper has this combination, and so nothing is proven of it. Each rule is that of its paper.
//! * A policy that forgets never stops exploring: a forgotten pair is as likely to be drawn for either arm as at first. Where
//!   preferences do not change, regret grows in proportion to time, the faster, the shorter the memory and the more arms.
//! * N counts the present step, so that it is t, as in D-TS, as long as nothing is forgotten. (`sliding-rucb` leaves it out.)
//! * The weights of `discounted-dts` add up to fractions: its preferences are drawn from Beta(w + 1, l + 1) for w and l of any
//!   size. The prior does not fade.
//! * `sliding-dts` draws as D-TS does, with its notes. A stretch alone ends at the latest when a duel is forgotten.
//! * `discounted-dts` draws as D-TS does, too: only whether theta > 1/2 is drawn for most pairs, and as its probability moves slowly while
//!   counts fade, bounds of it decide nearly every coin. All are computed again every sqrt(40 `memory`) steps. An arm that plays
//!   alone is one step.
//! * The arm recommended beats the most others in more than half of the duels that are remembered.
//! * With late outcomes, each choice is drawn again, and duels under way count for nothing. An outcome that arrives counts from
//!   its own step on: it fades, or leaves the window, as if it had come in time.
//! * A window keeps its duels, 16 bytes each.

use super::fading_counts::{Duels, FadingCounts, ForgettingRule};
use super::win_probabilities::{FadingPosteriors, WinProbabilities};
use crate::algorithm::papers;
use crate::confidence::LogTime;
use crate::policies::dts::Bounds;
use crate::thompson::{Field, Posterior, Sampler, ThompsonRule, ThompsonSampling, Ties};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// Sliding-window D-TS's parameters.
    pub struct SlidingDtsConfig {
        /// Width of the confidence bounds, positive.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as the theory of D-TS needs"];
        /// How many steps are remembered, at least 2.
        window: usize = 100_000, "how many steps are remembered"
            [at least 2 and finite because "nothing would be left to learn from"];
    }

    policy ThompsonSampling<SlidingDts> {
        name: "sliding-dts",
        summary: "D-TS that remembers the last steps only, for users who change",
        paper: papers::TROVO_JAIR_2020,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ThompsonSampling<SlidingDts> {
        ThompsonSampling::new(arms, Ties::Random, SlidingDts::new(self, arms))
    }

    takes_late!();
}

config! {
    /// Discounted D-TS's parameters.
    pub struct DiscountedDtsConfig {
        /// Width of the confidence bounds, positive.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as the theory of D-TS needs"];
        /// After this many steps about a third (1 / e) of an outcome's weight is left; at least 2.
        memory: f64 = 50_000.0, "steps after which 1 / e of a weight is left"
            [at least 2 and finite because "nothing would be left to learn from"];
    }

    policy DiscountedDts {
        name: "discounted-dts",
        summary: "D-TS whose outcomes fade, for users who change",
        paper: papers::RAJ_ARXIV_2017,
        revision: 2,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> DiscountedDts {
        DiscountedDts::new(self, arms)
    }

    takes_late!();
}

/// D-TS over the duels of a window.
#[derive(Debug, Clone)]
pub struct SlidingDts {
    alpha: f64,
    window: u64,
    clock: LogTime,
    duels: Duels,
    /// The step of the last choice.
    now: u64,
    bounds: Bounds,
}

state!(SlidingDts { clock, duels, now, bounds } but { alpha, window });

impl SlidingDts {
    fn new(config: &SlidingDtsConfig, arms: usize) -> Self {
        Self {
            alpha: config.alpha,
            window: config.window as u64,
            clock: LogTime::new(),
            duels: Duels::default(),
            now: 0,
            bounds: Bounds::new(arms),
        }
    }

    /// Forgets what is past at `step`.
    fn forget(&mut self, step: u64, posterior: &mut Posterior) {
        self.now = step;
        while let Some((winner, loser)) = self.duels.pop_expired(self.window, step) {
            let (winner, loser) = (Arm::at(winner), Arm::at(loser));
            let (won, lost) = posterior.forget(winner, loser);
            self.bounds.record(winner, loser, won.into(), lost.into());
        }
    }
}

impl ThompsonRule for SlidingDts {
    const KEEPS_ALL_DUELS: bool = false;

    fn field(&mut self, step: u64, posterior: &mut Posterior) -> Field<'_> {
        self.forget(step, posterior);
        let time = self.alpha * self.clock.ln(step.min(self.window) as f64);
        self.bounds.advance(time);
        Field {
            first: self.bounds.leaders(),
            against: Some((self.bounds.evidence_table(), time)),
            // From the end of the first window on, time stands still.
            soonest: (if step < self.window { self.bounds.soonest() } else { f64::INFINITY }, self.alpha),
            remembered: self.duels.first().map_or(u64::MAX, |played| played.saturating_add(self.window)),
        }
    }

    fn record(&mut self, step: u64, winner: Arm, loser: Arm, posterior: &mut Posterior) {
        // One that comes so late that its step is forgotten is not worth counting.
        if step.saturating_add(self.window) >= self.now {
            self.duels.insert(step, winner.index(), loser.index());
            let (won, lost) = posterior.record(winner, loser);
            self.bounds.record(winner, loser, won.into(), lost.into());
        }
    }
}

/// D-TS with duels that fade.
#[derive(Debug, Clone)]
pub struct DiscountedDts {
    alpha: f64,
    memory: FadingCounts,
    probabilities: WinProbabilities,
    sampler: Sampler,
    /// Room for how many upper bounds of each arm are below 1/2, and for the arms with the fewest.
    losses: Vec<usize>,
    candidates: Vec<Arm>,
}

state!(DiscountedDts { memory, probabilities, sampler } but { alpha, losses, candidates });

impl DiscountedDts {
    fn new(config: &DiscountedDtsConfig, arms: usize) -> Self {
        let factor = 1.0 - 1.0 / config.memory;
        Self {
            alpha: config.alpha,
            memory: FadingCounts::new(arms, ForgettingRule::Discount(factor)),
            probabilities: WinProbabilities::new(arms, factor),
            sampler: Sampler::new(arms, Ties::Random),
            losses: vec![0; arms],
            candidates: Vec::with_capacity(arms),
        }
    }
}

impl Policy for DiscountedDts {
    fn arms(&self) -> usize {
        self.memory.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        // The present step counts whole.
        let time = self.alpha * libm::log(self.memory.forget(step) + 1.0);
        self.probabilities.advance(&self.memory, step);
        for (arm, losses) in self.losses.iter_mut().enumerate() {
            *losses = self.memory.losses(arm, time);
        }
        let least = self.losses.iter().copied().min().unwrap_or(0);
        let candidates = self.losses.iter().enumerate().filter(|(_, losses)| **losses == least);
        self.candidates.clear();
        self.candidates.extend(candidates.map(|(arm, _)| Arm::at(arm)));
        let field = Field {
            first: &self.candidates,
            against: Some(self.memory.evidence_and_threshold(time)),
            soonest: (f64::INFINITY, self.alpha),
            remembered: step,
        };
        let posterior = FadingPosteriors::new(&self.memory, &self.probabilities);
        let choice = self.sampler.choose(&posterior, field, step, generator);
        let undecided = posterior.undecided();
        self.probabilities.tighten(&self.memory, &undecided);
        choice
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.memory.record(step, winner.index(), loser.index());
            self.probabilities.record(&self.memory, winner.index(), loser.index());
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.memory.copeland_best(generator)
    }

    stored!();
}

impl DelayedFeedback for DiscountedDts {}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::testing::{eight, eight_until, mean, runs};
    use super::*;
    use crate::PolicyConfig as _;
    use crate::registry::Spec;

    #[test]
    fn each_rule_has_its_error() {
        use crate::ParameterError::{BelowMinimum, NotPositive};
        let error = |text: &str| text.parse::<Spec>().expect_err(text);
        for name in ["sliding-dts", "discounted-dts"] {
            for alpha in ["0", "-1", "nan", "inf"] {
                assert!(matches!(error(&format!("{name}:alpha={alpha}")), NotPositive { key: "alpha", .. }));
            }
            let spec: Spec = format!("{name}:alpha=0.5").parse().expect(name);
            assert!(spec.warning().is_some_and(|text| text.contains("D-TS")), "{name}");
        }
        assert!(matches!(error("sliding-dts:window=1"), BelowMinimum { key: "window", .. }));
        for memory in ["1.9", "nan", "inf"] {
            assert!(matches!(error(&format!("discounted-dts:memory={memory}")), BelowMinimum { key: "memory", .. }));
        }
    }

    /// Beside one that learns only what is in the window, in the order of the steps; some outcomes come late, some too late.
    #[test]
    fn what_leaves_the_window_leaves_no_trace() {
        let (arms, window) = (5, 40);
        let config = SlidingDtsConfig { alpha: 0.2, window };
        let mut generator = Generator::seed_from_u64(1);
        let mut policy = config.policy(arms, None).expect("valid");
        let mut open: Vec<(u64, Arm, Arm)> = Vec::new();
        let mut known = Vec::new();
        let mut too_late = 0;
        for step in 1..2_000_u64 {
            if let Choice::Duel(first, second) = policy.choose(step, &mut generator) {
                open.push((step, first.min(second), first.max(second)));
            }
            open.retain(|&(played, winner, loser)| {
                let stays = crate::random::below(&mut generator, 15) > 0;
                if !stays {
                    policy.arrive(played, &[winner, loser], Some(Feedback::of_duel(winner, loser, true)));
                    too_late += u32::from(played + (window as u64) < step);
                    known.push((played, winner, loser));
                }
                stays
            });
            known.sort_unstable();
            if step % 10 == 0 {
                policy.rule.forget(step + 1, &mut policy.posterior);
                let mut fresh = config.policy(arms, None).expect("valid");
                known.retain(|duel| duel.0 + window as u64 > step);
                for &(played, winner, loser) in &known {
                    fresh.learn(played, Feedback::of_duel(winner, loser, true));
                }
                let time = config.alpha * libm::log(step.min(window as u64) as f64);
                for policy in [&mut policy, &mut fresh] {
                    policy.rule.bounds.advance(time);
                }
                assert_eq!(policy.posterior.wins(), fresh.posterior.wins(), "{step}");
                assert_eq!(policy.rule.bounds.evidence_table(), fresh.rule.bounds.evidence_table(), "{step}");
                assert_eq!(policy.rule.bounds.leaders(), fresh.rule.bounds.leaders(), "{step}");
                assert_eq!(policy.rule.duels.first(), known.first().map(|duel| duel.0), "{step}");
            }
        }
        assert!(too_late > 20, "{too_late}");
    }

    /// The order of eight arms is reversed after 2 x 10^5 steps: from there on the old winner costs .35 per step. D-TS pays all
    /// of it for the next 10^4 steps and most of it for 4 x 10^4 more; the forms that forget pay a fifth and a tenth. In return
    /// they never stop exploring (.003 and .005 per step). Each bound is five standard errors of the mean of ten runs away.
    #[test]
    fn who_forgets_recovers_from_a_jump_and_who_does_not_stays() {
        let jump = eight_until(200_000);
        let checkpoints = [100_000, 200_000, 210_000, 250_000];
        // At least and at most per step: before the jump, just after it, and then; and how often right.
        let play = |name: &str| {
            let runs = runs(name, &jump, &checkpoints, 10);
            let per_step = |to: usize| {
                let steps = (checkpoints[to] - checkpoints[to - 1]) as f64;
                let (mean, variance) = mean(runs.iter().map(|run| (run.0[to] - run.0[to - 1]) / steps));
                [mean - 5.0 * variance.sqrt(), mean + 5.0 * variance.sqrt()]
            };
            ([1, 2, 3].map(per_step), runs.iter().filter(|run| run.1 == Some(Arm(7))).count())
        };
        let ([before, jumped, after], right) = play("dts");
        assert!(
            before[1] < 0.001 && jumped[0] > 0.3 && after[0] > 0.05 && right < 10,
            "{before:?} {jumped:?} {after:?}"
        );
        for name in ["sliding-dts:window=20000", "discounted-dts:memory=10000"] {
            let ([explores, jumped, after], right) = play(name);
            assert_eq!(right, 10, "{name}");
            assert!(jumped[1] < 0.15 && after[1] < 0.01, "{name}: {jumped:?} {after:?}");
            assert!(explores[0] > before[1] && explores[1] < 0.01, "{name}: {explores:?}");
        }
    }

    /// As long as nothing is forgotten, both are D-TS, with a known regret after 10^4 steps of this problem.
    #[test]
    fn with_a_long_memory_they_are_dts() {
        let measured = |name: &str| mean(runs(name, &eight(), &[10_000], 40).iter().map(|run| run.0[0]));
        let (dts, variance) = measured("dts");
        assert_eq!(measured("sliding-dts:window=1000000"), (dts, variance));
        let (discounted, other) = measured("discounted-dts:memory=1e9");
        // Four standard errors.
        let bound = 4.0 * (variance + other).sqrt();
        assert!((discounted - dts).abs() < bound, "{discounted}, {dts} +- {bound}");
    }
}
