//! Algorithms from outside the list, e.g. written in another language: they take part in studies beside those of the list,
//! without a name that could be read.

use std::fmt;
use std::sync::Arc;

use super::{Entry, Memory, Spec};
use crate::{ActionKind, OwnedPolicy, Policy};

/// An algorithm from outside.
pub trait ExternalAlgorithm: fmt::Debug + Send + Sync {
    /// Its name in results, which is part of every seed: two algorithms of one name draw the same numbers.
    fn name(&self) -> &'static str;

    /// One line about it.
    fn summary(&self) -> &'static str {
        "an algorithm from outside"
    }

    /// A number that changes with the code, so that runs of other code are not reused. Not part of any seed.
    fn revision(&self) -> u32 {
        1
    }

    /// How many arms it chooses at a time.
    fn action_kind(&self) -> ActionKind;

    /// A fresh policy for `arms` arms and a horizon of that many steps, where it is known.
    fn policy(&self, arms: usize, horizon: Option<u64>) -> Box<dyn OwnedPolicy>;
}

/// An algorithm of duels that a closure builds.
struct OwnDuelAlgorithm<F> {
    name: &'static str,
    build: F,
}

impl<F> fmt::Debug for OwnDuelAlgorithm<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Own").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<P: Policy + Clone + Send + 'static, F: Fn(usize) -> P + Send + Sync> ExternalAlgorithm for OwnDuelAlgorithm<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        "an algorithm of your own"
    }

    fn action_kind(&self) -> ActionKind {
        ActionKind::Duels
    }

    fn policy(&self, arms: usize, _horizon: Option<u64>) -> Box<dyn OwnedPolicy> {
        Box::new((self.build)(arms))
    }
}

impl Spec {
    /// An algorithm of your own, to compare with registered ones: `build` makes a fresh policy of duels for a number of arms.
    /// It can be used wherever a specification can, except that [parsing](str::parse) does not accept its name. Algorithms of sets
    /// implement [`ExternalAlgorithm`].
    ///
    /// ```
    /// use bandits::registry::Spec;
    /// use bandits::{PolicyConfig, policies::rucb::RucbConfig};
    ///
    /// let own = Spec::own("bold-rucb", |arms| RucbConfig { alpha: 0.1, ..Default::default() }.policy(arms, None).unwrap());
    /// assert_eq!(own.canonical(), "bold-rucb");
    /// ```
    pub fn own<P, F>(name: &'static str, build: F) -> Self
    where
        P: Policy + Clone + Send + 'static,
        F: Fn(usize) -> P + Send + Sync + 'static,
    {
        let own: Arc<dyn ExternalAlgorithm> = Arc::new(OwnDuelAlgorithm { name, build });
        own.into()
    }
}

/// Its entry, as the registry would have it.
pub(super) fn entry(outside: &dyn ExternalAlgorithm) -> Entry {
    Entry {
        name: outside.name(),
        summary: outside.summary(),
        prefer: "",
        paper: None,
        module: "",
        variants: &[],
        revision: outside.revision(),
        action_kind: outside.action_kind(),
        needs_horizon: false,
        memory: Memory { per_pair: 0, per_arm: 0 },
        parameters: Vec::new(),
    }
}
