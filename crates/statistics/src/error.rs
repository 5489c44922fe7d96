//! Errors in requests.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// A number outside of its range.
    #[error("{what} is {value}; expected a number in {range}")]
    OutOfRange {
        /// The name of the number.
        what: &'static str,
        /// The number.
        value: f64,
        /// The range in words or as an interval.
        range: &'static str,
    },
    /// Too few of something.
    #[error("found {found} {what}; at least {needed} are needed")]
    TooFew {
        /// Their name.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number needed.
        needed: usize,
    },
    /// Two samples that belong together differ in length.
    #[error("the samples have {first} and {second} values; paired samples have equally many")]
    UnequalLengths {
        /// The length of the first.
        first: usize,
        /// The length of the second.
        second: usize,
    },
    /// Values that have to differ and do not.
    #[error("all {what} are {value}; expected at least two different ones")]
    AllEqual {
        /// Their name.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A pair that does not exist.
    #[error("there is no pair ({first}, {second}) of {arms} arms; a pair is two different arms below {arms}")]
    NoSuchPair {
        /// The first arm.
        first: usize,
        /// The second arm.
        second: usize,
        /// The number of arms.
        arms: usize,
    },
    /// Bradley-Terry strengths that do not exist.
    #[error(
        "no finite strengths fit: no arm of {group:?} was ever beaten by, or tied with, an arm outside of that group; \
         compare them more, or leave them out"
    )]
    Separated {
        /// Arms that no other arm has ever beaten.
        group: Vec<usize>,
    },
    /// Bradley-Terry parameters that grow without bound.
    #[error(
        "no finite strengths fit: ever larger strengths explain the wins and ties ever better, because too few outcomes \
         contradict each other; compare more, or fit with a prior"
    )]
    Unbounded,
    /// An outcome of a unit that is already closed.
    #[error("the unit is closed: its outcome has been counted, and later impressions cannot change it")]
    UnitClosed,
    /// A computation that does not converge.
    #[error("{what} did not converge in {iterations} iterations")]
    NotConverged {
        /// The computation.
        what: &'static str,
        /// The number of iterations tried.
        iterations: usize,
    },
}

/// Checks a level such as alpha or delta.
pub(crate) fn check_level(alpha: f64) -> Result<(), StatisticsError> {
    let allowed = alpha > 0.0 && alpha < 1.0;
    allowed.then_some(()).ok_or(StatisticsError::OutOfRange { what: "the level", value: alpha, range: "(0, 1)" })
}
