//! What a user does with a document.

/// What a user did with one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Examination {
    /// The user clicked on the document.
    pub clicked: bool,
    /// The user leaves after this document and examines nothing below it.
    pub abandons: bool,
}

/// The relevance of a document as a prepared click model knows it: an index into the model's probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Grade(pub u16);
