//! Strengths of arms from the outcomes of pairs, with ties and an effect of the order in which both were shown.
//!
//! Arms have strengths θ. In a unit of (i, j), with a = e^(d / 2), i wins, j wins, or both tie with probabilities
//! proportional to a, 1 / a and ν. The difference d is θ_i - θ_j; with a position effect γ, it is θ_i - θ_j + γ if i was
//! shown first, θ_i - θ_j - γ if j was. This is Davidson's model of ties; [`Ties`] has another. In either, the logarithm of the
//! likelihood is concave in all parameters with ln ν, and Newton's method finds the maximum. Without ties ν = 0, and d is the logarithm of
//! P(i beats j) / P(j beats i).
//!
//! [`BradleyTerry`] fits counts of pairs. [`Fit`] also takes weights, fractions of a point, positions, covariates (by how much the first
//! answer is longer) and slopes (how well a judge distinguishes arms), and has covariances by cluster; [`Contrasts`] makes of them simultaneous statements for one look and for every look.
//! [`SequentialEvidence`] makes statements at every look that are exact under the model, and need more judgements.
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
//! The intervals of [`BradleyTerry`] hold for pairs that were allocated in advance. If a bandit chose the pairs by earlier outcomes,
//! neither kind is valid: use [`BestArm`](crate::anytime::BestArm) or [`Look::Every`] for decisions, and the strengths as a summary.

mod comparison;
mod contrasts;
mod covariates;
mod discrimination;
mod effective_clusters;
mod fit;
mod graph;
mod identifiability;
mod layout;
mod options;
mod predict;
mod prediction_powered;
mod sandwich;
mod sequential;
mod slopes;
mod ties;

pub use comparison::{Cell, Comparison, Point, cells};
pub use contrasts::{Contrasts, Look, MaxT};
pub use covariates::Covariates;
pub use discrimination::discriminating;
pub use fit::Fit;
pub use graph::{groups, position_is_determined, unbeaten_group};
pub use identifiability::{UndeterminedReason, undetermined_covariate};
pub use layout::Directions;
pub use options::Options;

pub use prediction_powered::{Labels, Predicted, PredictionPowered};
pub use sandwich::{inflated_covariances, two_way_covariances};
pub use sequential::{SequentialEvidence, Statements};
pub use ties::{Expectation, Ties};

use crate::special_functions::normal_quantile;
use crate::{Counts, StatisticsError};

/// Where standard errors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorEstimator {
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
    /// never beaten by the others, or because wins and ties without losses are explained ever better by larger strengths.
    pub fn fit(arms: usize, pairs: &[(usize, usize, Counts)]) -> Result<Self, StatisticsError> {
        let comparisons: Vec<Comparison> = pairs
            .iter()
            .flat_map(|&(first, second, Counts { wins, losses, ties })| {
                [(Point::Share(1.0), wins), (Point::Share(0.0), losses), (Point::Tie, ties)]
                    .map(|(point, copies)| Comparison { first, second, point, copies, ..Comparison::default() })
            })
            .filter(|comparison| comparison.copies > 0 || comparison.first == comparison.second)
            .collect();
        let fit = Fit::new(arms, &cells(&comparisons), Options::default())?;
        let strengths_of = |full: &[f64]| -> Vec<f64> {
            (0..arms * arms).map(|place| full[place / arms * fit.size() + place % arms]).collect()
        };
        Ok(Self {
            model: strengths_of(fit.model_covariance()),
            sandwich: strengths_of(&fit.sandwich(&comparisons, None, false)),
            strengths: fit.strengths().to_vec(),
            tie: fit.tie(),
            ln_likelihood: fit.ln_likelihood(),
        })
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
        Ties::Davidson.probabilities(self.strengths[first] - self.strengths[second], self.tie)
    }

    /// The standard error of the strength of `arm`.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn standard_error(&self, arm: usize, errors: ErrorEstimator) -> f64 {
        libm::sqrt(self.covariance(errors)[arm * self.strengths.len() + arm])
    }

    /// The difference of two strengths, first minus second, and its standard error.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn difference(&self, first: usize, second: usize, errors: ErrorEstimator) -> (f64, f64) {
        let arms = self.strengths.len();
        let covariance_of = |i: usize, j: usize| self.covariance(errors)[i * arms + j];
        let variance = covariance_of(first, first) + covariance_of(second, second) - 2.0 * covariance_of(first, second);
        (self.strengths[first] - self.strengths[second], libm::sqrt(variance.max(0.0)))
    }

    /// An interval for the strength of `arm` at confidence 1 - `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    ///
    /// # Panics
    /// If the arm does not exist.
    pub fn interval(&self, arm: usize, alpha: f64, errors: ErrorEstimator) -> Result<(f64, f64), StatisticsError> {
        crate::error::check_level(alpha)?;
        let radius = normal_quantile(1.0 - alpha / 2.0) * self.standard_error(arm, errors);
        Ok((self.strengths[arm] - radius, self.strengths[arm] + radius))
    }

    fn covariance(&self, errors: ErrorEstimator) -> &[f64] {
        match errors {
            ErrorEstimator::Model => &self.model,
            ErrorEstimator::Sandwich => &self.sandwich,
        }
    }
}
