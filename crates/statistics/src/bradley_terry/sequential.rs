//! Which arms are stronger, known at every look, under Bradley-Terry.
//!
//! The likelihood of each outcome under a prediction made before it, divided by its likelihood under the true
//! parameters, has expectation 1 given everything before. So the product of these ratios is a martingale: with
//! probability at least 1 - alpha it never reaches 1 / alpha. Whatever parameters give the outcomes a likelihood below
//! alpha times that of the predictions are therefore rejected, at all looks together; i is known to be stronger than j
//! if all parameters with θ_i <= θ_j are. One martingale serves all pairs, so no correction for their number is needed.
//! The choice of pairs may depend on earlier outcomes in any way.
//!
//! The largest likelihood with θ_i <= θ_j is the unconstrained maximum if that has θ_i <= θ_j, and has θ_i = θ_j
//! otherwise, because the logarithm is concave. It is computed without a prior: any penalty would lower it, and reject
//! too much.
//!
//! Predictions are those of normal approximations to the posterior, updated outcome by outcome, averaged over several
//! scales of the prior and over "there are no ties". Their quality decides how soon something is known, not whether it
//! is true.
//!
//! A fraction s of a point enters as s of a win and 1 - s of a loss. By the inequality of weighted means the ratio is at
//! most that with expectation 1, if the expected share follows the model. Weights do not enter.
//!
//! ## References
//!
//! * L. Wasserman, A. Ramdas, S. Balakrishnan, "Universal Inference", Proceedings of the National Academy of Sciences
//!   117(29), 2020, <https://doi.org/10.1073/pnas.1922664117>.

use super::comparison::{Cell, Comparison, Point, cells};
use super::fit::Fit;
use super::options::Options;
use super::predict::Prediction;
use super::ties::Ties;

/// The evidence so far.
#[derive(Debug, Clone)]
pub struct SequentialEvidence {
    arms: usize,
    ties: Ties,
    comparisons: Vec<Comparison>,
    predictions: Vec<Prediction>,
}

/// The claims at a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Statements {
    arms: usize,
    /// Row i, column j: i is known to be stronger than j.
    stronger: Vec<bool>,
    /// How far the predictions fall behind the largest likelihood, in nats: the price of looking at any time.
    pub price: f64,
    /// Pairs that were left open without a test, because there are too many or an ascent did not converge.
    pub untested: usize,
}

/// The standard deviations of the prior over which predictions are averaged.
const SCALES: [f64; 3] = [0.25, 0.7, 2.0];

/// Differences beyond this are those of arms that never lost, on their way to infinity.
const AT_INFINITY: f64 = 10.0;

/// The largest error of a maximum by rounding and an unfinished ascent.
const SLACK: f64 = 1e-6;

impl SequentialEvidence {
    /// For `arms` arms, before any outcome.
    #[must_use]
    pub fn new(arms: usize, ties: Ties) -> Self {
        let kinds = [false, true].into_iter().flat_map(|possible| SCALES.map(|scale| (scale, possible)));
        let predictions = kinds.map(|(scale, possible)| Prediction::new(arms, ties, scale, possible)).collect();
        Self { arms, ties, comparisons: Vec::new(), predictions }
    }

    /// Takes the next outcome. Its weight, covariates and slope are ignored, and copies count one after the other.
    ///
    /// # Panics
    /// If an arm does not exist.
    pub fn record(&mut self, comparison: &Comparison) {
        let Comparison { first, second, position, point, .. } = *comparison;
        let comparison = Comparison { first, second, position, point, ..Comparison::default() };
        for _ in 0..comparison.copies {
            self.predictions.iter_mut().for_each(|prediction| prediction.learn(&comparison));
            if matches!(comparison.point, Point::Tie) {
                self.predictions.retain(|prediction| prediction.ln_likelihood > f64::NEG_INFINITY);
            }
            self.comparisons.push(comparison);
        }
    }

    /// ln of the likelihood of the outcomes under the predictions.
    #[must_use]
    pub fn ln_likelihood(&self) -> f64 {
        let largest = self.predictions.iter().map(|p| p.ln_likelihood).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.predictions.iter().map(|p| libm::exp(p.ln_likelihood - largest)).sum();
        largest + libm::log(sum / (2 * SCALES.len()) as f64)
    }

