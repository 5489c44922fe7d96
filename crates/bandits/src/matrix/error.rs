//! Why something is not a preference matrix.

/// Why something is not a preference matrix, or cannot be read as one. Rows and columns are
/// arms, counted from 0; lines of a text are counted from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// No arms.
    #[error("the matrix is empty; expected at least one row")]
    Empty,
    /// A tournament without a winner of too few arms.
    #[error("of {arms} arms one is always a Condorcet winner; expected 3 arms or more")]
    AlwaysAWinner {
        /// The number of arms.
        arms: usize,
    },
    /// A row of the wrong length.
    #[error("row {row} has {cells} cells, expected {expected}; a preference matrix is square")]
    NotSquare {
        /// The row.
        row: usize,
        /// The number of its cells.
        cells: usize,
        /// The number expected.
        expected: usize,
    },
    /// A leading line that announces another number of arms than there are rows.
    #[error("the first line announces {announced} arms, but {rows} rows follow")]
    Rows {
        /// The number in the leading line.
        announced: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A word that is not a number.
    #[error(
        "line {line}, word {word}: expected a number, found `{found}`; names stand in a first line, above the columns"
    )]
    NotANumber {
        /// The line.
        line: usize,
        /// The word within the line, from 1.
        word: usize,
        /// The word.
        found: String,
    },
    /// A name in the header that cannot be one.
    #[error("line {line}, word {word}: {fault}")]
    Name {
        /// The line.
        line: usize,
        /// The word within the line, from 1.
        word: usize,
        /// What is wrong.
        fault: String,
    },
    /// A row that is not named like the column of the same number.
    #[error(
        "line {line}, word 1: expected `{expected}`, found `{found}`; rows and columns name the same arms in the same order"
    )]
    RowName {
        /// The line.
        line: usize,
        /// The name of the row.
        found: String,
        /// The name of the column.
        expected: String,
    },
    /// A header with another number of names than there are rows.
    #[error("the header names {named} arms, but {rows} rows follow")]
    HeaderRows {
        /// The number of names.
        named: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A row below a header with another number of cells.
    #[error("line {line} has {cells} cells, expected {expected} as in the header")]
    HeaderCells {
        /// The line.
        line: usize,
        /// The number of its cells.
        cells: usize,
        /// The number expected.
        expected: usize,
    },
    /// Bytes that are neither text nor `.npy`.
    #[error("byte {offset} is not text; expected rows of numbers or a .npy file")]
    NotText {
        /// Where text ends, from 0.
        offset: usize,
    },
    /// An entry that is not a probability.
    #[error("row {row}, column {column}: expected a probability from 0 to 1, found {value}")]
    NotAProbability {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// An entry that is not a count of wins.
    #[error("row {row}, column {column}: expected a count of wins, whole or with a half for a tie, found {value}")]
    NotACount {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// Wins of an arm over itself.
    #[error(
        "row {arm}, column {arm}: an arm cannot win {value} times against itself; expected 0 or nothing on the diagonal of \
         win counts: check that no row or column is shifted"
    )]
    SelfWins {
        /// The arm.
        arm: usize,
        /// The entry.
        value: f64,
    },
    /// Wins of a pair that are not a whole number of comparisons.
    #[error(
        "row {row}, column {column}: {value} and {mirror} wins are not a whole number of comparisons; a tie counts half for \
         both"
    )]
    HalfComparison {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        value: f64,
        /// The entry at (column, row).
        mirror: f64,
    },
    /// An empty cell of win counts with a mirror image that is not empty.
    #[error(
        "row {row}, column {column}: found nothing, but its mirror image is {mirror}; expected a count of wins, or nothing in \
         both for a pair that never met"
    )]
    MissingCount {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry at (column, row).
        mirror: f64,
    },
    /// An empty cell of a table of probabilities.
    #[error(
        "row {row}, column {column}: expected a probability, found nothing; give counts of wins, 0 and 0 for a pair that \
         never met, or 0.5 to call it a tie"
    )]
    Missing {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// Win counts that are all 0.
    #[error("no arm was ever compared with another; expected the wins of each arm over each")]
    NoComparisons,
    /// An arm that does not tie with itself.
    #[error("row {arm}, column {arm}: expected 0.5 on the diagonal, found {value}; leave it empty if it says nothing")]
    Diagonal {
        /// The arm.
        arm: usize,
        /// The entry.
        value: f64,
    },
    /// A pair with two probabilities that do not sum to one.
    #[error(
        "row {row}, column {column}: {value} and its mirror image {mirror} sum to {}, expected 1 \
         (ties count half)", value + mirror
    )]
    Sum {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        value: f64,
        /// The entry at (column, row).
        mirror: f64,
    },
    /// A `.npy` file of another kind.
    #[error("not a readable .npy matrix: {0}; save it as a two-dimensional float64 array")]
    Npy(String),
    /// An arm that the matrix does not have.
    #[error("arm {arm} is out of range: the matrix has {arms} arms, counted from 0")]
    NoSuchArm {
        /// The arm.
        arm: u32,
        /// The number of arms.
        arms: usize,
    },
    /// An arm named twice.
    #[error("arm {0} is named twice")]
    Repeated(u32),
}
