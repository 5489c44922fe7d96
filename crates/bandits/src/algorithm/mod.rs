//! What every algorithm of the crate says of itself: its name, its parameters, how it is built.

use std::fmt;

use crate::Policy;

/// A published algorithm with its parameters: what the [registry](crate::registry) lists.
///
/// The implementing type holds the parameters; [`Default`] gives the paper's.
pub trait PolicyConfig: Clone + Default + fmt::Debug + PartialEq {
    /// The name on the command line and in results: lower case, no blanks.
    const NAME: &'static str;
    /// One line: what it is and where it comes from.
    const SUMMARY: &'static str;
    /// Raised whenever it chooses otherwise for the same seed: what was kept of an earlier revision is
    /// not its own any more.
    const REVISION: u32 = 1;
    /// What it plays, with its defaults.
    const ACTION: ActionKind = ActionKind::Duels;
    /// Whether it must know the horizon, with its defaults.
    const NEEDS_HORIZON: bool = false;
    /// Whether it is built to find a Condorcet winner.
    const FINDS_WINNER: bool = true;

    /// What it builds.
    type Policy: Policy + Clone + Send;

    /// What it plays with these very parameters.
    fn action_kind(&self) -> ActionKind {
        Self::ACTION
    }

    /// Whether it must know the horizon with these very parameters: some algorithms need it only
    /// to choose a parameter that was not given.
    fn uses_horizon(&self) -> bool {
        Self::NEEDS_HORIZON
    }

    /// Every parameter: its key, what it means, and where it is kept.
    fn parameters(&mut self) -> Vec<Parameter<'_>>;

    /// Whether the parameters make sense together.
    ///
    /// # Errors
    /// The first rule that they break.
    fn check(&self) -> Result<(), ParameterError>;

    /// A warning that these parameters deserve though they are accepted: they lie outside of what
    /// the algorithm's theory covers, or one was set that the others leave without effect.
    fn warning(&self) -> Option<String> {
        None
    }

    /// The policy for `arms` arms and `horizon` steps.
    ///
    /// # Errors
    /// When [`check`](Self::check) fails, when there are no arms (or 2^32), and when `horizon` is
    /// 0 where it [is used](Self::uses_horizon).
    fn policy(&self, arms: usize, horizon: u64) -> Result<Self::Policy, ParameterError>;
}

/// What an algorithm plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Two arms a step (interleaving).
    Duels,
    /// Any number of arms a step (multileaving).
    Sets,
}

/// One parameter of an algorithm.
pub struct Parameter<'a> {
    /// Its key in `name:key=value`.
    pub key: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Where it is kept.
    pub value: &'a mut dyn ParameterValue,
}

impl<'a> Parameter<'a> {
    /// A parameter.
    pub fn new(key: &'static str, meaning: &'static str, value: &'a mut dyn ParameterValue) -> Self {
        Self { key, meaning, value }
    }
}

/// A parameter's value, from text and to text.
pub trait ParameterValue {
    /// Takes the value that `text` says; on failure changes nothing and says what was expected.
    ///
    /// # Errors
    /// What kind of text was expected.
    fn set(&mut self, text: &str) -> Result<(), String>;

    /// The value as text that [`set`](Self::set) takes.
    fn show(&self) -> String;
}

impl ParameterValue for f64 {
    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|_| "a number".to_owned())?;
        Ok(())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl ParameterValue for Option<f64> {
    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = match text {
            "auto" => None,
            _ => Some(text.parse().map_err(|_| "a number or `auto`".to_owned())?),
        };
        Ok(())
    }

    fn show(&self) -> String {
        self.map_or_else(|| "auto".to_owned(), |value| value.to_string())
    }
}

