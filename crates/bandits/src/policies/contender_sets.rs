//! Rules for sets of the arms that may still be the best (MDB, MultiRUCB): their counts, when one arm plays alone, late
//! outcomes and the recommendation. A rule determines which arms meet.

use crate::confidence::Evidence;
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, State, state, stored};

/// Which arms meet.
pub(crate) trait ContenderRule {
    /// The width of the bounds u(i, j) = w(i, j) / n(i, j) + sqrt(alpha ln t / n(i, j)).
    fn alpha(&self) -> f64;

    /// Turns `set`, the arms with all bounds at least 1/2 at alpha ln t = `time`, into the arms that meet. A single arm plays
    /// alone.
    fn meet(&mut self, set: &mut Vec<Arm>, evidence: &Evidence, time: f64, generator: &mut Generator);
}

/// The policy of such a rule. Arms alone are one choice until another one may be the best again.
#[derive(Debug, Clone)]
pub struct ContenderSets<R> {
    pub(super) rule: R,
    evidence: Evidence,
    set: Vec<Arm>,
}

state!(bounded R: State => ContenderSets<R> { rule, evidence, set });

impl<R> ContenderSets<R> {
    pub(super) fn new(arms: usize, rule: R) -> Self {
        Self { rule, evidence: Evidence::new(arms, 0), set: Vec::with_capacity(arms) }
    }
}

impl<R: ContenderRule + State> Policy for ContenderSets<R> {
    fn arms(&self) -> usize {
        self.evidence.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let alpha = self.rule.alpha();
        let time = alpha * libm::log(step as f64);
        self.evidence.contenders(time, &mut self.set);
        self.rule.meet(&mut self.set, &self.evidence, time, generator);
        if let [arm] = self.set[..] {
            return Choice::Alone { arm, until: self.evidence.alone_until(arm, alpha, step) };
        }
        Choice::Set(&self.set)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Set { wins } = feedback {
            self.evidence.record_set(&self.set, wins);
        }
    }

    /// The arm that is the last to be ruled out: one that plays alone has met the others too seldom for its wins over each of
    /// them to be informative.
    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.evidence.least_evidence_against(generator)
    }

    stored!();
}

impl<R: ContenderRule + State> DelayedFeedback for ContenderSets<R> {
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(feedback) = feedback {
            self.set.clear();
            self.set.extend_from_slice(arms);
            self.learn(step, feedback);
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.evidence.wins(i.index(), j.index()))
    }
}
