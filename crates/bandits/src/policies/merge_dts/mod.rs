//! MergeDTS: the batches of mergeRUCB, in which a sampled champion meets the arm that it is the most
//! likely to rule out.
//!
//! With u(k, l) = w(k, l) / n(k, l) + sqrt(alpha ln(t + C) / n(k, l)) and
//! C = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)), at each step:
//!
//! 1. take the next batch in turn; a lone arm joins the batch after it;
//! 2. drop from the batch every arm k with u(k, l) < 1/2 for an arm l of it;
//! 3. theta(k, l) is drawn from Beta(w(k, l) + 1, w(l, k) + 1); the champion c is the arm of the batch
//!    with theta(c, l) > 1/2 for the greatest number of arms l, ties at random;
//! 4. theta'(l, c) is drawn again; the challenger is the other arm with the smallest, and the two meet;
//! 5. where no more than K / 2^S arms are left in stage S, batches are merged in pairs, small with
//!    large, and stage S + 1 begins.
//!
//! | `variant` | batches of | pairs never seen | drops | draws of a pair | stage S ends at | t |
//! |---|---|---|---|---|---|---|
//! | `paper` | arms in their given order | u = 2 | all losers together | one: theta(l, k) = 1 - theta(k, l) | K / 2^S arms | runs on |
//! | `authors` (default) | shuffled arms | u as from one win either way | one after the other, at random | two, independent | floor(K / 2^S) + 1 arms | restarts with each stage |
//!
//! The defaults are those that theory covers. Found best on a grid for 10^8 steps, by the authors:
//! `mergedts:alpha=0.262144:p=16:c=4e5` (and for mergeRUCB `mergerucb:alpha=0.262144:p=8:c=4e5`).
//!
//! ## References
//!
//! C. Li, I. Markov, M. de Rijke, M. Zoghi, "MergeDTS: A Method for Effective Large-Scale Online Ranker
//! Evaluation", ACM TOIS 38(4), 2020, <https://doi.org/10.1145/3411753>, algorithm 1. The second variant
//! is the rule as the authors' code has it, which the paper's experiments used.
//!
//! ## Notes
//!
//! * Batches are taken in turn by a cursor, not as t modulo their number; when batches merge for a new
//!   stage it restarts.
//! * Should dropping leave one arm, it joins the next batch there and then, as in the authors' code.
//! * Merging is that of mergeRUCB: batches are sorted by size, ties at random, the smallest goes with
//!   the largest, unless the two have more than 3p/2 arms; if a batch of p/2 or fewer is left it is done
//!   once more. Batches that have taken in lone arms may be larger.
//! * The arm recommended is the survivor that beat the most arms in more than half of their duels, up to
//!   when they were dropped.
//! * Whether theta exceeds 1/2 is a coin of known bias, and probabilities below 1e-25 count as 0; only step 4
//!   draws from Beta distributions.
//! * Arms of different batches never meet, and dropped arms never again: O(K p) memory.

use super::merging::{DelayedLogTime, MergingParameters, Stages};
use crate::algorithm::papers;
use crate::random::{argmax, preference};
use crate::{
    Arm, Choice, DelayedFeedback, Feedback, Generator, ParameterError, Policy, config, named_values, state, stored,
    takes_late,
};

mod batches;

use batches::Batches;

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in the authors' code.
        Authors = "authors",
    }
}

config! {
    /// MergeDTS's parameters.
    pub struct MergeDtsConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Authors, "paper or authors";
        /// Width of the confidence bounds, above 1/2 (any positive number where `c` is given).
        alpha: f64 = 1.01, "width of the bounds, above 1/2";
        /// The size of the first batches, p: at least 2, and 4 in theory.
        batch as "p": usize = 4, "size of the first batches";
        /// The probability with which the best arm may be lost, in (0, 1).
        delta: f64 = MergingParameters::DEFAULT_DELTA, "probability of losing the best arm";
        /// C(delta) itself; overrides `delta`.
        c: Option<f64> = None, "C(delta) itself, instead of delta";
    }

    policy MergeDts {
        name: "mergedts",
        summary: "merge double Thompson sampling (Li et al., TOIS 2020): sampling in batches that merge",
        paper: papers::LI_TOIS_2020,
        variants: [("variant=paper", "as printed")],
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        self.merging_parameters().check()
    }

    fn warn_together(&self) -> Option<String> {
        self.merging_parameters().warning()
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> MergeDts {
        MergeDts::new(self, arms)
    }

    takes_late!();
}

