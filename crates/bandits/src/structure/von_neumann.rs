//! The von Neumann winner: a lottery over arms that no arm beats on average. It always exists,
//! even if there is no Condorcet winner.
//!
//! It is the maximin strategy x of the symmetric zero-sum game with payoffs p(i, j) - 1/2, whose
//! value is 0: a linear program, here `min sum y` subject to `A^T y >= 1`, `y >= 0` with payoffs
//! scaled to A in [0, 2].
//!
//! ## References
//! M. Dudík, K. Hofmann, R. E. Schapire, A. Slivkins, M. Zoghi, "Contextual Dueling Bandits", COLT
//! 2015, <https://proceedings.mlr.press/v40/Dudik15.html>.
//!
//! ## Notes
//! Every maximin strategy stays within the top cycle, since a strategy of the top cycle alone wins
//! on average against whatever is outside, and optimal strategies play nothing that another optimal
//! one beats. So the program is only as large as the top cycle: nothing is solved if there is a
//! Condorcet winner. Interior-point solvers were tried: slower at 136 and 700 arms, and their
//! weights of losing arms end near 1e-9 instead of at 0.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::Tournament;
use crate::{Arm, PreferenceMatrix};

/// How far below 0 the computed value of the game may be, in units of the largest margin.
const TOLERANCE: f64 = 1e-6;

/// A lottery over arms.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct VonNeumann {
    /// The probability of each arm; they sum to 1.
    pub weights: Vec<f64>,
    /// The value of the game, as reached: the smallest mean margin sum_i x_i (p(i, j) - 1/2) over
    /// all arms j. 0 up to rounding.
    pub value: f64,
}

/// A linear program that could not be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VonNeumannError {
    /// The solver gave up.
    #[error("the linear program of the von Neumann winner was not solved: {0}")]
    Solver(String),
    /// The solver's answer is beaten by some arm.
    #[error("the linear program of the von Neumann winner was solved badly: its value is {0}, expected 0")]
    Value(f64),
}

impl VonNeumann {
    /// The arms with positive weight, heaviest first.
    #[must_use]
    pub fn support(&self) -> Vec<(Arm, f64)> {
        let mut support: Vec<(Arm, f64)> = self
            .weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(i, &w)| (Arm::at(i), w))
            .collect();
        support.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        support
    }
}

