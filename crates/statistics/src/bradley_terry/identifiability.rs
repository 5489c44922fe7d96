//! Whether the data determine the coefficients of covariates: they do if no strengths and no position effect imitate a covariate.

use super::comparison::Cell;
use crate::matrix::Cholesky;

/// Why a coefficient cannot be fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndeterminedReason {
    /// The covariate is 0 in all comparisons.
    Zero,
    /// It is a difference of numbers of the arms: each arm always has the same.
    Strengths,
    /// It follows from the order shown, and from numbers of the arms.
    Position,
    /// It follows from the covariates before it, the order shown, and numbers of the arms.
    Covariates,
}

/// The least share of its sum of squares that a covariate must keep when all else is projected out.
const MIN_SHARE: f64 = 1e-9;

/// The first covariate with a coefficient that the cells do not determine, and why.
///
/// # Panics
/// If a cell has an arm that does not exist.
#[must_use]
pub fn undetermined_covariate(arms: usize, cells: &[Cell]) -> Option<(usize, UndeterminedReason)> {
    let count = cells.first().map_or(0, |cell| cell.covariates.values().len());
    if count == 0 {
        return None;
    }
    // Sums of products of all columns: arms, the position, covariates.
    let size = arms + 1 + count;
    let mut products = vec![0.0; size * size];
    let mut squares = vec![0.0; count];
    for cell in cells {
        let weight = cell.total();
        let mut row = vec![(cell.first, 1.0), (cell.second, -1.0), (arms, cell.position)];
        row.extend(cell.covariates.values().iter().enumerate().map(|(k, value)| (arms + 1 + k, *value)));
        for &(i, a) in &row {
            row.iter().for_each(|&(j, b)| products[i * size + j] += weight * a * b);
        }
        squares.iter_mut().zip(cell.covariates.values()).for_each(|(sum, value)| *sum += weight * value * value);
    }
    // A common shift of all arms changes nothing.
    for row in 0..arms {
        products[row * size..row * size + arms].iter_mut().for_each(|value| *value += 1.0);
    }
    // Whether anything of a covariate is left beside the first columns.
    let has_remainder = |covariate: usize, columns: &[usize]| {
        let column_products: Vec<f64> =
            columns.iter().flat_map(|i| columns.iter().map(|j| products[*i * size + *j]).collect::<Vec<_>>()).collect();
        let covariate_products: Vec<f64> = columns.iter().map(|i| products[i * size + arms + 1 + covariate]).collect();
        let explained = Cholesky::semi_definite(&column_products, columns.len()).solve(&covariate_products);
        let explained: f64 = explained.iter().zip(&covariate_products).map(|(a, b)| a * b).sum();
        squares[covariate] - explained > MIN_SHARE * squares[covariate]
    };
    let mut columns: Vec<usize> = (0..arms).collect();
    let has_position = super::position_is_determined(arms, cells);
    (0..count).find_map(|covariate| {
        columns.truncate(arms);
        let reason = if squares[covariate] == 0.0 {
            UndeterminedReason::Zero
        } else if !has_remainder(covariate, &columns) {
            UndeterminedReason::Strengths
        } else {
            columns.extend(has_position.then_some(arms));
            if !has_remainder(covariate, &columns) {
                UndeterminedReason::Position
            } else {
                columns.extend((0..covariate).map(|other| arms + 1 + other));
                if has_remainder(covariate, &columns) {
                    return None;
                }
                UndeterminedReason::Covariates
            }
        };
        Some((covariate, reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bradley_terry::covariates::Covariates;

    fn cell(first: usize, second: usize, position: f64, values: &[f64]) -> Cell {
        let covariates = Covariates::new(values).expect("few values");
        Cell { first, second, position, wins: 2.0, losses: 1.0, ties: 0.0, covariates, slope: None }
    }

    #[test]
    fn what_else_explains_a_covariate_is_named() {
        let numbers = [3.0, 7.0, 4.5];
        let pairs = [(0, 1, 1.0), (0, 1, -1.0), (1, 2, 1.0), (0, 2, -1.0), (0, 2, 1.0), (1, 2, -1.0)];
        let free = [0.3, -1.2, 0.7, 2.0, -0.4, 0.1];
        let found = |covariates: &dyn Fn(usize, usize, f64, f64) -> Vec<f64>| {
            let cells: Vec<Cell> = pairs
                .iter()
                .zip(free)
                .map(|(&(i, j, position), free)| cell(i, j, position, &covariates(i, j, position, free)))
                .collect();
            undetermined_covariate(3, &cells)
        };
        assert_eq!(found(&|_, _, _, free| vec![free]), None);
        assert_eq!(found(&|_, _, _, free| vec![free, 0.0]), Some((1, UndeterminedReason::Zero)));
        let of_arms = |i: usize, j: usize| numbers[i] - numbers[j];
        assert_eq!(found(&|i, j, _, free| vec![free, 1e6 * of_arms(i, j)]), Some((1, UndeterminedReason::Strengths)));
        assert_eq!(found(&|i, j, p, _| vec![of_arms(i, j) + 2.0 * p]), Some((0, UndeterminedReason::Position)));
        assert_eq!(
            found(&|i, j, p, free| vec![free, 1e-3 * (of_arms(i, j) - p + 2.0 * free)]),
            Some((1, UndeterminedReason::Covariates))
        );
    }
}
