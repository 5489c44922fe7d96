//! What a user does with a document, and what an impression says about two rankers.

/// What a user did with one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The document was clicked.
    pub clicked: bool,
    /// The user leaves after this document; nothing below it is looked at.
    pub leaves: bool,
}

/// Which of two rankers an impression speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    /// The first ranker won.
    First,
    /// The second ranker won.
    Second,
    /// Neither: no click, or credit that is exactly equal.
    Tie,
}
