//! Preference matrices: the probability that one arm beats another, read, written and validated; their winners and
//! their agreement. Everything else about their structure is in `structure`.

pub mod agreement;
#[cfg(feature = "ndarray")]
mod arrays;
mod cells;
mod counts;
mod error;
mod header;
mod npy;
mod reading;
mod text;
pub mod winners;

pub use counts::{ComparisonCounts, WinTable};
pub use error::MatrixError;
pub use text::SquareTable;

use std::ops::Range;

use crate::Arm;

/// How far `p(i, j) + p(j, i)` may deviate from 1 and a diagonal entry from 1/2: enough for a
/// matrix printed with seven digits, far less than any preference that can be measured.
pub const TOLERANCE: f64 = 1e-6;

/// A valid preference matrix: entry (i, j) is the probability that arm i beats arm j.
///
/// Square, at least one arm, every entry in [0, 1], diagonal 1/2, and p(i, j) + p(j, i) = 1 within
/// [`TOLERANCE`]. If a pair's two entries do not agree to the last digit, the one above the diagonal counts and the other is
/// corrected, so that both triangles give the same winner.
///
/// ```
/// # use bandits::{Arm, PreferenceMatrix};
/// let matrix = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5\n")?;
/// assert_eq!(matrix.get(Arm(0), Arm(1)), 0.7);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceMatrix {
    arms: usize,
    entries: Vec<f64>,
}

/// A preference matrix as it is in a file or a table.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixInFile {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// The names of the arms in the header of a text.
    pub names: Option<Vec<String>>,
    /// The win counts, if the file holds some.
    pub wins: Option<WinTable>,
    /// Whether the file holds percentages.
    pub percent: bool,
}

/// The rows and columns of a matrix in tiles of 32 KB, each of them once.
fn tiles(arms: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    const TILE_SIDE: usize = 64;
    let parts = move || (0..arms).step_by(TILE_SIDE).map(move |start| start..arms.min(start + TILE_SIDE));
    parts().flat_map(move |rows| parts().map(move |columns| (rows.clone(), columns)))
}

/// The rule that a cell breaks, if any.
#[inline]
fn broken_rule(entries: &[f64], arms: usize, row: usize, column: usize) -> Option<MatrixError> {
    let value = entries[row * arms + column];
    if !(0.0..=1.0).contains(&value) {
        return Some(MatrixError::NotAProbability { row, column, value });
    }
    let mirror = entries[column * arms + row];
    if row == column {
        return ((value - 0.5).abs() > TOLERANCE).then_some(MatrixError::Diagonal { arm: row, value });
    }
    let sums_to_one = (value + mirror - 1.0).abs() <= TOLERANCE || !(0.0..=1.0).contains(&mirror);
    (!sums_to_one).then_some(MatrixError::Sum { row, column, value, mirror })
}

impl PreferenceMatrix {
    /// A matrix of `arms` arms from its entries, row by row.
    ///
    /// # Errors
    /// The first cell that breaks a rule, in reading order.
    pub fn new(arms: usize, mut entries: Vec<f64>) -> Result<Self, MatrixError> {
        if arms == 0 {
            return Err(MatrixError::Empty);
        }
        if Some(entries.len()) != arms.checked_mul(arms) {
            let row = entries.len() / arms;
            let cells = entries.len() % arms;
            return Err(MatrixError::NotSquare { row, cells, expected: arms });
        }
        // By tiles, which stay in the processor's cache together with their mirror images; only if a rule is broken, the
        // first such cell is looked for in reading order.
        let is_sound = |row: usize, column: usize| broken_rule(&entries, arms, row, column).is_none();
        if !tiles(arms)
            .all(|(rows, columns)| rows.clone().all(|row| columns.clone().all(|column| is_sound(row, column))))
        {
            let mut cells = (0..arms).flat_map(|row| (0..arms).map(move |column| (row, column)));
            if let Some(error) = cells.find_map(|(row, column)| broken_rule(&entries, arms, row, column)) {
                return Err(error);
            }
        }
        for (rows, columns) in tiles(arms) {
            for row in rows {
                for column in columns.clone().filter(|&column| column >= row) {
                    let (upper, lower) = (row * arms + column, column * arms + row);
                    // A last digit off 1/2 is lost in 1 - p.
                    if row == column || (entries[upper] - 0.5).abs() <= f64::EPSILON {
                        (entries[upper], entries[lower]) = (0.5, 0.5);
                    } else if entries[upper] + entries[lower] != 1.0 {
                        entries[lower] = 1.0 - entries[upper];
                    }
                }
            }
        }
        Ok(Self { arms, entries })
    }

