//! Symmetric matrices, row by row in one slice: factors and inverses. Plain loops in a fixed order, so that
//! results have the same bits everywhere, on any number of threads.

use rayon::prelude::*;

/// The lower triangular factor L of a symmetric, positive definite matrix L Lᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// The factor of a matrix with `size` rows, or `None` if the matrix is not positive definite.
    ///
    /// # Panics
    /// If the matrix does not have `size` rows and columns.
    #[must_use]
    pub fn new(matrix: &[f64], size: usize) -> Option<Self> {
        Self::factor_rows(matrix, size, |rest| (rest > 0.0).then_some(rest))
    }

    /// The factor of a positive semi-definite matrix with the smallest multiple of the identity added that makes it positive
    /// definite in spite of rounding.
    ///
    /// # Panics
    /// If the matrix does not have `size` rows and columns, or has values that are not finite.
    #[must_use]
    pub fn semi_definite(matrix: &[f64], size: usize) -> Self {
        assert!(matrix.iter().all(|value| value.is_finite()), "a matrix of finite values");
        let largest = (0..size).map(|k| matrix[k * size + k].abs()).fold(f64::MIN_POSITIVE * 1e20, f64::max);
        let mut ridge = 1e-15 * largest;
        let mut changed = matrix.to_vec();
        loop {
            if let Some(factor) = Self::new(&changed, size) {
                return factor;
            }
            (0..size).for_each(|k| changed[k * size + k] = matrix[k * size + k] + ridge);
            ridge *= 10.0;
        }
    }

    /// The factor with numbers on the diagonal that rounding made 0 or negative replaced by the smallest positive one.
    pub(crate) fn forced(matrix: &[f64], size: usize) -> Self {
        Self::factor_rows(matrix, size, |rest| Some(rest.max(f64::MIN_POSITIVE))).expect("every pivot is positive")
    }

    fn factor_rows(matrix: &[f64], size: usize, pivot: impl Fn(f64) -> Option<f64>) -> Option<Self> {
        assert_eq!(matrix.len(), size * size, "a square matrix");
        let mut factor = vec![0.0; size * size];
        // Some rows side by side, column by column.
        let mut abreast: Vec<[f64; LANES]> = Vec::with_capacity(size);
        for first in (0..size).step_by(LANES) {
            let rows = first..size.min(first + LANES);
            abreast.clear();
            for column in 0..first {
                let products = dots(&abreast, &factor[column * size..column * size + column]);
                let diagonal = factor[column * size + column];
                let mut new_values = [0.0; LANES];
                for (lane, row) in rows.clone().enumerate() {
                    new_values[lane] = (matrix[row * size + column] - products[lane]) / diagonal;
                    factor[row * size + column] = new_values[lane];
                }
                abreast.push(new_values);
            }
            for row in rows {
                for column in first..=row {
                    let (earlier_rows, later_rows) = factor.split_at(row * size);
                    let row_values = &later_rows[..column];
                    let column_values =
                        if row == column { row_values } else { &earlier_rows[column * size..column * size + column] };
                    let remainder = matrix[row * size + column] - dot(row_values, column_values);
                    factor[row * size + column] = if row == column {
                        libm::sqrt(pivot(remainder)?)
                    } else {
                        remainder / factor[column * size + column]
                    };
                }
            }
        }
        Some(Self { size, factor })
    }

    /// L times a vector: correlated draws from independent ones.
    #[must_use]
    pub fn correlate(&self, vector: &[f64]) -> Vec<f64> {
        let row = |row: usize| &self.factor[row * self.size..=row * self.size + row];
        let mut correlated = Vec::with_capacity(self.size);
        for first in (0..self.size).step_by(LANES) {
            if first + LANES > self.size {
                correlated.extend((first..self.size).map(|index| dot(row(index), &vector[..=index])));
                continue;
            }
            let rows: [&[f64]; LANES] = std::array::from_fn(|place| row(first + place));
            let mut sums = [0.0; LANES];
            for (index, value) in vector[..first].iter().enumerate() {
                sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row[index] * value);
            }
            let remainder = |(sum, row): (f64, &[f64])| {
                row[first..].iter().zip(&vector[first..]).fold(sum, |sum, (a, b)| sum + a * b)
            };
            correlated.extend(sums.into_iter().zip(rows).map(remainder));
        }
        correlated
    }

    /// The solution x of L Lᵀ x = `vector`.
    #[must_use]
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let (size, factor) = (self.size, &self.factor);
        let mut solution = vector.to_vec();
        for row in 0..size {
            let product = dot(&factor[row * size..row * size + row], &solution[..row]);
            solution[row] = (solution[row] - product) / factor[row * size + row];
        }
        for row in (0..size).rev() {
            solution[row] /= factor[row * size + row];
            let value = solution[row];
            for column in 0..row {
                solution[column] -= factor[row * size + column] * value;
            }
        }
        solution
    }

    /// ln of the determinant of L Lᵀ.
    #[must_use]
    pub fn ln_determinant(&self) -> f64 {
        2.0 * (0..self.size).map(|k| libm::log(self.factor[k * self.size + k])).sum::<f64>()
    }

    /// The inverse of L Lᵀ.
    #[must_use]
    pub fn inverse(&self) -> Vec<f64> {
        let size = self.size;
        let mut inverse = vec![0.0; size * size];
        let firsts: Vec<usize> = (0..size).step_by(LANES).collect();
        // A few blocks at a time, so that the solutions take little memory.
        for firsts in firsts.chunks(BLOCKS) {
            let solve = |first: &usize| self.columns_of_inverse(*first);
            let solutions: Vec<Vec<[f64; LANES]>> = if size < BLOCKED_SIZE {
                firsts.iter().map(solve).collect()
            } else {
                firsts.par_iter().map(solve).collect()
            };
            for (first, solution) in firsts.iter().zip(solutions) {
                let columns = *first..size.min(first + LANES);
                for (row, values) in solution.iter().enumerate() {
                    inverse[row * size + first..row * size + columns.end].copy_from_slice(&values[..columns.len()]);
                }
            }
        }
        inverse
    }

    /// Columns of the identity side by side from `first` on, each solved as `solve` does; above its 1, a column stays 0.
    fn columns_of_inverse(&self, first: usize) -> Vec<[f64; LANES]> {
        let (size, factor) = (self.size, &self.factor);
        let mut solution = vec![[0.0; LANES]; size];
        (first..size.min(first + LANES)).enumerate().for_each(|(place, column)| solution[column][place] = 1.0);
        for row in first..size {
            let products = dots(&solution[first..row], &factor[row * size + first..=row * size + row]);
            let diagonal = factor[row * size + row];
            solution[row]
                .iter_mut()
                .zip(products)
                .for_each(|(value, products)| *value = (*value - products) / diagonal);
        }
        for row in (0..size).rev() {
            let diagonal = factor[row * size + row];
            solution[row].iter_mut().for_each(|value| *value /= diagonal);
            let (earlier_rows, values) = (&factor[row * size..row * size + row], solution[row]);
            for (target, factor) in solution[..row].iter_mut().zip(earlier_rows) {
                target.iter_mut().zip(values).for_each(|(sum, value)| *sum -= factor * value);
            }
        }
        solution
    }
}

