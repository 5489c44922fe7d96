//! Rules that parameters share, with their errors: what [`config!`](crate::config) checks, and what an author checks beyond it
//! in [`check_together`](crate::PolicyConfig::check_together). A value that is not given breaks no rule.

use crate::ParameterError;

/// A number, or one that need not be given.
pub trait Number: Copy {
    /// The number, if it is given.
    fn given(self) -> Option<f64>;
}

impl Number for f64 {
    fn given(self) -> Option<f64> {
        Some(self)
    }
}

impl Number for Option<f64> {
    fn given(self) -> Option<f64> {
        self
    }
}

impl Number for usize {
    fn given(self) -> Option<f64> {
        Some(self as f64)
    }
}

/// The number, if it is given.
#[doc(hidden)]
pub fn given(value: impl Number) -> Option<f64> {
    value.given()
}

/// The error about the value, if one is given that is not as it `must` be.
fn ensure(
    value: impl Number,
    must: impl Fn(f64) -> bool,
    error: impl Fn(f64) -> ParameterError,
) -> Result<(), ParameterError> {
    match value.given() {
        Some(value) if !must(value) => Err(error(value)),
        _ => Ok(()),
    }
}

/// `value` is positive and finite.
///
/// # Errors
/// [`ParameterError::NotPositive`].
pub fn positive(key: &'static str, value: impl Number) -> Result<(), ParameterError> {
    let must = |value: f64| value > 0.0 && value.is_finite();
    ensure(value, must, |value| ParameterError::NotPositive { key, value })
}

/// `value` is a probability, neither 0 nor 1.
///
/// # Errors
/// [`ParameterError::NotAProbability`].
pub fn probability(key: &'static str, value: impl Number) -> Result<(), ParameterError> {
    ensure(value, |value| value > 0.0 && value < 1.0, |value| ParameterError::NotAProbability { key, value })
}

/// `value` is above 0 and at most 1.
///
/// # Errors
/// [`ParameterError::NotAShare`].
pub fn share(key: &'static str, value: impl Number) -> Result<(), ParameterError> {
    ensure(value, |value| value > 0.0 && value <= 1.0, |value| ParameterError::NotAShare { key, value })
}

/// A batch of `value` arms has two to compare.
///
/// # Errors
/// [`ParameterError::BatchTooSmall`].
pub fn batch(key: &'static str, value: usize) -> Result<(), ParameterError> {
    if value < 2 { Err(ParameterError::BatchTooSmall { key, value }) } else { Ok(()) }
}

/// `value` is `minimum` or more, perhaps infinite. `why` is the reason.
///
/// # Errors
/// [`ParameterError::BelowMinimum`].
pub fn at_least(key: &'static str, value: impl Number, minimum: f64, why: &'static str) -> Result<(), ParameterError> {
    ensure(value, |value| value >= minimum, |value| ParameterError::BelowMinimum { key, minimum, value, why })
}

/// `value` is `minimum` or more, and finite. `why` is the reason.
///
/// # Errors
/// [`ParameterError::BelowMinimum`].
pub fn finite_at_least(
    key: &'static str,
    value: impl Number,
    minimum: f64,
    why: &'static str,
) -> Result<(), ParameterError> {
    let must = |value: f64| value >= minimum && value.is_finite();
    ensure(value, must, |value| ParameterError::BelowMinimum { key, minimum, value, why })
}

/// `value` is above `bound`, and finite. `why` is the reason.
///
/// # Errors
/// [`ParameterError::TooSmall`].
pub fn above(key: &'static str, value: impl Number, bound: f64, why: &'static str) -> Result<(), ParameterError> {
    let must = |value: f64| value > bound && value.is_finite();
    ensure(value, must, |value| ParameterError::TooSmall { key, bound, value, why })
}

/// `value` is below `bound`. `why` is the reason.
///
/// # Errors
/// [`ParameterError::TooLarge`].
pub fn below(key: &'static str, value: impl Number, bound: f64, why: &'static str) -> Result<(), ParameterError> {
    ensure(value, |value| value < bound, |value| ParameterError::TooLarge { key, bound, value, why })
}

/// The warning about a parameter that was set although it has no effect beside another.
#[must_use]
pub fn without_effect(key: &str, beside: &str) -> String {
    format!("{key} has no effect beside {beside}")
}

/// All warnings about an algorithm's parameters, joined into one.
#[must_use]
pub fn join_warnings(name: &str, all: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("{name}: {}", all.join("; ")))
}
