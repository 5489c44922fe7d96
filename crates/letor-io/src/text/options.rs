//! Options and limits of the reader.

/// What the text reader accepts.
///
/// ```
/// use letor_io::{Null, ReadOptions};
///
/// let options = ReadOptions { null: Null::Zero, ..ReadOptions::default() };
/// assert_eq!(options.max_label, 4.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The highest label, 4 by default because all public sets have at most five grades. Labels range from 0 to
    /// this and may be fractional; documents without a label have -1.
    pub max_label: f32,
    /// How to treat `NULL` instead of a value (as in LETOR 4.0's "NULL" version).
    pub null: Null,
    /// How to treat a query id that recurs.
    pub same_qid: SameQid,
    /// The least number of features of the data set, in case the last ones never occur.
    pub features: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_label: 4.0, null: Null::Error, same_qid: SameQid::Error, features: 0 }
    }
}

/// How to treat `NULL` instead of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// Refuse the file.
    #[default]
    Error,
    /// Read it as an absent value, which is 0. Where values are negative, unknown documents then outrank known ones.
    Zero,
    /// Read it as the lowest value that the feature has in the query, and as 0 if all its values there are NULL
    /// ([`Dataset::all_null`](crate::Dataset::all_null) counts these), so that no unknown document outranks a known
    /// one. LETOR 4.0's "MIN" version is made in this way: T. Qin, T.-Y. Liu, "Introducing LETOR 4.0 Datasets", 2013,
    /// <https://doi.org/10.48550/arXiv.1306.2597>.
    ///
    /// All documents of a query must be together: [`SameQid::Merge`] is refused where it would merge.
    Min,
}

/// How to treat a query id that recurs after another id or in another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameQid {
    /// Refuse the file and report both places: usually the same data was given twice.
    #[default]
    Error,
    /// Keep each contiguous block as a separate query; several queries then have the same id.
    Separate,
    /// Append the later documents to the first query with that id.
    Merge,
}

/// The largest number of bytes in a line.
pub(crate) const MAX_LINE: usize = 4 << 20;
/// The highest feature number.
pub(crate) const MAX_FEATURE: u32 = 1_000_000;
