//! Strengths of arms from the outcomes of pairs, with ties.
//!
//! Arms have strengths θ. In a unit of (i, j), with a = e^((θ_i - θ_j) / 2), i wins, j wins, or both tie with
//! probabilities proportional to a, 1 / a and ν. The likelihood is that of an exponential family, so its logarithm is
//! concave in the strengths and ln ν, and Newton's method finds the maximum. Without ties ν = 0, and θ_i - θ_j is the
//! logarithm of P(i beats j) / P(j beats i).
//!
//! ## References
//!
//! * R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons",
//!   Biometrika 39(3/4), 1952, <https://doi.org/10.2307/2334029>.
//! * R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
//!   Journal of the American Statistical Association 65(329), 1970, <https://doi.org/10.1080/01621459.1970.10481082>.
//! * L. R. Ford, "Solution of a Ranking Problem from Binary Comparisons", American Mathematical Monthly 64(8), 1957,
//!   <https://doi.org/10.2307/2308513>: when finite strengths exist.
//!
//! ## Notes
//!
//! Standard errors hold for pairs that were allocated in advance. If a bandit chose the pairs by earlier outcomes,
//! neither kind is valid: use [`BestArm`](crate::anytime::BestArm) for decisions, and the strengths as a summary.

use crate::special::normal_quantile;
use crate::{Counts, StatisticsError};

/// Where standard errors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Errors {
    /// The inverse of the information: valid if the model holds.
    Model,
    /// The sandwich estimator: valid if units are independent, whether or not the model holds.
    Sandwich,
}

/// Strengths fitted to counts.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    strengths: Vec<f64>,
    tie: f64,
    ln_likelihood: f64,
    /// Covariances of the strengths, row by row.
    model: Vec<f64>,
    sandwich: Vec<f64>,
}

impl BradleyTerry {
    /// Fits `arms` strengths to the counts of pairs: each entry is (first, second, counts for first). A pair may occur
    /// several times.
    ///
    /// # Errors
    /// If there are fewer than two arms, a pair does not exist, or no finite strengths fit best because some arms were
    /// never beaten by the others.
    pub fn fit(arms: usize, pairs: &[(usize, usize, Counts)]) -> Result<Self, StatisticsError> {
        if arms < 2 {
            return Err(StatisticsError::TooFew { what: "arms", found: arms, needed: 2 });
        }
        if let Some(&(first, second, _)) = pairs.iter().find(|(i, j, _)| *i >= arms || *j >= arms || i == j) {
            return Err(StatisticsError::NoSuchPair { first, second, arms });
        }
        check_connected(arms, pairs)?;
        let ties = pairs.iter().any(|(_, _, counts)| counts.ties > 0);
        let problem = Problem { arms, ties, pairs };
        let mut at = vec![0.0; arms + usize::from(ties)];
        let mut value = problem.ln_likelihood(&at);
        const MOST: usize = 200;
        for _ in 0..MOST {
            let (gradient, information) = problem.derivatives(&at);
            let inverse = invert(&information, at.len());
            let step = multiply(&inverse, &gradient);
            // Half of the squared length of the step in units of the standard errors.
            let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let mut length = 1.0;
            let moved = loop {
                let moved: Vec<f64> = at.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let found = problem.ln_likelihood(&moved);
                // At the maximum the steps are smaller than the rounding of the likelihood.
                if found >= value - 1e-13 * value.abs() || length < 1e-10 {
                    value = found.max(value);
                    break moved;
                }
                length *= 0.5;
            };
            at = moved;
            if gain < 1e-20 {
                return Ok(problem.fitted(at, value));
            }
        }
        Err(StatisticsError::NotConverged { what: "the fit of strengths", iterations: MOST })
    }

    /// The strengths, which add up to 0.
    #[must_use]
    pub fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    /// ν: 0 without ties; P(tie) / sqrt(P(win) P(loss)) for every pair.
    #[must_use]
    pub fn tie(&self) -> f64 {
        self.tie
    }

    /// The natural logarithm of the likelihood at the strengths.
    #[must_use]
    pub fn ln_likelihood(&self) -> f64 {
        self.ln_likelihood
    }

