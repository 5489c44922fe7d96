//! Errors of parameters, and checks that do not depend on parameters. Rules of parameters are in `rules`.

use crate::PolicyConfig;

/// Why an algorithm cannot be built with these parameters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// No algorithm of this name.
    #[error("no algorithm is called `{name}`{}", did_you_mean(suggestion))]
    UnknownAlgorithm {
        /// The name or key given.
        name: String,
        /// The nearest name there is.
        suggestion: Option<&'static str>,
    },
    /// The algorithm has no such parameter.
    #[error("{algorithm} has no parameter `{key}` (parameters: {known}){}", did_you_mean(suggestion))]
    UnknownParameter {
        /// The algorithm.
        algorithm: &'static str,
        /// The name or key given.
        key: String,
        /// The nearest key there is.
        suggestion: Option<&'static str>,
        /// All keys.
        known: String,
    },
    /// A part of a specification that is not `key=value`.
    #[error("expected `key=value`, found `{found}`; write an algorithm as name:key=value:key=value")]
    NotAnAssignment {
        /// The part.
        found: String,
    },
    /// A parameter given twice.
    #[error("the parameter `{key}` is given twice")]
    GivenTwice {
        /// Its key.
        key: String,
    },
    /// A value of the wrong kind.
    #[error("{key}: expected {expected}, found `{found}`")]
    WrongValue {
        /// The parameter.
        key: &'static str,
        /// The kind of text expected.
        expected: String,
        /// The text given.
        found: String,
    },
    /// A number that must be positive and finite.
    #[error("{key} must be a positive number, found {value}")]
    NotPositive {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must be above a bound.
    #[error("{key} must be above {bound}, found {value}; {why}")]
    TooSmall {
        /// The parameter.
        key: &'static str,
        /// The bound that it must exceed.
        bound: f64,
        /// Its value.
        value: f64,
        /// The reason.
        why: &'static str,
    },
    /// A number that reaches its upper bound.
    #[error("{key} must be below {bound}, found {value}; {why}")]
    TooLarge {
        /// The parameter.
        key: &'static str,
        /// The bound that it must stay below.
        bound: f64,
        /// Its value.
        value: f64,
        /// Why.
        why: &'static str,
    },
    /// A number below its minimum.
    #[error("{key} must be at least {minimum}, found {value}; {why}")]
    BelowMinimum {
        /// The parameter.
        key: &'static str,
        /// The smallest value allowed.
        minimum: f64,
        /// Its value.
        value: f64,
        /// Why.
        why: &'static str,
    },
    /// A probability outside (0, 1).
    #[error("{key} must lie strictly between 0 and 1, found {value}")]
    NotAProbability {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A batch that cannot hold a duel.
    #[error("{key} must be at least 2, found {value}; a batch needs two arms to compare")]
    BatchTooSmall {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: usize,
    },
    /// A share outside (0, 1].
    #[error("{key} must be above 0 and at most 1, found {value}")]
    NotAShare {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// Too many arms for an algorithm that counts the duels of every pair.
    #[error(
        "{algorithm} counts the duels of every pair and cannot choose among {arms} arms; \
         it takes at most {MAX_ARMS_WITH_ALL_PAIRS}, mergerucb any number"
    )]
    TooManyPairs {
        /// The algorithm.
        algorithm: &'static str,
        /// The number of arms.
        arms: usize,
    },
    /// No arms, or more than can be numbered.
    #[error("cannot choose among {arms} arms; expected 1 to {}", u32::MAX)]
    Arms {
        /// How many.
        arms: usize,
    },
    /// A horizon of no steps.
    #[error("{algorithm} needs to know the horizon, which must be at least 1 step")]
    NoHorizon {
        /// The algorithm.
        algorithm: &'static str,
    },
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// There are arms, and names for all of them.
pub(crate) fn countable(arms: usize) -> Result<(), ParameterError> {
    if arms > 0 && u32::try_from(arms).is_ok() { Ok(()) } else { Err(ParameterError::Arms { arms }) }
}

/// The most arms for which a table of all pairs is kept: it then takes 4 or 8 GB.
pub const MAX_ARMS_WITH_ALL_PAIRS: usize = 32_768;

/// There are arms, and room for all their pairs.
pub(super) fn countable_pairs<A: PolicyConfig>(arms: usize) -> Result<(), ParameterError> {
    if arms > MAX_ARMS_WITH_ALL_PAIRS {
        return Err(ParameterError::TooManyPairs { algorithm: A::NAME, arms });
    }
    countable(arms)
}

/// There is a horizon, where the algorithm uses it.
pub(super) fn horizon_known<A: PolicyConfig>(algorithm: &A, horizon: Option<u64>) -> Result<(), ParameterError> {
    if horizon.is_none_or(|steps| steps == 0) && algorithm.uses_horizon() {
        return Err(ParameterError::NoHorizon { algorithm: A::NAME });
    }
    Ok(())
}
