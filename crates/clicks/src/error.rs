//! Errors in a click model's description, a label or a log.

/// Why a click model cannot be made, or cannot serve some labels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ClickError {
    kind: ClickErrorKind,
    message: String,
}

/// The kinds of [`ClickError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClickErrorKind {
    /// No click model has this name.
    UnknownModel,
    /// A setting is unknown, repeated, not a number, or does not suit the model.
    Setting,
    /// A pair is not `grade:probability`, or a grade is missing or repeated.
    Notation,
    /// A number is not a probability.
    Probability,
    /// A model has no grades, too many, or different grades for clicks and stops.
    Grades,
    /// A label is negative, not finite, or above the model's highest grade.
    Label,
    /// A log names a grade that does not exist, or leaves one unseen.
    Log,
}

impl ClickError {
    pub(crate) fn new(kind: ClickErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ClickErrorKind {
        self.kind
    }
}