    /// The probabilities that `first` wins, loses and ties against `second`.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        probabilities(self.strengths[first] - self.strengths[second], self.tie)
    }

    /// The standard error of the strength of `arm`.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn standard_error(&self, arm: usize, errors: Errors) -> f64 {
        libm::sqrt(self.covariance(errors)[arm * self.strengths.len() + arm])
    }

    /// The difference of two strengths, first minus second, and its standard error.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn difference(&self, first: usize, second: usize, errors: Errors) -> (f64, f64) {
        let arms = self.strengths.len();
        let of = |i: usize, j: usize| self.covariance(errors)[i * arms + j];
        let variance = of(first, first) + of(second, second) - 2.0 * of(first, second);
        (self.strengths[first] - self.strengths[second], libm::sqrt(variance.max(0.0)))
    }

    /// An interval for the strength of `arm` at confidence 1 - `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    ///
    /// # Panics
    /// If the arm does not exist.
    pub fn interval(&self, arm: usize, alpha: f64, errors: Errors) -> Result<(f64, f64), StatisticsError> {
        crate::error::check_level(alpha)?;
        let radius = normal_quantile(1.0 - alpha / 2.0) * self.standard_error(arm, errors);
        Ok((self.strengths[arm] - radius, self.strengths[arm] + radius))
    }

    fn covariance(&self, errors: Errors) -> &[f64] {
        match errors {
            Errors::Model => &self.model,
            Errors::Sandwich => &self.sandwich,
        }
    }
}

/// P(win), P(loss) and P(tie) for a difference of strengths.
fn probabilities(difference: f64, tie: f64) -> [f64; 3] {
    // The larger of a and 1 / a is taken out, so that nothing overflows.
    let small = libm::exp(-difference.abs());
    let tie = tie * libm::exp(-0.5 * difference.abs());
    let sum = 1.0 + small + tie;
    let [more, less, tie] = [1.0 / sum, small / sum, tie / sum];
    if difference >= 0.0 { [more, less, tie] } else { [less, more, tie] }
}

/// The likelihood of counts: strengths first, then ln ν if there are ties.
struct Problem<'a> {
    arms: usize,
    ties: bool,
    pairs: &'a [(usize, usize, Counts)],
}

impl Problem<'_> {
    fn tie(&self, at: &[f64]) -> f64 {
        if self.ties { libm::exp(at[self.arms]) } else { 0.0 }
    }

    fn ln_likelihood(&self, at: &[f64]) -> f64 {
        let tie = self.tie(at);
        let pair = |&(i, j, counts): &(usize, usize, Counts)| {
            let [win, loss, even] = probabilities(at[i] - at[j], tie);
            let part = |count: u64, p: f64| if count == 0 { 0.0 } else { count as f64 * libm::log(p) };
            part(counts.wins, win) + part(counts.losses, loss) + part(counts.ties, even)
        };
        self.pairs.iter().map(pair).sum()
    }

    /// The gradient and the information, with 1 added for each pair of strengths: a common shift of all strengths, which
    /// changes nothing, gets a curvature of its own.
    fn derivatives(&self, at: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let size = at.len();
        let mut gradient = vec![0.0; size];
        let mut information = vec![0.0; size * size];
        for &(i, j, counts) in self.pairs {
            let [win, loss, even] = probabilities(at[i] - at[j], self.tie(at));
            let n = counts.total() as f64;
            let mean = 0.5 * (win - loss);
            let slope = 0.5 * (counts.wins as f64 - counts.losses as f64) - n * mean;
            gradient[i] += slope;
            gradient[j] -= slope;
            let variance = n * (0.25 * (win + loss) - mean * mean);
            add_difference(&mut information, size, i, j, variance);
            if self.ties {
                let t = self.arms;
                gradient[t] += counts.ties as f64 - n * even;
                information[t * size + t] += n * even * (1.0 - even);
                let covariance = -n * mean * even;
                for (arm, sign) in [(i, 1.0), (j, -1.0)] {
                    information[arm * size + t] += sign * covariance;
                    information[t * size + arm] += sign * covariance;
                }
            }
        }
        for row in 0..self.arms {
            information[row * size..row * size + self.arms].iter_mut().for_each(|value| *value += 1.0);
        }
        (gradient, information)
    }

    /// The sum over units of the products of their scores.
    fn scores(&self, at: &[f64]) -> Vec<f64> {
        let size = at.len();
        let mut sum = vec![0.0; size * size];
        for &(i, j, counts) in self.pairs {
            let [win, loss, even] = probabilities(at[i] - at[j], self.tie(at));
            let mean = 0.5 * (win - loss);
            for (count, half, tied) in [(counts.wins, 0.5, 0.0), (counts.losses, -0.5, 0.0), (counts.ties, 0.0, 1.0)] {
                let (score, n) = (half - mean, count as f64);
                add_difference(&mut sum, size, i, j, n * score * score);
                if self.ties {
                    let (t, tie) = (self.arms, tied - even);
                    sum[t * size + t] += n * tie * tie;
                    for (arm, sign) in [(i, 1.0), (j, -1.0)] {
                        sum[arm * size + t] += sign * n * score * tie;
                        sum[t * size + arm] += sign * n * score * tie;
                    }
                }
            }
        }
        sum
    }

    fn fitted(&self, mut at: Vec<f64>, ln_likelihood: f64) -> BradleyTerry {
        let (arms, size) = (self.arms, at.len());
        let (_, information) = self.derivatives(&at);
        let inverse = invert(&information, size);
        let scores = self.scores(&at);
        let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let entry = |row: usize, column: usize| (0..size).map(|k| a[row * size + k] * b[k * size + column]).sum();
            (0..size * size).map(|place| entry(place / size, place % size)).collect()
        };
        let sandwich = product(&product(&inverse, &scores), &inverse);
        let strengths_of = |full: &[f64], shift: f64| -> Vec<f64> {
            (0..arms * arms).map(|place| full[place / arms * size + place % arms] - shift).collect()
        };
        let tie = self.tie(&at);
        at.truncate(arms);
        let mean = at.iter().sum::<f64>() / arms as f64;
        at.iter_mut().for_each(|strength| *strength -= mean);
        // The curvature that was added for a common shift contributes 1 / arms^2 to each entry of the inverse.
        let model = strengths_of(&inverse, 1.0 / (arms * arms) as f64);
        BradleyTerry { strengths: at, tie, ln_likelihood, model, sandwich: strengths_of(&sandwich, 0.0) }
    }
}

