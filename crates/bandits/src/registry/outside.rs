//! Algorithms from outside the list, e.g. written in another language: they take part in studies beside those of the list,
//! without a name that could be read.

use std::fmt;
use std::sync::Arc;

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
    fn policy(&self, arms: usize, horizon: u64) -> Box<dyn Policy + Send>;
}

/// What the registry would know of it.
pub(super) fn entry(outside: &dyn Outside) -> Entry {
    Entry {
        name: outside.name(),
        summary: outside.summary(),
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

/// A policy of such an algorithm. A clone is a fresh one: studies copy policies only before their first step.
pub(super) struct OutsidePolicy {
    algorithm: Arc<dyn Outside>,
    arms: usize,
    horizon: u64,
    policy: Box<dyn Policy + Send>,
}

impl OutsidePolicy {
    pub(super) fn new(algorithm: Arc<dyn Outside>, arms: usize, horizon: u64) -> Self {
        let policy = algorithm.policy(arms, horizon);
        Self { algorithm, arms, horizon, policy }
    }
}

impl Clone for OutsidePolicy {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.algorithm), self.arms, self.horizon)
    }
}

impl Policy for OutsidePolicy {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.policy.choose(step, generator)
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        self.policy.learn(step, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<crate::Arm> {
        self.policy.recommend(generator)
    }
}
