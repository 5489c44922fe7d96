//! Why there is no board.

use statistics::StatisticsError;

/// Why a table has no board.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The table compares nobody.
    #[error(
        "the table has {rows} judgements, and none of them compares two competitors ({itself} compare one with itself); \
         a board needs at least one"
    )]
    Empty {
        /// The number of judgements.
        rows: usize,
        /// How many compare a competitor with itself.
        itself: usize,
    },
    /// More competitors than a board can hold.
    #[error("the table names {found} competitors; a board compares at most {most}: leave some out")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A setting outside of its range.
    #[error("{what} is {value}; expected a number in {range}")]
    Setting {
        /// What the setting is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        range: &'static str,
    },
    /// A judgement that does not fit the table it is in.
    #[error("row {row}: {what} is {found}; expected {expected}")]
    Row {
        /// The row's number, as in [`Judgement::row`](crate::Judgement::row).
        row: u64,
        /// What is wrong.
        what: &'static str,
        /// The value found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// A column that covariances should be clustered by is missing.
    #[error("standard errors by {column} need a column `{column}`, and the table has none; add it, or choose others")]
    NoColumn {
        /// `item` or `judge`.
        column: &'static str,
    },
    /// People's judgements and those of a model do not fit together.
    #[error("people's judgements beside those of a model: {0}")]
    Gold(String),
    /// A computation failed.
    #[error("the fit of the judgements failed: {0}")]
    Fit(#[from] StatisticsError),
}
