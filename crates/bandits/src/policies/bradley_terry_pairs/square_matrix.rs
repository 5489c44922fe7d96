//! The little linear algebra that a normal posterior needs: Cholesky factors of symmetric positive definite matrices.
use crate::state;

/// A square matrix, row by row.
#[derive(Debug, Clone, Default)]
pub(super) struct SquareMatrix {
    size: usize,
    entries: Vec<f64>,
}

state!(SquareMatrix { size, entries });

impl SquareMatrix {
    pub(super) fn zero(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.size..(i + 1) * self.size]
    }

    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.size + j]
    }

    pub(super) fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.entries[i * self.size + j]
    }

    /// Replaces a symmetric matrix by its lower factor L, with L L' the matrix. Reads and writes nothing above the diagonal.
    pub(super) fn factor(&mut self) {
        for i in 0..self.size {
            let (before, after) = self.entries.split_at_mut(i * self.size);
            let row = &mut after[..=i];
            for j in 0..i {
                let other = &before[j * self.size..=j * self.size + j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            // Rounding may leave a variance below 0 where arms are the same.
            row[i] = (row[i] - dot(&row[..i], &row[..i])).max(f64::MIN_POSITIVE).sqrt();
        }
    }

    /// Of a factor L: replaces b by the solution of L L' x = b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        for i in 0..self.size {
            let (before, row) = (&self.row(i)[..i], self.row(i));
            b[i] = (b[i] - dot(before, &b[..i])) / row[i];
        }
        for i in (0..self.size).rev() {
            let row = self.row(i);
            b[i] /= row[i];
            let (before, x) = b.split_at_mut(i);
            for (b, l) in before.iter_mut().zip(row) {
                *b -= l * x[0];
            }
        }
    }

    /// Of a factor L: the inverse of L L'.
    pub(super) fn inverse(&self) -> Self {
        let n = self.size;
        // The columns of the inverse of L, as rows.
        let mut columns = Self::zero(n);
        for c in 0..n {
            let column = &mut columns.entries[c * n..(c + 1) * n];
            column[c] = 1.0 / self.at(c, c);
            for i in c + 1..n {
                let row = self.row(i);
                column[i] = -dot(&row[c..i], &column[c..i]) / row[i];
            }
        }
        let mut inverse = Self::zero(n);
        for i in 0..n {
            for j in 0..=i {
                let value = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                *inverse.at_mut(i, j) = value;
                *inverse.at_mut(j, i) = value;
            }
        }
        inverse
    }
}

/// The sum of products, in eight sums side by side: one alone would wait for each addition.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for place in 0..8 {
            sums[place] += a[place] * b[place];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positive definite: more on the diagonal than beside it.
    fn matrix(size: usize) -> SquareMatrix {
        let mut matrix = SquareMatrix::zero(size);
        for i in 0..size {
            for j in 0..size {
                *matrix.at_mut(i, j) = if i == j { size as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
            }
        }
        matrix
    }

    #[test]
    fn a_factor_solves_and_inverts() {
        for size in [1, 2, 7, 8, 9, 31] {
            let matrix = matrix(size);
            let mut factor = matrix.clone();
            factor.factor();
            let mut x: Vec<f64> = (0..size).map(|i| i as f64 - 2.0).collect();
            let b = x.clone();
            factor.solve(&mut x);
            let inverse = factor.inverse();
            for i in 0..size {
                assert!((dot(matrix.row(i), &x) - b[i]).abs() < 1e-12);
                assert!((dot(inverse.row(i), &b) - x[i]).abs() < 1e-12);
                for j in 0..size {
                    let unit = f64::from(u8::from(i == j));
                    assert!((dot(matrix.row(i), inverse.row(j)) - unit).abs() < 1e-12);
                }
            }
        }
    }
}