impl ParameterValue for usize {
    fn set(&mut self, text: &str) -> Result<(), String> {
        // Also `1e3`: whole numbers however they are written.
        let value: f64 = text.parse().map_err(|_| "a whole number".to_owned())?;
        if !(0.0..=9e15).contains(&value) || value.fract() != 0.0 {
            return Err("a whole number".to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in range, as was just checked"
        )]
        {
            *self = value as Self;
        }
        Ok(())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Makes an enum of named variants a [`ParameterValue`].
macro_rules! named_values {
    ($type:ty { $($name:literal => $value:path),* $(,)? }) => {
        impl $crate::ParameterValue for $type {
            fn set(&mut self, text: &str) -> Result<(), String> {
                *self = match text {
                    $($name => $value,)*
                    _ => return Err(["one of", $($name),*].join(" ")),
                };
                Ok(())
            }

            fn show(&self) -> String {
                match self { $($value => $name),* }.to_owned()
            }
        }
    };
}
pub(crate) use named_values;

/// Why an algorithm cannot be built as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// No algorithm of this name.
    #[error("no algorithm is called `{name}`{}", did_you_mean(suggestion))]
    UnknownAlgorithm {
        /// What was asked for.
        name: String,
        /// The nearest name there is.
        suggestion: Option<&'static str>,
    },
    /// The algorithm has no such parameter.
    #[error("{algorithm} has no parameter `{key}`{}; it has: {known}", did_you_mean(suggestion))]
    UnknownParameter {
        /// The algorithm.
        algorithm: &'static str,
        /// What was asked for.
        key: String,
        /// The nearest key there is.
        suggestion: Option<&'static str>,
        /// All keys.
        known: String,
    },
    /// A part of a specification that is not `key=value`.
    #[error("expected `key=value`, found `{found}`; write an algorithm as name:key=value:key=value")]
    NotAnAssignment {
        /// What stands there.
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
        /// What was expected.
        expected: String,
        /// What was found.
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
        /// What it must exceed.
        bound: f64,
        /// Its value.
        value: f64,
        /// What needs that.
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
    /// More arms than an algorithm that knows all their pairs has room for.
    #[error(
        "{algorithm} counts the duels of every pair, and {arms} arms make too many of them; \
         it ends at {MOST_WITH_ALL_PAIRS} arms, mergerucb does not"
    )]
    TooManyPairs {
        /// The algorithm.
        algorithm: &'static str,
        /// How many arms.
        arms: usize,
    },
    /// No arms, or more than there are names for.
    #[error("cannot choose among {arms} arms; expected 1 to {}", u32::MAX)]
    Arms {
        /// How many.
        arms: usize,
    },
    /// A horizon of no steps.
    #[error("{algorithm} needs to know the horizon, and 0 steps are none")]
    NoHorizon {
        /// The algorithm.
        algorithm: &'static str,
    },
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// `value` is positive and finite.
pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), ParameterError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ParameterError::NotPositive { key, value }) }
}

/// There are arms, and names for all of them.
pub(crate) fn countable(arms: usize) -> Result<(), ParameterError> {
    if arms > 0 && u32::try_from(arms).is_ok() { Ok(()) } else { Err(ParameterError::Arms { arms }) }
}

/// The most arms of which all pairs are kept: each table of theirs takes 4 GB or 8 then.
pub(crate) const MOST_WITH_ALL_PAIRS: usize = 32_768;

/// There are arms, and room for all their pairs.
pub(crate) fn countable_pairs<A: PolicyConfig>(arms: usize) -> Result<(), ParameterError> {
    if arms > MOST_WITH_ALL_PAIRS {
        return Err(ParameterError::TooManyPairs { algorithm: A::NAME, arms });
    }
    countable(arms)
}

/// There is a horizon, where the algorithm uses it.
pub(crate) fn horizon_known<A: PolicyConfig>(algorithm: &A, horizon: u64) -> Result<(), ParameterError> {
    if horizon == 0 && algorithm.uses_horizon() {
        return Err(ParameterError::NoHorizon { algorithm: A::NAME });
    }
    Ok(())
}

/// What to say of a parameter that was set though the others leave it without effect.
pub(crate) fn without_effect(key: &str, beside: &str) -> String {
    format!("{key} has no effect beside {beside}")
}

/// All that there is to say of an algorithm's parameters, as one warning.
pub(crate) fn warnings(name: &str, all: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("{name}: {}", all.join("; ")))
}
