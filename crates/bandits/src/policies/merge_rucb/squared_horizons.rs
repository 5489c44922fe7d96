//! mergeRUCB without a horizon and without a given risk: it is run for horizons that are squared,
//! each time from scratch, with the risk that suits the horizon.
//!
//! In round r = 1, 2, ..., of T(r) = `first`^(2^(r - 1)) steps, [mergeRUCB](super) is
//! played from its beginning with delta = 1 / T(r).
//!
//! ## References
//!
//! M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//! Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>, which bounds the expected
//! regret for a known horizon T by delta = 1 / T and leaves an unknown one to squaring.
//!
//! ## Notes
//!
//! * Regret within T steps is O(ln T), so that squaring, unlike doubling, costs no more than a
//!   factor: ln T(1) + ln T(2) + ... + ln T(r) < 2 ln T(r).
//! * The paper does not say where squaring starts. `first` = 4, the first term of 2^(2^r), gives
//!   rounds of 4, 16, 256, 65,536 and 4.3 10^9 steps.
//! * The arm recommended is that of the last round until this one has lasted longer.

use super::{MergeRucb, MergeRucbConfig, Variant};
use crate::algorithm::papers;
use crate::algorithm::rules::at_least;
use crate::state::{State, StateError, StateReader, StateWriter};
use crate::{
    Arm, Choice, DelayedFeedback, Feedback, Generator, ParameterError, Policy, PolicyConfig as _, config, stored,
    takes_late,
};

config! {
    /// The parameters of mergeRUCB but for delta, and the length of the first round.
    pub struct MergeRucbSquaredConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Lerot, "paper or lerot";
        /// Width of the confidence bounds, above 1/2.
        alpha: f64 = 1.01, "width of the bounds, above 1/2";
        /// The size of the first batches, p: at least 2, and 4 in theory.
        batch as "p": usize = 4, "size of the first batches";
        /// How many steps the first round has, at least 2.
        first: usize = 4, "steps of the first round";
    }

    policy MergeRucbSquared {
        name: "mergerucb-squared",
        summary: "mergeRUCB restarted for squared horizons (Zoghi et al., WSDM 2015): no delta, no horizon",
        paper: papers::ZOGHI_WSDM_2015,
        variants: [("variant=paper", "as printed")],
        own_loop: true,
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        at_least("first", self.first, 2.0, "squares must grow")?;
        self.for_round(self.first as u64).check()
    }

    fn warn_together(&self) -> Option<String> {
        self.for_round(self.first as u64).warn_together()
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> MergeRucbSquared {
        MergeRucbSquared::new(self, arms)
    }

    takes_late!();
}

impl MergeRucbSquaredConfig {
    /// mergeRUCB for a round of `length` steps.
    fn for_round(&self, length: u64) -> MergeRucbConfig {
        MergeRucbConfig {
            variant: self.variant,
            alpha: self.alpha,
            batch: self.batch,
            delta: 1.0 / length as f64,
            c: None,
        }
    }
}

/// mergeRUCB by squared horizons.
#[derive(Debug, Clone)]
pub struct MergeRucbSquared {
    config: MergeRucbSquaredConfig,
    arms: usize,
    /// Steps before this round, and how many it has.
    before: u64,
    length: u64,
    round: MergeRucb,
    /// The last step.
    now: u64,
    /// The arm found by the last round, and how long that took.
    found: Option<Arm>,
    found_in: u64,
}

/// The round is built again for its length before it is loaded.
impl State for MergeRucbSquared {
    fn save(&self, to: &mut StateWriter) {
        to.put((self.before, self.length, self.now));
        to.put((self.found, self.found_in));
        State::save(&self.round, to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        (self.before, self.length, self.now) = from.get()?;
        (self.found, self.found_in) = from.get()?;
        let round = self.config.for_round(self.length).policy(self.arms, None);
        self.round = round.map_err(|_| StateError::Damaged { what: "a round of no length" })?;
        State::load(&mut self.round, from)
    }
}

impl MergeRucbSquared {
    fn new(config: &MergeRucbSquaredConfig, arms: usize) -> Self {
        let length = config.first as u64;
        Self {
            config: config.clone(),
            arms,
            before: 0,
            length,
            round: config.for_round(length).build(arms, None),
            now: 0,
            found: None,
            found_in: 0,
        }
    }

