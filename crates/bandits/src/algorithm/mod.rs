//! What an algorithm is to the registry: a name, parameters with their rules, a paper, and how to build the policy.
//! The algorithms themselves are in [`policies`](crate::policies), the list of them in [`registry`](crate::registry).

mod error;
pub(crate) mod papers;
mod value;

use std::fmt;

pub use error::{MOST_WITH_ALL_PAIRS, ParameterError};
pub(crate) use error::{countable, countable_pairs, horizon_known, positive, probability, warnings, without_effect};
pub use papers::{Paper, Venue};
pub use value::{Parameter, ParameterValue};
pub(crate) use value::{assign, named_values, nearest, parameters};

use crate::Policy;
use crate::late::LatePolicy;

/// The parameters of a published algorithm, and how to build its policy: what the [registry](crate::registry) lists.
///
/// [`Default`] gives the parameters of the paper.
pub trait PolicyConfig: Clone + Default + fmt::Debug + PartialEq {
    /// The name on the command line and in results: lower case, no blanks.
    const NAME: &'static str;
    /// One line: what it is and where it comes from.
    const SUMMARY: &'static str;
    /// When to prefer it to the others, by what was measured: a phrase for the table of algorithms.
    const PREFER: &'static str;
    /// The paper; `None` for baselines.
    const PAPER: Option<Paper> = None;
    /// Settings worth trying beside the defaults: the parameters, e.g. `variant=icml`, and a phrase that explains
    /// them. They are listed in the table of algorithms, and tests pin their choices.
    const VARIANTS: &'static [(&'static str, &'static str)] = &[];
    /// Incremented whenever the choices for a given seed change: kept results of an earlier revision are
    /// discarded.
    const REVISION: u32 = 1;
    /// How many arms it chooses at a time, with its defaults.
    const ACTION: ActionKind = ActionKind::Duels;
    /// Whether it must know the horizon, with its defaults. Algorithms that need not are *anytime*.
    const NEEDS_HORIZON: bool = false;
    /// How reliably it finds the best arm: tests hold it to that.
    const CONVERGENCE: Convergence = Convergence::USUAL;

    /// How much memory its policy takes, with its defaults: tests hold it to that.
    const MEMORY: Memory = Memory { per_pair: 0, per_arm: 64 };
    /// Whether run loops are compiled for it alone: for algorithms that studies play often and whose steps take so little
    /// time that a virtual call shows. Each such loop costs every build half a second.
    const OWN_LOOP: bool = false;

    /// What it builds.
    type Policy: Policy + Clone + Send + 'static;

    /// How many arms it chooses at a time with these parameters.
    fn action_kind(&self) -> ActionKind {
        Self::ACTION
    }

    /// Whether it must know the horizon with these parameters: some algorithms need it only
    /// to choose a parameter that was not given.
    fn uses_horizon(&self) -> bool {
        Self::NEEDS_HORIZON
    }

    /// Every parameter with its value, in the order in which they are written.
    fn parameters(&self) -> Vec<Parameter>;

    /// The value of the parameter `key`, to be set; `None` if there is no such parameter.
    fn parameter_mut(&mut self, key: &str) -> Option<&mut dyn ParameterValue>;

    /// Checks that the parameters are in range, alone and together. By default all values are.
    ///
    /// # Errors
    /// The first rule that they break.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// What every [`policy`](Self::policy) checks first: the parameters, the number of arms (of which all pairs are kept if
    /// [`MEMORY`](Self::MEMORY) is per pair), and the horizon where it [is used](Self::uses_horizon).
    ///
    /// # Errors
    /// The first rule that is broken.
    fn check_for(&self, arms: usize, horizon: u64) -> Result<(), ParameterError> {
        self.check()?;
        if Self::MEMORY.per_pair > 0 {
            countable_pairs::<Self>(arms)?
        } else {
            countable(arms)?
        }
        horizon_known(self, horizon)
    }

    /// A warning about parameters that are accepted although they are outside what the algorithm's theory covers,
    /// or although one of them has no effect beside the others.
    fn warning(&self) -> Option<String> {
        None
    }

    /// How many steps its opening takes, in which it goes through pairs of arms on a schedule of its own; 0 if it
    /// has none. Benchmarks skip it.
    fn opening(&self, _arms: usize) -> u64 {
        0
    }

    /// The policy for `arms` arms and `horizon` steps.
    ///
    /// # Errors
    /// Those of [`check_for`](Self::check_for).
    fn policy(&self, arms: usize, horizon: u64) -> Result<Self::Policy, ParameterError>;

    /// The policy in the form in which it takes late outcomes: through queues, unless the algorithm takes them itself.
    ///
    /// # Errors
    /// Those of [`policy`](Self::policy).
    fn late(&self, arms: usize, horizon: u64) -> Result<LatePolicy, ParameterError> {
        Ok(LatePolicy::queued(self.policy(arms, horizon)?))
    }
}

/// The method [`PolicyConfig::late`] of an algorithm that takes late outcomes itself.
macro_rules! takes_late {
    () => {
        fn late(&self, arms: usize, horizon: u64) -> Result<$crate::LatePolicy, $crate::ParameterError> {
            Ok($crate::LatePolicy::native(self.policy(arms, horizon)?))
        }
    };
}
pub(crate) use takes_late;

/// The number of arms that an algorithm chooses at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Two arms per step (interleaving).
    Duels,
    /// Any number of arms per step (multileaving).
    Sets,
}

/// How much memory a policy takes, mostly for its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes per ordered pair of arms, rounded up.
    pub per_pair: u64,
    /// Bytes per arm, rounded up.
    pub per_arm: u64,
}

impl Memory {
    /// Bytes for this number of arms.
    #[must_use]
    pub fn bytes(self, arms: usize) -> u64 {
        let arms = arms as u64;
        self.per_pair.saturating_mul(arms).saturating_mul(arms).saturating_add(self.per_arm.saturating_mul(arms))
    }
}

/// How reliably an algorithm finds the best arm of small problems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Whether it is built to find a Condorcet winner. Otherwise it is only expected to find an arm that is also best
    /// on average.
    pub condorcet: bool,
    /// How many times more steps than usual it takes.
    pub patience: u64,
    /// The length of its runs on problems with a Condorcet winner, e.g. to the end of a round, after which it starts
    /// again; it settles only within them.
    pub horizon: Option<u64>,
    /// Whether all preferences must differ from 1/2 by at least this much to be resolved in that time.
    pub least_margin: f64,
    /// The regret of the second half of a run, as a share of what uniform choice costs, stays below this.
    pub late_share: f64,
    /// Whether only its weak regret stops growing: it keeps comparing the winner with other arms.
    pub weak_regret: bool,
}

impl Convergence {
    /// What is expected of an algorithm that says nothing else.
    pub const USUAL: Self =
        Self { condorcet: true, patience: 1, horizon: None, least_margin: 0.0, late_share: 0.5, weak_regret: false };
}
