//! Algorithms as the registry lists them: a name, parameters with their rules, a paper, and how to build the policy.
//! The algorithms themselves are in [`policies`](crate::policies), the list of them in [`registry`](crate::registry).

mod config;
mod error;
pub(crate) mod papers;
pub mod rules;
mod value;

use std::fmt;

pub(crate) use error::countable;
pub use error::{MAX_ARMS_WITH_ALL_PAIRS, ParameterError};
use error::{countable_pairs, horizon_known};
pub use papers::{Paper, Venue};
pub use value::{Parameter, ParameterValue};
pub(crate) use value::{assign, nearest};

use crate::Policy;
use crate::late::LatePolicy;

/// The parameters of a published algorithm, and how to build its policy: what the [registry](crate::registry) lists.
/// [`config!`](crate::config) writes it.
///
/// [`Default`] gives the parameters of the paper.
pub trait PolicyConfig: Clone + Default + fmt::Debug + PartialEq {
    /// The name on the command line and in results: lower case, no blanks.
    const NAME: &'static str;
    /// One line: what it is and where it comes from.
    const SUMMARY: &'static str;
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
    /// Whether its policy keeps something for every pair of arms, and so refuses more than
    /// [`MAX_ARMS_WITH_ALL_PAIRS`] arms.
    const ALL_PAIRS: bool = false;
    /// Whether run loops are compiled for it alone: for algorithms that studies play often, with steps so short that a
    /// virtual call shows. Each such loop costs every build half a second.
    const OWN_LOOP: bool = false;

    /// The policy that it builds.
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

    /// Checks that the parameters are in range, each by its rules, and [together](Self::check_together).
    ///
    /// # Errors
    /// The first rule that they break.
    fn check(&self) -> Result<(), ParameterError> {
        self.check_together()
    }

    /// Checks of several parameters together: by default none.
    ///
    /// # Errors
    /// The first rule that they break.
    fn check_together(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// The checks that every [`policy`](Self::policy) makes first: the parameters, the number of arms (which is limited if
    /// [all pairs are kept](Self::ALL_PAIRS)), and the horizon where it [is used](Self::uses_horizon).
    ///
    /// # Errors
    /// The first rule that is broken.
    fn check_for(&self, arms: usize, horizon: Option<u64>) -> Result<(), ParameterError> {
        self.check()?;
        if Self::ALL_PAIRS {
            countable_pairs::<Self>(arms)?
        } else {
            countable(arms)?
        }
        horizon_known(self, horizon)
    }

    /// A warning about parameters that are accepted although they are outside what the algorithm's theory covers,
    /// or although one of them has no effect beside the others. It begins with the name.
    fn warning(&self) -> Option<String> {
        rules::join_warnings(Self::NAME, [self.warn_together()])
    }

    /// A warning that no rule of a single parameter gives, without the name: by default none.
    fn warn_together(&self) -> Option<String> {
        None
    }

    /// The policy for `arms` arms and a horizon of that many steps; `None` if it is not known. Only [`policy`](Self::policy) calls it,
    /// and checks first that there is an arm, and a horizon where it [is used](Self::uses_horizon).
    fn build(&self, arms: usize, horizon: Option<u64>) -> Self::Policy;

    /// The policy for `arms` arms and a horizon of that many steps; `None` if it is not known.
    ///
    /// # Errors
    /// Those of [`check_for`](Self::check_for).
    fn policy(&self, arms: usize, horizon: Option<u64>) -> Result<Self::Policy, ParameterError> {
        self.check_for(arms, horizon)?;
        Ok(self.build(arms, horizon))
    }

    /// The policy in the form in which it takes late outcomes: through queues, unless the algorithm
    /// [takes them itself](crate::takes_late).
    ///
    /// # Errors
    /// Those of [`policy`](Self::policy).
    fn late(&self, arms: usize, horizon: Option<u64>) -> Result<LatePolicy, ParameterError> {
        Ok(LatePolicy::queued(self.policy(arms, horizon)?))
    }
}

/// The horizon of an algorithm that uses it: none is built without.
pub(crate) fn given_horizon(horizon: Option<u64>) -> u64 {
    horizon.expect("an algorithm that uses its horizon is refused without one")
}

/// The method [`PolicyConfig::late`](crate::PolicyConfig::late) of an algorithm that takes late outcomes itself: its policy is
/// [`DelayedFeedback`](crate::DelayedFeedback).
#[macro_export]
macro_rules! takes_late {
    () => {
        fn late(&self, arms: usize, horizon: Option<u64>) -> Result<$crate::LatePolicy, $crate::ParameterError> {
            Ok($crate::LatePolicy::native($crate::PolicyConfig::policy(self, arms, horizon)?))
        }
    };
}

/// The number of arms that an algorithm chooses at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Two arms per step (interleaving).
    Duels,
    /// Any number of arms per step (multileaving).
    Sets,
}
