//! Why something is not a ranked list.

/// Why two slices are not a ranked list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a ranked list: {message}")]
pub struct RankedListError {
    kind: RankedListErrorKind,
    message: String,
}

/// The kinds of [`RankedListError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankedListErrorKind {
    /// More than 65,535 documents.
    TooLong,
    /// A document is listed twice.
    Duplicate,
    /// The tie groups do not match the order.
    TieGroup,
    /// A score is not a number.
    Score,
}

impl RankedListError {
    pub(super) fn new(kind: RankedListErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> RankedListErrorKind {
        self.kind
    }
}
