//! How text is to be read.

/// How to read text: what to accept beyond clean data.
///
/// ```
/// use letor_io::{Null, ReadOptions};
///
/// let options = ReadOptions { null: Null::Zero, ..ReadOptions::default() };
/// assert_eq!(options.max_label, 4.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Labels go from 0 to this, fractions included; -1 marks a document without a label. 4 unless
    /// said otherwise, as all public sets have at most five grades.
    pub max_label: f32,
    /// What to do about `NULL` in place of a value (LETOR 4.0's "NULL" version has it).
    pub null: Null,
    /// What to do about a query id that comes again.
    pub same_qid: SameQid,
    /// Features go up to this at least, though the last may never occur.
    pub features: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            max_label: 4.0,
            null: Null::Error,
            same_qid: SameQid::Error,
            features: 0,
        }
    }
}

/// What to do about `NULL` in place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Null {
    /// Refuse the file.
    #[default]
    Error,
    /// Read it as an absent value, which is 0.
    Zero,
}

/// What to do about a query id that comes again after another id, or in another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SameQid {
    /// Refuse, naming both places: most often the same data was given twice.
    #[default]
    Error,
    /// Keep each contiguous block as a query of its own; several then have the same id.
    Separate,
    /// Append the later documents to the first query of that id.
    Merge,
}

/// Most bytes in a line.
pub(crate) const MAX_LINE: usize = 4 << 20;
/// Highest feature number.
pub(crate) const MAX_FEATURE: u32 = 1_000_000;
/// Most bytes in a query id.
pub(crate) const MAX_ID: usize = 256;