/// How many rows or columns go side by side: each is summed in its own order, and a processor adds them at the same time.
const LANES: usize = 8;

/// Matrices with at least this many rows are worth several threads.
const BLOCKED_SIZE: usize = 200;

/// How many groups of columns of an inverse are solved together.
const BLOCKS: usize = 32;

/// The dot products of columns side by side with the beginning of `other`.
fn dots(lanes: &[[f64; LANES]], other: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (row, factor) in lanes.iter().zip(other) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * factor);
    }
    sums
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The product of two matrices with `size` rows and columns each.
#[must_use]
pub fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut result = vec![0.0; size * size];
    // Several rows at a time, so that those of `b` come from memory less often.
    let block = LANES * size.max(1);
    let multiply = |(targets, factors): (&mut [f64], &[f64])| {
        for k in 0..size {
            let values = &b[k * size..(k + 1) * size];
            for (target, factors) in targets.chunks_mut(size).zip(factors.chunks(size)) {
                let factor = factors[k];
                if factor != 0.0 {
                    target.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
                }
            }
        }
    };
    if size < BLOCKED_SIZE {
        result.chunks_mut(block).zip(a.chunks(block)).for_each(multiply);
    } else {
        result.par_chunks_mut(block).zip(a.par_chunks(block)).for_each(multiply);
    }
    result
}

