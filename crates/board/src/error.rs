//! The reasons why a table has no board.

use statistics::StatisticsError;

/// Why a table has no board.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The table compares no competitors.
    #[error("{}; a board needs at least one judgement of two competitors", no_comparison_text(*rows, *itself))]
    Empty {
        /// The number of judgements.
        rows: usize,
        /// The number that compare a competitor with itself.
        itself: usize,
    },
    /// More competitors than a board can hold.
    #[error("the table names {found} competitors; a board compares at most {most}: leave some out")]
    TooMany {
        /// Their number.
        found: usize,
        /// The most allowed.
        most: usize,
    },
    /// A setting outside of its range.
    #[error("{what} is {value}; expected a number in {range}")]
    Setting {
        /// The name of the setting.
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
        /// The fault.
        what: &'static str,
        /// The value found.
        found: String,
        /// The expected value.
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
    /// More covariates than a fit can hold.
    #[error("found {found} covariates; a board is adjusted for at most {most}: leave some out")]
    TooManyCovariates {
        /// Their number.
        found: usize,
        /// The most allowed.
        most: usize,
    },
    /// A covariate with an effect that cannot be estimated from the table.
    #[error("the covariate {name} cannot be fitted: {reason}; leave it out")]
    Covariate {
        /// Its name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A category without a board.
    #[error("category {category}: {error}; leave the category out")]
    Category {
        /// The category.
        category: String,
        /// The reason.
        error: Box<BoardError>,
    },
    /// A mix of categories that does not fit them.
    #[error("the mix of categories: {0}")]
    Mix(String),
    /// Several groups with covariates.
    #[error(
        "the competitors form {groups} groups that were never compared, not even indirectly; with covariates all must be connected: compare          them, or leave all groups but one out"
    )]
    Groups {
        /// The number of groups.
        groups: usize,
    },
    /// A judgement of no judge where judges are distinguished.
    #[error("row {row}: no judge is named; with discrimination each judgement needs one")]
    NoJudge {
        /// The row's number.
        row: u64,
    },
    /// Fewer than two judges to compare.
    #[error("discrimination compares judges, and the table names {found}; it needs two: leave it out")]
    FewJudges {
        /// Their number.
        found: usize,
    },
    /// More judges than can be distinguished.
    #[error("discrimination of {found} judges; at most {most} beside these competitors: leave it out, or some judges")]
    TooManyJudges {
        /// Their number.
        found: usize,
        /// The most allowed.
        most: usize,
    },
    /// A computation failed.
    #[error("the fit of the judgements failed: {0}")]
    Fit(#[from] StatisticsError),
}

fn no_comparison_text(rows: usize, itself: usize) -> String {
    match (rows, itself) {
        (0, _) => "the table has 0 judgements".to_owned(),
        (_, 0) => format!("none of the judgements of the table ({rows}) compares two competitors"),
        _ => format!("none of the judgements of the table ({rows}) compares two competitors: {itself} with itself"),
    }
}
