//! Algorithms from outside the list, e.g. written in another language: they take part in studies beside those of the list,
//! without a name that could be read.

use std::fmt;

use super::Entry;
use crate::{ActionKind, Choice, Convergence, Feedback, Generator, Memory, Policy};

/// An algorithm from outside.
pub trait Outside: fmt::Debug + Send + Sync {
    /// Its name in results, which is part of every seed: two algorithms of one name draw the same numbers.
    fn name(&self) -> &'static str;

    /// One line about it.
    fn summary(&self) -> &'static str {
        "an algorithm from outside"
    }

    /// How many arms it chooses at a time.
    fn action_kind(&self) -> ActionKind;

    /// A fresh policy for `arms` arms and `horizon` steps.
    fn policy(&self, arms: usize, horizon: u64) -> Box<dyn OwnedPolicy>;
}

/// A policy that can be copied, whatever its type.
pub trait OwnedPolicy: Policy + Send {
    /// A policy in the same state.
    fn copied(&self) -> Box<dyn OwnedPolicy>;
}

impl<P: Policy + Clone + Send + 'static> OwnedPolicy for P {
    fn copied(&self) -> Box<dyn OwnedPolicy> {
        Box::new(self.clone())
    }
}

/// What the registry would know of it.
pub(super) fn entry(outside: &dyn Outside) -> Entry {
    Entry {
        name: outside.name(),
        summary: outside.summary(),
        prefer: "",
        paper: None,
        module: "",
        variants: &[],
        revision: 1,
        action_kind: outside.action_kind(),
        needs_horizon: false,
        convergence: Convergence::USUAL,
        memory: Memory { per_pair: 0, per_arm: 0 },
        parameters: Vec::new(),
    }
}

/// A policy of such an algorithm.
pub(super) struct OutsidePolicy(Box<dyn OwnedPolicy>);

impl OutsidePolicy {
    pub(super) fn new(algorithm: &dyn Outside, arms: usize, horizon: u64) -> Self {
        Self(algorithm.policy(arms, horizon))
    }
}

impl Clone for OutsidePolicy {
    fn clone(&self) -> Self {
        Self(self.0.copied())
    }
}

impl Policy for OutsidePolicy {
    fn arms(&self) -> usize {
        self.0.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.0.choose(step, generator)
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        self.0.learn(step, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<crate::Arm> {
        self.0.recommend(generator)
    }
}
