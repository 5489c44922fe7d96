//! Algorithms from outside the list, e.g. written in another language: they take part in studies beside those of the list,
//! without a name that could be read.

use std::fmt;

use super::Entry;
use crate::{ActionKind, Convergence, Memory, OwnedPolicy};

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