    /// A matrix from its rows.
    ///
    /// # Errors
    /// As [`new`](Self::new), or a row of the wrong length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, MatrixError> {
        let expected = rows.len();
        let mut entries = Vec::with_capacity(expected * expected);
        for (row, cells) in rows.iter().map(AsRef::as_ref).enumerate() {
            if cells.len() != expected {
                return Err(MatrixError::NotSquare { row, cells: cells.len(), expected });
            }
            entries.extend_from_slice(cells);
        }
        Self::new(expected, entries)
    }

    /// A matrix from a function of the pairs i < j, the rest following from it.
    ///
    /// # Errors
    /// If the function returns something other than a probability, or there are no arms.
    pub fn from_upper(arms: usize, mut probability: impl FnMut(Arm, Arm) -> f64) -> Result<Self, MatrixError> {
        let mut entries = vec![0.5; arms * arms];
        for row in 0..arms {
            for column in row + 1..arms {
                entries[row * arms + column] = probability(Arm::at(row), Arm::at(column));
            }
        }
        for (rows, columns) in tiles(arms) {
            for row in rows {
                for column in columns.clone().filter(|&column| column > row) {
                    entries[column * arms + row] = 1.0 - entries[row * arms + column];
                }
            }
        }
        Self::new(arms, entries)
    }

    /// A matrix from the bytes of a file: `.npy` where they begin as such a file does, text
    /// otherwise.
    ///
    /// # Errors
    /// When they are neither, or not a preference matrix.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MatrixError> {
        Self::with_names(bytes).map(|(matrix, _)| matrix)
    }

    /// The same with the names of the arms in the header of a text, if it has one.
    ///
    /// # Errors
    /// Those of [`from_bytes`](Self::from_bytes).
    pub fn with_names(bytes: &[u8]) -> Result<(Self, Option<Vec<String>>), MatrixError> {
        Self::read(bytes).map(|read| (read.matrix, read.names))
    }

    /// The same with all that the file says: whether it holds probabilities, percentages or win counts
    /// ([`from_table`](Self::from_table)).
    ///
    /// # Errors
    /// Those of [`from_bytes`](Self::from_bytes).
    pub fn read(bytes: &[u8]) -> Result<MatrixInFile, MatrixError> {
        let SquareTable { size, entries, names } = if npy::is_npy(bytes) {
            npy::read_square(bytes, bytes.len() as u64)?
        } else {
            let text = std::str::from_utf8(bytes);
            SquareTable::parse(text.map_err(|error| MatrixError::NotText { offset: error.valid_up_to() })?)?
        };
        Ok(MatrixInFile { names, ..Self::from_table(size, entries)? })
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// The probability that `i` beats `j`.
    ///
    /// # Panics
    /// When an arm is out of range.
    #[inline]
    #[must_use]
    pub fn get(&self, i: Arm, j: Arm) -> f64 {
        self.row(i)[j.index()]
    }

    /// The probabilities that `i` beats each arm.
    ///
    /// # Panics
    /// When the arm is out of range.
    #[inline]
    #[must_use]
    pub fn row(&self, i: Arm) -> &[f64] {
        &self.entries[i.index() * self.arms..(i.index() + 1) * self.arms]
    }

    /// All entries, row by row.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// All arms, in order.
    pub fn all_arms(&self) -> impl DoubleEndedIterator<Item = Arm> + Clone + use<> {
        (0..self.arms).map(Arm::at)
    }

    /// The matrix of these arms alone, in the order given.
    ///
    /// # Errors
    /// When there are none, one is out of range, or one is named twice.
    pub fn subset(&self, arms: &[Arm]) -> Result<Self, MatrixError> {
        let mut is_seen = vec![false; self.arms];
        for arm in arms {
            match is_seen.get_mut(arm.index()) {
                None => {
                    return Err(MatrixError::NoSuchArm { arm: arm.0, arms: self.arms });
                }
                Some(true) => return Err(MatrixError::Repeated(arm.0)),
                Some(is_seen) => *is_seen = true,
            }
        }
        let entries = arms.iter().flat_map(|&i| arms.iter().map(move |&j| self.get(i, j))).collect();
        Self::new(arms.len(), entries)
    }

    /// The matrix with its arms in numeric order, where position k holds the k-th arm in
    /// alphabetical order of the arms' numbers (0, 1, 10, 100, 101, ..., as file names sort).
    #[must_use]
    pub fn undo_alphabetical_order(&self) -> Self {
        let order = alphabetical_arms(self.arms, 0);
        let mut entries = vec![0.0; self.entries.len()];
        for (row, i) in order.iter().enumerate() {
            for (column, j) in order.iter().enumerate() {
                entries[i.index() * self.arms + j.index()] = self.entries[row * self.arms + column];
            }
        }
        Self { arms: self.arms, entries }
    }
}