impl MergeDtsConfig {
    pub(crate) fn merging_parameters(&self) -> MergingParameters {
        MergingParameters { alpha: self.alpha, batch: self.batch, delta: self.delta, c: self.c }
    }
}

/// MergeDTS.
#[derive(Debug, Clone)]
pub struct MergeDts {
    authors: bool,
    clock: DelayedLogTime,
    stages: Stages,
    /// The step from which the clock counts.
    since: u64,
    batches: Batches,
    started: bool,
    /// Arms were dropped since the stage was last checked.
    shrunk: bool,
    /// The pair that meets: places within the current batch.
    met: [usize; 2],
    scores: Vec<u32>,
}

state!(MergeDts { clock, stages, since, batches, started, shrunk, met, scores } but { authors });

impl MergeDts {
    fn new(config: &MergeDtsConfig, arms: usize) -> Self {
        let authors = config.variant == Variant::Authors;
        let order: Vec<Arm> = (0..arms).map(Arm::at).collect();
        Self {
            authors,
            // The authors' clock starts at floor(C + 1), before the first step.
            clock: config.merging_parameters().clock(arms, |c| if authors { libm::floor(c) } else { c }),
            stages: Stages::new(arms, config.batch, authors),
            since: 0,
            batches: Batches::new(&order, config.batch, if authors { 1.0 } else { 0.0 }),
            started: false,
            shrunk: true,
            met: [0; 2],
            scores: Vec::new(),
        }
    }

    /// The stage, from 1.
    #[must_use]
    pub fn stage(&self) -> u32 {
        self.stages.stage()
    }

    /// How many arms are left.
    #[must_use]
    pub fn survivors(&self) -> usize {
        self.batches.arms_left()
    }

    #[cold]
    fn start(&mut self, generator: &mut Generator) {
        self.started = true;
        if let Some(order) = self.stages.order(generator) {
            self.batches = Batches::new(&order, self.stages.batch_size(), 1.0);
        }
    }

    #[cold]
    fn next_stage(&mut self, step: u64, generator: &mut Generator) {
        self.shrunk = false;
        if self.batches.len() > 1 && self.stages.is_stage_over(self.batches.arms_left()) {
            self.stages.merge(&mut self.batches, generator);
            if self.authors {
                // Narrower bounds from one step to the next: any arm may fall.
                self.since = step - 1;
                self.batches.recheck_all();
            }
        }
    }

    /// Makes the current batch one of two arms or more that have not lost, unless only one arm is
    /// left.
    fn ready_batch(&mut self, time: f64, generator: &mut Generator) {
        loop {
            while self.batches.size() == 1 && self.batches.len() > 1 {
                self.batches.merge_lone_arm();
            }
            let dropped = self.batches.may_drop(time)
                && self.batches.drop_losers(time, self.authors, &mut self.stages.beaten, generator);
            self.shrunk |= dropped;
            if self.batches.size() > 1 || self.batches.len() == 1 {
                return;
            }
        }
    }

    /// The winner of a tournament within the current batch.
    #[inline]
    fn champion(&mut self, generator: &mut Generator) -> usize {
        let size = self.batches.size();
        self.scores.clear();
        self.scores.resize(size, 0);
        for l in 1..size {
            for k in 0..l {
                let won = self.batches.prefers(k, l, generator);
                let lost = if self.authors { self.batches.prefers(l, k, generator) } else { !won };
                self.scores[k] += u32::from(won);
                self.scores[l] += u32::from(lost);
            }
        }
        argmax(generator, self.scores.iter()).unwrap_or(0)
    }