    /// What is known with probability of any error at most `alpha`, at all looks together. At most about `fits` pairs are
    /// tested, those with the largest differences first.
    #[must_use]
    pub fn statements(&self, alpha: f64, fits: usize) -> Statements {
        let arms = self.arms;
        let mut statements = Statements { arms, stronger: vec![false; arms * arms], price: 0.0, untested: 0 };
        if self.comparisons.is_empty() {
            return statements;
        }
        let cells = cells(&self.comparisons);
        let ln_threshold = self.ln_likelihood() + libm::log(alpha) - SLACK;
        let Some(best) = Fit::supremum(arms, self.ties, &cells, None) else {
            statements.untested = arms * (arms - 1) / 2;
            return statements;
        };
        statements.price = best.ln_likelihood() - self.ln_likelihood();
        // Along the model's covariances, the constrained maximum is near this point; its likelihood is a lower bound.
        let covariance = best.model_covariance();
        let size = best.size();
        let mut pairs = Vec::new();
        for i in 0..arms {
            for j in (0..arms).filter(|j| best.strengths()[i] > best.strengths()[*j]) {
                let towards: Vec<f64> =
                    (0..size).map(|k| covariance[k * size + i] - covariance[k * size + j]).collect();
                let variance = towards[i] - towards[j];
                let difference = best.strengths()[i] - best.strengths()[j];
                let far = 0.5 * difference * difference / variance.max(f64::MIN_POSITIVE);
                // Quadratic approximations are good to a factor of two where something is known, unless the maximum lies at
                // infinity, where curvature is lost.
                if difference > AT_INFINITY || far >= 0.5 * (best.ln_likelihood() - ln_threshold) {
                    pairs.push((i, j, far, towards.iter().map(|t| t * difference / variance).collect::<Vec<f64>>()));
                }
            }
        }
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        let mut fitted = 0;
        for (i, j, _, shift) in pairs {
            let start: Vec<f64> = best.parameters().iter().zip(&shift).map(|(x, s)| x - s).collect();
            if best.ln_likelihood_at(&cells, &start) >= ln_threshold {
                continue;
            }
            if fitted >= fits {
                statements.untested += 1;
                continue;
            }
            fitted += 1;
            let merged: Vec<Cell> = cells.iter().map(|cell| merge(*cell, i, j)).collect();
            match Fit::supremum(arms, self.ties, &merged, Some(&start)) {
                Some(constrained) => statements.stronger[i * arms + j] = constrained.ln_likelihood() < ln_threshold,
                None => statements.untested += 1,
            }
        }
        statements
    }
}

/// The cell if `j` has the strength of `i`.
fn merge(mut cell: Cell, i: usize, j: usize) -> Cell {
    for arm in [&mut cell.first, &mut cell.second] {
        if *arm == j {
            *arm = i;
        }
    }
    cell
}

impl Statements {
    /// Whether `first` is known to be stronger than `second`.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn is_stronger(&self, first: usize, second: usize) -> bool {
        assert!(first < self.arms && second < self.arms, "{first}, {second} of {} arms", self.arms);
        self.stronger[first * self.arms + second]
    }

    /// The best and the worst rank, from 1, that is not excluded for `arm`.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn ranks(&self, arm: usize) -> (usize, usize) {
        let stronger = (0..self.arms).filter(|other| self.is_stronger(*other, arm)).count();
        let weaker = (0..self.arms).filter(|other| self.is_stronger(arm, *other)).count();
        (1 + stronger, self.arms - weaker)
    }
}

impl Fit {
    /// Parameters with a likelihood within rounding of the supremum, whether or not that is attained; `None` if the ascent did
    /// not get there.
    fn supremum(arms: usize, ties: Ties, cells: &[Cell], start: Option<&[f64]>) -> Option<Self> {
        let options = Options { position: true, ties, ..Options::default() };
        Self::ascend(arms, cells, options, start, true).ok()
    }
}