/// All arms in alphabetical order of their numbers, which count from `first`: 0 for matrices, 1
/// for the features of a data file (1, 10, 100, 101, ..., 2, 20, ...).
///
/// The first ten of them with `first = 1` are the arms that M. Zoghi et al., "Relative Confidence
/// Sampling for Efficient On-Line Ranker Evaluation", WSDM 2014,
/// <https://doi.org/10.1145/2556195.2556256>, compare.
#[must_use]
pub fn alphabetical_arms(arms: usize, first: usize) -> Vec<Arm> {
    let mut order: Vec<Arm> = (0..arms).map(Arm::at).collect();
    order.sort_by_cached_key(|arm| (arm.index() + first).to_string());
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_error() {
        let new = |arms, entries: &[f64]| PreferenceMatrix::new(arms, entries.to_vec());
        assert_eq!(new(0, &[]), Err(MatrixError::Empty));
        assert_eq!(new(2, &[0.5, 0.5, 0.5]), Err(MatrixError::NotSquare { row: 1, cells: 1, expected: 2 }));
        assert_eq!(
            PreferenceMatrix::from_rows(&[vec![0.5, 0.5], vec![0.5]]),
            Err(MatrixError::NotSquare { row: 1, cells: 1, expected: 2 })
        );
        assert_eq!(new(2, &[0.5, 1.5, -0.5, 0.5]), Err(MatrixError::NotAProbability { row: 0, column: 1, value: 1.5 }));
        let error = new(2, &[0.5, 0.5, f64::NAN, 0.5]).expect_err("not a number");
        assert!(matches!(error, MatrixError::NotAProbability { row: 1, column: 0, .. }), "{error}");
        assert_eq!(new(2, &[0.5, 0.6, 0.4, 0.0]), Err(MatrixError::Diagonal { arm: 1, value: 0.0 }));
        let error = new(2, &[0.5, 0.6, 0.5, 0.5]).expect_err("sums to 1.1");
        assert_eq!(
            error.to_string(),
            "row 0, column 1: 0.6 and its mirror image 0.5 sum to 1.1, expected 1 (ties count half)"
        );
        assert!(new(2, &[0.5, 0.600_000_5, 0.4, 0.5]).is_ok());
        assert!(new(2, &[0.5, 1.0, 0.0, 0.5]).is_ok());
    }

    #[test]
    fn both_triangles_say_the_same() {
        let off = 0.500_000_1;
        let matrix = PreferenceMatrix::new(3, vec![off, 0.5, 0.6, off, 0.5, 0.7, 0.4, 0.3, 0.499_999_9]);
        let expected = [0.5, 0.5, 0.6, 0.5, 0.5, 0.7, 0.4, 0.3, 0.5];
        assert_eq!(matrix.expect("within the tolerance").entries(), expected);
        // Entries that sum to 1 are kept to the last digit.
        for p in [0.1, 0.3, 1.0 / 3.0, 0.700_1, 1e-9] {
            let (lower, upper) = (f64::min(p, 1.0 - p), f64::max(p, 1.0 - p));
            for entries in [[0.5, lower, upper, 0.5], [0.5, upper, lower, 0.5]] {
                assert_eq!(PreferenceMatrix::new(2, entries.to_vec()).expect("a matrix").entries(), entries);
            }
        }
        let least = 0.5 + f64::EPSILON / 2.0;
        for entries in [[0.5, 0.5, least, 0.5], [0.5, least, 0.5, 0.5], [0.5, least, least, 0.5]] {
            assert_eq!(PreferenceMatrix::new(2, entries.to_vec()).expect("a matrix").entries(), [0.5; 4]);
        }
    }

    #[test]
    fn subsets_keep_the_order_given() {
        let matrix = PreferenceMatrix::from_upper(3, |i, j| 0.5 + 0.1 * f64::from(j.0 - i.0) + 0.01 * f64::from(i.0))
            .expect("a matrix");
        let subset = matrix.subset(&[Arm(2), Arm(0)]).expect("two arms");
        assert_eq!(subset.arms(), 2);
        assert_eq!(subset.get(Arm(1), Arm(0)), matrix.get(Arm(0), Arm(2)));
        assert_eq!(matrix.subset(&[]), Err(MatrixError::Empty));
        assert_eq!(matrix.subset(&[Arm(3)]), Err(MatrixError::NoSuchArm { arm: 3, arms: 3 }));
        assert_eq!(matrix.subset(&[Arm(1), Arm(1)]), Err(MatrixError::Repeated(1)));
    }

    #[test]
    fn alphabetical_order_is_undone() {
        let first_ten: Vec<u32> = alphabetical_arms(136, 1)[..10].iter().map(|a| a.0).collect();
        assert_eq!(first_ten, [0, 9, 99, 100, 101, 102, 103, 104, 105, 106]);

        let matrix = PreferenceMatrix::from_upper(12, |i, j| 0.5 + 0.01 * f64::from(j.0) + 0.001 * f64::from(i.0))
            .expect("a matrix");
        let scrambled = matrix.subset(&alphabetical_arms(12, 0)).expect("all arms");
        assert_ne!(scrambled, matrix);
        assert_eq!(scrambled.undo_alphabetical_order(), matrix);
    }
}