    /// The other arm of the current batch that looks worst against `champion` in a draw of its own.
    #[inline]
    fn challenger(&self, champion: usize, generator: &mut Generator) -> usize {
        let (mut worst, mut lowest) = (champion, f64::INFINITY);
        for place in (0..self.batches.size()).filter(|&place| place != champion) {
            let (won, lost) = self.batches.score(place, champion);
            let preference = preference(generator, won, lost);
            if preference < lowest {
                (worst, lowest) = (place, preference);
            }
        }
        worst
    }
}

impl Policy for MergeDts {
    fn arms(&self) -> usize {
        self.stages.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if !self.started {
            self.start(generator);
        }
        if self.shrunk {
            self.next_stage(step, generator);
        }
        let time = self.clock.at(step - self.since);
        self.ready_batch(time, generator);
        if self.batches.size() == 1 {
            return Choice::Alone { arm: self.batches.arm(0), until: u64::MAX };
        }
        let champion = self.champion(generator);
        let challenger = self.challenger(champion, generator);
        self.met = [champion, challenger];
        Choice::Duel(self.batches.arm(champion), self.batches.arm(challenger))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { first_won, .. } = feedback else {
            return;
        };
        let [champion, challenger] = self.met;
        if first_won {
            self.batches.record(champion, challenger);
        } else {
            self.batches.record(challenger, champion);
        }
        self.batches.advance();
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.stages.copeland_best(&self.batches, generator)
    }

    stored!();
}

impl DelayedFeedback for MergeDts {
    fn depart(&mut self, _arms: &[Arm]) {
        self.batches.advance();
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(Feedback::Duel { first_won, .. }) = feedback {
            self.batches.record_late(arms, first_won);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;
    use crate::registry::Spec;

    #[test]
    fn each_rule_has_its_error() {
        let error = |text: &str| text.parse::<Spec>().expect_err(text);
        for text in ["mergedts:alpha=0", "mergedts:alpha=nan", "mergedts:c=0"] {
            assert!(matches!(error(text), ParameterError::NotPositive { .. }), "{text}");
        }
        assert!(matches!(error("mergedts:alpha=0.5"), ParameterError::TooSmall { key: "alpha", .. }));
        assert!(matches!(error("mergedts:p=1"), ParameterError::BatchTooSmall { key: "p", value: 1 }));
        for text in ["mergedts:delta=0", "mergedts:delta=1", "mergedts:delta=nan"] {
            assert!(matches!(error(text), ParameterError::NotAProbability { key: "delta", .. }));
        }
        let warning = |text: &str| text.parse::<Spec>().expect(text).warning();
        assert_eq!(warning("mergedts"), None);
        assert!(warning("mergedts:p=2").is_some());
        assert!(warning("mergedts:alpha=0.262144:p=16:c=4e5").is_some());
    }

    #[test]
    fn a_pair_is_drawn_once_or_twice() {
        // Of three arms one has beaten another once: probabilities of 3/4 and 1/2. How often the third
        // is champion, by enumeration.
        for (variant, expected) in [(Variant::Paper, 32.0 / 96.0), (Variant::Authors, 31.0 / 96.0)] {
            let config = MergeDtsConfig { variant, ..MergeDtsConfig::default() };
            let mut policy = config.policy(3, None).expect("valid");
            policy.batches.record(0, 1);
            let mut generator = Generator::seed_from_u64(1);
            let draws = 200_000;
            let third = (0..draws).filter(|_| policy.champion(&mut generator) == 2).count();
            // Five standard deviations are half of the difference.
            let bound = 5.0 * (expected * (1.0 - expected) / f64::from(draws)).sqrt();
            assert!((third as f64 / f64::from(draws) - expected).abs() < bound);
        }
    }
}