/// A von Neumann winner of the matrix: the Condorcet winner with weight 1 if there is one. With
/// exact ties there can be several; this is one of them.
///
/// Half a tenth of a second for a top cycle of 136 arms, a few seconds for one of 700.
///
/// ```
/// # use bandits::{PreferenceMatrix, structure::von_neumann};
/// let circle = PreferenceMatrix::from_rows(&[[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])?;
/// let lottery = von_neumann(&circle).expect("solved");
/// assert!(lottery.weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-9));
/// # Ok::<(), bandits::MatrixError>(())
/// ```
///
/// # Errors
/// If the solver fails, which has never been observed.
pub fn von_neumann(matrix: &PreferenceMatrix) -> Result<VonNeumann, VonNeumannError> {
    let cycle = Tournament::of(matrix).top_cycle();
    let margin = |i: Arm, j: Arm| matrix.get(i, j) - matrix.get(j, i);
    let largest = cycle.iter().flat_map(|&i| cycle.iter().map(move |&j| margin(i, j))).fold(0.0, f64::max);
    let mut weights = vec![0.0; matrix.arms()];
    if largest > 0.0 {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let shares: Vec<_> = cycle.iter().map(|_| problem.add_var(1.0, (0.0, f64::INFINITY))).collect();
        for &j in &cycle {
            let payoffs = cycle.iter().map(|&i| 1.0 + margin(i, j) / largest);
            let row: Vec<_> = shares.iter().copied().zip(payoffs).collect();
            problem.add_constraint(&row[..], ComparisonOp::Ge, 1.0);
        }
        let solver = |error: &dyn std::fmt::Display| VonNeumannError::Solver(error.to_string());
        let solution = problem.solve().map_err(|error| solver(&error))?;
        let solution = solution.into_solution().map_err(|error| solver(&format_args!("{error:?}")))?;
        for (&i, &share) in cycle.iter().zip(&shares) {
            // The residue that the solver leaves on arms outside the support.
            weights[i.index()] = Some(solution.var_value(share)).filter(|&weight| weight > 1e-12).unwrap_or(0.0);
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
    } else {
        // One arm, or nothing but ties.
        for &i in &cycle {
            weights[i.index()] = 1.0 / cycle.len() as f64;
        }
    }
    let value = smallest_margin(matrix, &weights);
    // Not a number fails too.
    if value >= -TOLERANCE * largest { Ok(VonNeumann { weights, value }) } else { Err(VonNeumannError::Value(value)) }
}

/// The smallest mean margin against an arm.
fn smallest_margin(matrix: &PreferenceMatrix, weights: &[f64]) -> f64 {
    let mut means = vec![0.0; matrix.arms()];
    for (i, &weight) in matrix.all_arms().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        for (j, mean) in matrix.all_arms().zip(&mut means) {
            *mean += weight * (matrix.get(i, j) - matrix.get(j, i)) / 2.0;
        }
    }
    means.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::*;
    use crate::{problems, winners};

    #[test]
    fn no_arm_beats_the_lottery() {
        let mut mixed = 0;
        for (arms, seed) in sizes(&[1, 2, 3, 4, 7, 20], 30).chain([(136, 0), (136, 3)]) {
            let matrix = random_matrix(arms, seed);
            let lottery = von_neumann(&matrix).expect("solved");
            assert!((lottery.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(lottery.weights.iter().all(|&weight| weight >= 0.0));
            assert!(lottery.value.abs() < 1e-12, "{arms} arms, seed {seed}: {}", lottery.value);
            // The value by its definition, and the weight of a Condorcet winner.
            for j in matrix.all_arms() {
                let mean: f64 = matrix.all_arms().map(|i| lottery.weights[i.index()] * (matrix.get(i, j) - 0.5)).sum();
                assert!(mean > -1e-12, "{arms} arms, seed {seed}: arm {} wins {mean}", j.0);
            }
            match winners::condorcet_winner(&matrix) {
                Some(winner) => assert_eq!(lottery.support(), [(winner, 1.0)]),
                None => mixed += usize::from(lottery.support().len() > 1),
            }
        }
        assert!(mixed > 20, "{mixed}");
    }

    #[test]
    fn rock_paper_scissors_of_unequal_weight() {
        // Margins a, b, c around the cycle: each arm is drawn in proportion to the margin
        // between the other two.
        let matrix =
            PreferenceMatrix::from_rows(&[[0.5, 0.6, 0.2], [0.4, 0.5, 0.7], [0.8, 0.3, 0.5]]).expect("a matrix");
        let weights = von_neumann(&matrix).expect("solved").weights;
        for (found, expected) in weights.iter().zip([0.2, 0.3, 0.1]) {
            assert!((found - expected / 0.6).abs() < 1e-9, "{weights:?}");
        }
    }

    #[test]
    fn only_the_top_cycle_is_played_and_tiny_margins_do_not_matter() {
        for scale in [1.0, 1e-7] {
            let matrix = PreferenceMatrix::from_upper(40, |i, j| match (i.0, j.0) {
                (0, 2) => 0.5 - 0.1 * scale,
                (i, j) => 0.5 + scale * 0.005 * f64::from(j - i),
            })
            .expect("a matrix");
            let lottery = von_neumann(&matrix).expect("solved");
            assert_eq!(lottery.weights.iter().filter(|weight| **weight > 0.0).count(), 3);
            assert!(lottery.value.abs() < 1e-9 * scale);
            // The tie of the game that the three arms would be without the rest.
            assert!((lottery.weights[1] - 0.1 / 0.11).abs() < 1e-6, "{:?}", lottery.support());
        }
    }

    #[test]
    fn ties_are_shared_and_winners_win() {
        let even = PreferenceMatrix::from_upper(4, |_, _| 0.5).expect("a matrix");
        assert_eq!(von_neumann(&even).expect("solved").weights, [0.25; 4]);
        let cyclic = problems::cyclic().expect("four arms");
        assert_eq!(von_neumann(&cyclic).expect("solved").weights, [1.0, 0.0, 0.0, 0.0]);
    }
}
