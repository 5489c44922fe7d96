//! Matrices as arrays of [`ndarray`](::ndarray), with feature `ndarray`.
//!
//! ```
//! # use bandits::{Arm, MatrixError, PreferenceMatrix};
//! use ndarray::{Array2, array};
//!
//! let matrix = PreferenceMatrix::try_from(array![[0.5, 0.7], [0.3, 0.5]])?;
//! assert_eq!(matrix.get(Arm(0), Arm(1)), 0.7);
//! // A view costs nothing; an array takes the entries over.
//! assert_eq!(matrix.view()[[1, 0]], 0.3);
//! let array: Array2<f64> = matrix.into();
//! assert_eq!(array.dim(), (2, 2));
//!
//! // Slices in any order of rows and columns are copied.
//! let two = PreferenceMatrix::try_from(array.slice(ndarray::s![..;-1, ..;-1]))?;
//! assert_eq!(two.get(Arm(0), Arm(1)), 0.3);
//!
//! # // Columns first: the same entries in another order of memory.
//! # let seven = bandits::problems::arithmetic(7)?;
//! # let array = Array2::from(seven.clone());
//! # let mut by_columns = Array2::zeros(ndarray::ShapeBuilder::f((7, 7)));
//! # by_columns.assign(&array);
//! # assert!(!by_columns.is_standard_layout());
//! # assert_eq!(PreferenceMatrix::try_from(by_columns)?, seven);
//! # // Part of a larger array, which keeps the memory of it all.
//! # let last = array.clone().slice_move(ndarray::s![3.., 3..]);
//! # assert_eq!(PreferenceMatrix::try_from(last)?, seven.subset(&[Arm(3), Arm(4), Arm(5), Arm(6)])?);
//! # let one = array.clone().slice_move(ndarray::s![2..3, 2..3]);
//! # assert_eq!(PreferenceMatrix::try_from(one)?.arms(), 1);
//! # let rows = array.slice_move(ndarray::s![..3, ..]);
//! # assert!(matches!(PreferenceMatrix::try_from(rows), Err(MatrixError::NotSquare { row: 0, cells: 7, expected: 3 })));
//!
//! // Errors name the cell or the row.
//! let error = PreferenceMatrix::try_from(array![[0.5, 0.7]]).unwrap_err();
//! assert_eq!(error.to_string(), "row 0 has 2 cells, expected 1; a preference matrix is square");
//! let error = PreferenceMatrix::try_from(array![[0.5, 0.7], [0.4, 0.5]]).unwrap_err();
//! assert!(matches!(error, MatrixError::Sum { row: 0, column: 1, .. }));
//! let error = PreferenceMatrix::try_from(array![[0.5, f64::NAN], [0.4, 0.5]]).unwrap_err();
//! assert!(matches!(error, MatrixError::NotAProbability { row: 0, column: 1, .. }));
//! assert_eq!(PreferenceMatrix::try_from(Array2::zeros((0, 0))), Err(MatrixError::Empty));
//!
//! // Counts of wins: `wins[[i, j]]` is how often i won against j.
//! let (matrix, counts) = PreferenceMatrix::from_win_array(array![[0.0, 3.0], [1.0, 0.0]].view())?;
//! assert_eq!((matrix.get(Arm(0), Arm(1)), counts.comparisons), (0.75, 4.0));
//! # Ok::<(), MatrixError>(())
//! ```

use ::ndarray::{Array2, ArrayView2};

use super::{ComparisonCounts, MatrixError, PreferenceMatrix};

/// Checks that `rows` and `columns` are equal; rows of another length are named as in a text.
fn check_square((rows, columns): (usize, usize)) -> Result<usize, MatrixError> {
    match rows {
        0 => Err(MatrixError::Empty),
        _ if rows == columns => Ok(rows),
        _ => Err(MatrixError::NotSquare { row: 0, cells: columns, expected: rows }),
    }
}

impl TryFrom<Array2<f64>> for PreferenceMatrix {
    type Error = MatrixError;

    /// As [`new`](Self::new). Entries in standard order are taken over, others copied.
    fn try_from(array: Array2<f64>) -> Result<Self, MatrixError> {
        let arms = check_square(array.dim())?;
        if !array.is_standard_layout() {
            return Self::try_from(array.view());
        }
        let (entries, start) = array.into_raw_vec_and_offset();
        // A slice of a larger array keeps the whole array.
        let start = start.unwrap_or(0);
        match start == 0 && entries.len() == arms * arms {
            true => Self::new(arms, entries),
            false => Self::new(arms, entries[start..start + arms * arms].to_vec()),
        }
    }
}

impl TryFrom<ArrayView2<'_, f64>> for PreferenceMatrix {
    type Error = MatrixError;

    /// As [`new`](Self::new), with a copy of the entries.
    fn try_from(array: ArrayView2<'_, f64>) -> Result<Self, MatrixError> {
        Self::new(check_square(array.dim())?, array.iter().copied().collect())
    }
}

impl From<PreferenceMatrix> for Array2<f64> {
    fn from(matrix: PreferenceMatrix) -> Self {
        let arms = matrix.arms;
        Self::from_shape_vec((arms, arms), matrix.entries).expect("a matrix is square")
    }
}

impl PreferenceMatrix {
    /// The entries as an array: row i, column j is the probability that arm i beats arm j. Feature `ndarray`.
    #[must_use]
    pub fn view(&self) -> ArrayView2<'_, f64> {
        ArrayView2::from_shape((self.arms, self.arms), &self.entries).expect("a matrix is square")
    }

    /// As [`from_wins`](Self::from_wins), from an array in any layout. Feature `ndarray`.
    ///
    /// # Errors
    /// As for [`from_wins`](Self::from_wins), and if the array is not square.
    pub fn from_win_array(wins: ArrayView2<'_, f64>) -> Result<(Self, ComparisonCounts), MatrixError> {
        let arms = check_square(wins.dim())?;
        Self::from_wins(arms, &wins.iter().copied().collect::<Vec<f64>>())
    }
}