/// The matrix times a vector.
#[must_use]
pub fn apply(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len()).map(|row| dot(row, vector)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [4.0, 2.0, 0.6, 2.0, 5.0, -1.0, 0.6, -1.0, 3.0];

    fn close(found: &[f64], expected: &[f64]) {
        found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}"));
    }

    /// A positive definite matrix.
    fn covariance(size: usize) -> Vec<f64> {
        let mut draws = crate::Normals::from_seed(size as u64);
        let roots: Vec<Vec<f64>> = (0..size).map(|_| draws.normals(size)).collect();
        (0..size * size).map(|at| dot(&roots[at / size], &roots[at % size])).collect()
    }

    /// One element after the other.
    fn plain_factor(matrix: &[f64], size: usize) -> Vec<f64> {
        let mut factor = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let known =
                    dot(&factor[row * size..row * size + column], &factor[column * size..column * size + column]);
                let rest = matrix[row * size + column] - known;
                factor[row * size + column] =
                    if row == column { libm::sqrt(rest) } else { rest / factor[column * size + column] };
            }
        }
        factor
    }

    #[test]
    fn rows_side_by_side_have_the_bits_of_rows_alone() {
        for size in [1, 7, 8, 9, 40, BLOCKED_SIZE + 3] {
            let matrix = covariance(size);
            let cholesky = Cholesky::new(&matrix, size).unwrap();
            assert_eq!(cholesky.factor, plain_factor(&matrix, size), "{size}");
            let vector = &matrix[..size];
            let plain: Vec<f64> =
                (0..size).map(|row| dot(&cholesky.factor[row * size..=row * size + row], &vector[..=row])).collect();
            assert_eq!(cholesky.correlate(vector), plain, "{size}");
            let inverse = cholesky.inverse();
            for column in 0..size {
                let mut unit = vec![0.0; size];
                unit[column] = 1.0;
                let found: Vec<f64> = (0..size).map(|row| inverse[row * size + column]).collect();
                assert_eq!(found, cholesky.solve(&unit), "{size}");
            }
        }
    }

    #[test]
    fn factors_solve_and_invert() {
        let factor = Cholesky::new(&A, 3).unwrap();
        close(&apply(&A, &factor.solve(&[1.0, -2.0, 0.5])), &[1.0, -2.0, 0.5]);
        close(&product(&A, &factor.inverse(), 3), &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        // The columns of L, by multiplying unit vectors, give back the matrix.
        let columns: Vec<Vec<f64>> =
            (0..3).map(|k| factor.correlate(&[0, 1, 2].map(|j| f64::from(u8::from(j == k))))).collect();
        let back: Vec<f64> =
            (0..9).map(|at| columns.iter().map(|column| column[at / 3] * column[at % 3]).sum()).collect();
        close(&back, &A);
        assert!(Cholesky::new(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
        // A matrix of rank one, and none at all.
        let flat = Cholesky::semi_definite(&[4.0, 2.0, 2.0, 1.0], 2).correlate(&[1.0, 1.0]);
        assert!((flat[0] - 2.0).abs() < 1e-6 && (flat[1] - 1.0).abs() < 1e-6, "{flat:?}");
        assert!(Cholesky::semi_definite(&[0.0; 4], 2).correlate(&[1.0, 1.0])[0].abs() < 1e-100);
    }
}