/// Adds `value` times the square of (e_i - e_j).
fn add_difference(matrix: &mut [f64], size: usize, i: usize, j: usize, value: f64) {
    matrix[i * size + i] += value;
    matrix[j * size + j] += value;
    matrix[i * size + j] -= value;
    matrix[j * size + i] -= value;
}

fn multiply(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// The inverse of a symmetric, positive definite matrix, by Cholesky's factors.
fn invert(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut factor = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|k| factor[row * size + k] * factor[column * size + k]).sum();
            let rest = matrix[row * size + column] - dot;
            factor[row * size + column] = if row == column {
                libm::sqrt(rest.max(f64::MIN_POSITIVE))
            } else {
                rest / factor[column * size + column]
            };
        }
    }
    let mut inverse = vec![0.0; size * size];
    let mut solution = vec![0.0; size];
    for unit in 0..size {
        for row in 0..size {
            let known: f64 = (0..row).map(|k| factor[row * size + k] * solution[k]).sum();
            solution[row] = (f64::from(u8::from(row == unit)) - known) / factor[row * size + row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|k| factor[k * size + row] * solution[k]).sum();
            solution[row] = (solution[row] - known) / factor[row * size + row];
        }
        for row in 0..size {
            inverse[row * size + unit] = solution[row];
        }
    }
    inverse
}

/// Finite strengths exist if no group of arms was never beaten by, or tied with, an arm outside of it.
fn check_connected(arms: usize, pairs: &[(usize, usize, Counts)]) -> Result<(), StatisticsError> {
    // An arrow from each arm to those that it beat or tied with.
    let mut beats = vec![Vec::new(); arms];
    for &(i, j, counts) in pairs {
        if counts.wins + counts.ties > 0 {
            beats[i].push(j);
        }
        if counts.losses + counts.ties > 0 {
            beats[j].push(i);
        }
    }
    let reached = |from: usize| {
        let mut seen = vec![false; arms];
        let mut open = vec![from];
        seen[from] = true;
        while let Some(arm) = open.pop() {
            for &next in &beats[arm] {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen
    };
    // The arms that an arm reaches beat nobody else, so the others were never beaten from outside.
    for arm in 0..arms {
        let seen = reached(arm);
        if seen.iter().any(|reached| !reached) {
            let group = (0..arms).filter(|&other| !seen[other]).collect();
            return Err(StatisticsError::Separated { group });
        }
    }
    Ok(())
}