    fn next_round(&mut self, generator: &mut Generator) {
        self.found = self.round.recommend(generator).or(self.found);
        self.found_in = self.length;
        self.before = self.before.saturating_add(self.length);
        self.length = self.length.saturating_mul(self.length);
        if let Ok(round) = self.config.for_round(self.length).policy(self.arms, None) {
            self.round = round;
        }
    }
}

impl Policy for MergeRucbSquared {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        while step - self.before > self.length {
            self.next_round(generator);
        }
        let (before, ends) = (self.before, self.before.saturating_add(self.length));
        self.now = step;
        match self.round.choose(step - before, generator) {
            Choice::Alone { arm, until } => {
                let until = until.saturating_add(before).min(ends);
                self.now = until;
                Choice::Alone { arm, until }
            }
            choice => choice,
        }
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        self.round.learn(step - self.before, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.now - self.before > self.found_in {
            self.round.recommend(generator).or(self.found)
        } else {
            self.found.or_else(|| self.round.recommend(generator))
        }
    }

    stored!();
}

impl DelayedFeedback for MergeRucbSquared {
    fn depart(&mut self, arms: &[Arm]) {
        self.round.depart(arms);
    }

    /// Outcomes of earlier rounds are of no use: each begins from scratch.
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if step > self.before {
            self.round.arrive(step - self.before, arms, feedback);
        }
    }

    fn cut(&mut self, last: u64) {
        self.now = last;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn each_round_is_merge_rucb_with_its_own_delta() {
        let config = MergeRucbSquaredConfig { first: 20, ..Default::default() };
        let mut squared = config.policy(12, None).expect("valid");
        let mut one = Generator::seed_from_u64(1);
        let mut step = 0;
        for (length, delta) in [(20_u64, 0.05), (400, 0.0025), (5_000, 1.0 / 160_000.0)] {
            // A round draws what mergeRUCB draws; in between only ties for the best arm do.
            let rounds_config = MergeRucbConfig { delta, ..Default::default() };
            let mut round = rounds_config.policy(12, None).expect("valid");
            if step > 0 {
                assert!(squared.recommend(&mut one.clone()).is_some());
                squared.next_round(&mut one);
            }
            let mut two = one.clone();
            for within in 1..=length {
                step += 1;
                let (first, second) = match (squared.choose(step, &mut one), round.choose(within, &mut two)) {
                    (Choice::Duel(first, second), expected) => {
                        assert_eq!(Choice::Duel(first, second), expected, "step {step}");
                        (first, second)
                    }
                    (Choice::Alone { arm, until }, Choice::Alone { arm: expected, .. }) => {
                        // It has ended, but lasts no longer than its round.
                        assert_eq!((arm, until), (expected, 420 + 160_000));
                        return;
                    }
                    other => panic!("step {step}: {other:?}"),
                };
                // The lower arm wins.
                let feedback = Feedback::of_duel(first, second, first < second);
                round.learn(within, feedback);
                squared.learn(step, feedback);
            }
        }
    }

    #[test]
    fn a_lone_arm_is_chosen_round_by_round() {
        let mut squared = MergeRucbSquaredConfig::default().policy(1, None).expect("valid");
        let mut generator = Generator::seed_from_u64(2);
        let mut step = 1;
        let mut ends = Vec::new();
        while ends.len() < 5 {
            let Choice::Alone { arm, until } = squared.choose(step, &mut generator) else {
                panic!("alone");
            };
            assert_eq!(arm, Arm(0));
            ends.push(until);
            step = until + 1;
        }
        assert_eq!(ends, [4, 20, 276, 65_812, 4_295_033_108]);
    }
}
