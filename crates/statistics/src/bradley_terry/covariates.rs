//! Covariates: how the two answers of a comparison differ otherwise, e.g. by how much the first is longer.
//!
//! A covariate adds its coefficient times its value to the difference of strengths. Strengths are then those of answers that do not differ
//! in it. A coefficient is determined if no strengths and no position effect imitate its covariate.

use super::comparison::Cell;
use crate::matrix::Cholesky;

/// The values of the covariates of a comparison, for its first arm: the second has their negatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Covariates {
    values: [f64; Covariates::MOST],
    count: u8,
}

impl Covariates {
    /// The most covariates of a fit.
    pub const MOST: usize = 8;

    /// With these values; `None` if there are more than [`Self::MOST`] or one is not finite.
    #[must_use]
    pub fn new(values: &[f64]) -> Option<Self> {
        let mut all = Self { count: values.len().try_into().ok()?, ..Self::default() };
        all.values.get_mut(..values.len())?.copy_from_slice(values);
        values.iter().all(|value| value.is_finite()).then_some(all)
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values[..usize::from(self.count)]
    }

    /// Those of the comparison seen from its second arm.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { values: self.values.map(|value| 0.0 - value), count: self.count }
    }
}

/// Why a coefficient cannot be fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undetermined {
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
const LEAST_SHARE: f64 = 1e-9;

/// The first covariate with a coefficient that the cells do not determine, and why.
///
/// # Panics
/// If a cell has an arm that does not exist.
#[must_use]
pub fn undetermined(arms: usize, cells: &[Cell]) -> Option<(usize, Undetermined)> {
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
    let is_left = |covariate: usize, columns: &[usize]| {
        let among: Vec<f64> =
            columns.iter().flat_map(|i| columns.iter().map(|j| products[*i * size + *j]).collect::<Vec<_>>()).collect();
        let with: Vec<f64> = columns.iter().map(|i| products[i * size + arms + 1 + covariate]).collect();
        let explained = Cholesky::semi_definite(&among, columns.len()).solve(&with);
        let explained: f64 = explained.iter().zip(&with).map(|(a, b)| a * b).sum();
        squares[covariate] - explained > LEAST_SHARE * squares[covariate]
    };
    let mut columns: Vec<usize> = (0..arms).collect();
    let has_position = super::position_is_determined(arms, cells);
    (0..count).find_map(|covariate| {
        columns.truncate(arms);
        let reason = if squares[covariate] == 0.0 {
            Undetermined::Zero
        } else if !is_left(covariate, &columns) {
            Undetermined::Strengths
        } else {
            columns.extend(has_position.then_some(arms));
            if !is_left(covariate, &columns) {
                Undetermined::Position
            } else {
                columns.extend((0..covariate).map(|other| arms + 1 + other));
                if is_left(covariate, &columns) {
                    return None;
                }
                Undetermined::Covariates
            }
        };
        Some((covariate, reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            undetermined(3, &cells)
        };
        assert_eq!(found(&|_, _, _, free| vec![free]), None);
        assert_eq!(found(&|_, _, _, free| vec![free, 0.0]), Some((1, Undetermined::Zero)));
        let of_arms = |i: usize, j: usize| numbers[i] - numbers[j];
        assert_eq!(found(&|i, j, _, free| vec![free, 1e6 * of_arms(i, j)]), Some((1, Undetermined::Strengths)));
        assert_eq!(found(&|i, j, p, _| vec![of_arms(i, j) + 2.0 * p]), Some((0, Undetermined::Position)));
        assert_eq!(
            found(&|i, j, p, free| vec![free, 1e-3 * (of_arms(i, j) - p + 2.0 * free)]),
            Some((1, Undetermined::Covariates))
        );
    }

    #[test]
    fn values_are_few_and_finite() {
        assert_eq!(Covariates::new(&[1.0, -2.0]).map(|all| all.reversed().values().to_vec()), Some(vec![-1.0, 2.0]));
        assert_eq!((Covariates::new(&[0.0; 9]), Covariates::new(&[f64::NAN])), (None, None));
    }
}
