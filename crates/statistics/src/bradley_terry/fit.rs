//! The maximum of the likelihood: strengths, the position effect, covariates, slopes and ln ν.

use super::comparison::{Cell, Comparison, Point};
use super::graph;
use super::layout::{Directions, Layout};
use super::options::Options;
use super::ties::{Expectation, Terms, Ties};
use crate::StatisticsError;
use crate::matrix::Cholesky;
use std::ops::Range;

/// Strengths with ties, a position effect, covariates and slopes, fitted by (penalised) maximum likelihood.
///
/// Parameters stand in one vector: the strengths, then the position effect if it is fitted, the coefficients of covariates, the logarithms
/// of slopes, and ln ν if there are ties.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub(super) layout: Layout,
    pub(super) parameters: Vec<f64>,
    ties: Ties,
    ln_likelihood: f64,
    /// ln of the determinant of the information with the priors.
    ln_determinant: f64,
    /// The standard errors of the logarithms of slopes.
    slope_errors: Vec<f64>,
    /// The inverse of the information, where a common shift of all strengths has variance 0.
    inverse: Vec<f64>,
}

/// A fit with parameters further from 0 than this has no finite maximum: no sample is large enough for it.
const FAR: f64 = 20.0;

impl Fit {
    /// Fits `arms` strengths to the cells. Coefficients that the cells do not determine
    /// ([`undetermined_covariate`](super::undetermined_covariate)) have no maximum, unless there is a prior.
    ///
    /// # Errors
    /// If there are fewer than two arms, a pair does not exist, cells have different numbers of covariates, ties or wins and losses together are
    /// negative or not finite, a prior is not positive, or no finite strengths fit best ([`StatisticsError::Separated`], [`StatisticsError::Unbounded`]);
    /// with a prior they always exist.
    pub fn new(arms: usize, cells: &[Cell], options: Options) -> Result<Self, StatisticsError> {
        check(arms, cells)?;
        for sd in options.prior.into_iter().chain([options.slope_spread]) {
            if !(sd > 0.0 && sd.is_finite()) {
                return Err(StatisticsError::OutOfRange { what: "the prior's scale", value: sd, range: "(0, inf)" });
            }
        }
        if options.prior.is_none() {
            graph::check_connected(arms, cells)?;
            graph::check_ties(arms, cells)?;
        }
        Self::ascend(arms, cells, options, None, false)
    }

    /// The same without checks, starting from the parameters of another fit of the same kind. With `anywhere`, it stops
    /// where the likelihood hardly rises any more, even if its maximum lies at infinity.
    pub(super) fn ascend(
        arms: usize,
        cells: &[Cell],
        options: Options,
        start: Option<&[f64]>,
        anywhere: bool,
    ) -> Result<Self, StatisticsError> {
        let layout = Layout::of(arms, cells, &options);
        let size = layout.size;
        let fit = Self {
            parameters: start.filter(|start| start.len() == size).map_or_else(|| vec![0.0; size], <[f64]>::to_vec),
            layout,
            ties: options.ties,
            ln_likelihood: 0.0,
            ln_determinant: 0.0,
            slope_errors: Vec::new(),
            inverse: Vec::new(),
        };
        fit.maximize(cells, anywhere)
    }

    /// The maximum over cells that may have negative weights, with the parameters of this fit, from which it starts.
    pub(super) fn refit(&self, cells: &[Cell], prior: Option<f64>) -> Result<Self, StatisticsError> {
        let mut fit = self.clone();
        fit.layout.prior_spread = prior;
        fit.maximize(cells, false)
    }

    fn maximize(mut self, cells: &[Cell], anywhere: bool) -> Result<Self, StatisticsError> {
        self.climb(cells, anywhere)?;
        if !anywhere && self.layout.prior_spread.is_none() && self.parameters.iter().any(|value| value.abs() > FAR) {
            return Err(StatisticsError::Unbounded);
        }
        let size = self.layout.size;
        let (_, information) = self.derivatives(cells);
        let factor = self.factor(cells, &information);
        self.ln_determinant = factor.ln_determinant();
        let inverse = if self.layout.slopes > 0 {
            let mut fixed = self.add_slope_curvature(cells, &information);
            self.fix_scale(&mut fixed);
            Cholesky::new(&fixed, size).map_or_else(|| factor.inverse(), |factor| factor.inverse())
        } else {
            factor.inverse()
        };
        self.inverse = self.without_shift(inverse);
        let variance = |place: usize| self.inverse[place * size + place].max(0.0);
        self.slope_errors = self.slope_places().map(|place| libm::sqrt(variance(place))).collect();
        let arms = self.layout.arms;
        let mean = self.parameters[..arms].iter().sum::<f64>() / arms as f64;
        self.parameters[..arms].iter_mut().for_each(|strength| *strength -= mean);
        self.ln_likelihood = self.ln_likelihood_of(cells);
        Ok(self)
    }

    fn climb(&mut self, cells: &[Cell], anywhere: bool) -> Result<(), StatisticsError> {
        const MAX_STEPS: usize = 200;
        // Where the likelihood flattens out towards infinity, what remains to be gained is about the gain of a step.
        let least_gain = if anywhere { 1e-9 } else { 1e-20 };
        // A small enough last gain where rounding hides more, as with billions of comparisons: a thousandth of a standard error.
        const MIN_GAIN: f64 = 1e-6;
        let mut last_gain = f64::INFINITY;
        let mut value = self.objective(cells, &self.parameters);
        for _ in 0..MAX_STEPS {
            let (gradient, mut information) = self.derivatives(cells);
            if anywhere {
                let size = self.parameters.len();
                (0..size).for_each(|place| information[place * size + place] += 1e-10);
            }
            let step = self.factor(cells, &information).solve(&gradient);
            // Half of the squared length of the step in units of the standard errors.
            let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            last_gain = gain;
            let mut length = 1.0;
            let moved = loop {
                let moved: Vec<f64> = self.parameters.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let objective = self.objective(cells, &moved);
                // At the maximum the steps are smaller than the rounding of the likelihood.
                if objective >= value - 1e-13 * value.abs() || length < 1e-10 {
                    value = objective.max(value);
                    break moved;
                }
                length *= 0.5;
            };
            self.parameters = moved;
            // With large counts, rounding of the gradient keeps the gain up, but not the steps.
            let is_at_rest = step.iter().all(|s| s.abs() < 1e-11);
            if gain < least_gain || is_at_rest {
                return Ok(());
            }
            if !anywhere
                && self.layout.prior_spread.is_none()
                && self.parameters.iter().any(|value| value.abs() > 2.0 * FAR)
            {
                return Err(StatisticsError::Unbounded);
            }
        }
        if !anywhere && last_gain < MIN_GAIN {
            return Ok(());
        }
        Err(StatisticsError::NotConverged { what: "the fit of strengths", iterations: MAX_STEPS })
    }

    pub(super) fn terms(&self, parameters: &[f64], cell: &Cell) -> Terms {
        let ln_tie = self.layout.tie.map_or(f64::NEG_INFINITY, |place| parameters[place]);
        self.ties.terms(cell, self.layout.difference(parameters, cell), ln_tie)
    }

    /// ln of the likelihood with the prior.
    fn objective(&self, cells: &[Cell], parameters: &[f64]) -> f64 {
        cells.iter().map(|cell| self.terms(parameters, cell).ln).sum::<f64>() + self.ln_prior(parameters)
    }

    /// ln of the density of the priors, without constants.
    fn ln_prior(&self, parameters: &[f64]) -> f64 {
        let (slopes, first_slope) = (self.layout.slopes, self.layout.first_slope());
        let prior = self.layout.prior_spread.map_or(0.0, |sd| {
            let other_parameters = parameters[..first_slope].iter().chain(&parameters[first_slope + slopes..]);
            -0.5 * other_parameters.map(|x| x * x).sum::<f64>() / (sd * sd)
        });
        let of_slopes = parameters[first_slope..first_slope + slopes].iter().map(|x| x * x).sum::<f64>();
        if slopes > 0 { prior - 0.5 * self.layout.precision(first_slope) * of_slopes } else { prior }
    }

    /// ln of the likelihood of cells, without the prior, at the fitted parameters.
    #[must_use]
    pub fn ln_likelihood_of(&self, cells: &[Cell]) -> f64 {
        self.ln_likelihood_at(cells, &self.parameters)
    }

    /// The same at other parameters, in the order of [`parameters`](Self::parameters).
    ///
    /// # Panics
    /// If there are fewer of them.
    #[must_use]
    pub fn ln_likelihood_at(&self, cells: &[Cell], parameters: &[f64]) -> f64 {
        cells.iter().map(|cell| self.terms(parameters, cell).ln).sum()
    }

    /// The gradient and the information, with 1 added for each pair of strengths: a common shift of all strengths, which
    /// changes nothing, gets a curvature of its own.
    fn derivatives(&self, cells: &[Cell]) -> (Vec<f64>, Vec<f64>) {
        let size = self.parameters.len();
        let mut gradient = vec![0.0; size];
        let mut information = vec![0.0; size * size];
        for cell in cells {
            let terms = self.terms(&self.parameters, cell);
            let directions = self.layout.directions(&self.parameters, cell);
            for &(row, sign) in directions.entries() {
                gradient[row] += sign * terms.slope;
                for &(column, other) in directions.entries() {
                    information[row * size + column] += sign * other * terms.curvature;
                }
                if let Some(tie) = self.layout.tie {
                    information[row * size + tie] += sign * terms.mixed_curvature;
                    information[tie * size + row] += sign * terms.mixed_curvature;
                }
            }
            if let Some(tie) = self.layout.tie {
                gradient[tie] += terms.tie_slope;
                information[tie * size + tie] += terms.tie_curvature;
            }
        }
        for row in 0..self.layout.arms {
            information[row * size..row * size + self.layout.arms].iter_mut().for_each(|value| *value += 1.0);
        }
        if self.layout.prior_spread.is_some() || self.layout.slopes > 0 {
            for index in 0..size {
                let precision = self.layout.precision(index);
                gradient[index] -= self.parameters[index] * precision;
                information[index * size + index] += precision;
            }
        }
        (gradient, information)
    }

    /// Takes the variance of a common shift, which only the added curvature and the prior bound, out of the inverse.
    fn without_shift(&self, mut inverse: Vec<f64>) -> Vec<f64> {
        let (arms, size) = (self.layout.arms as f64, self.parameters.len());
        let shift = 1.0 / (arms * (arms + self.layout.prior_spread.map_or(0.0, |sd| 1.0 / (sd * sd))));
        for row in 0..self.layout.arms {
            inverse[row * size..row * size + self.layout.arms].iter_mut().for_each(|value| *value -= shift);
        }
        inverse
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.layout.arms
    }

    /// The number of parameters, counting each strength.
    #[must_use]
    pub fn size(&self) -> usize {
        self.parameters.len()
    }

    /// The strengths, which add up to 0.
    #[must_use]
    pub fn strengths(&self) -> &[f64] {
        &self.parameters[..self.layout.arms]
    }

    /// All parameters: the strengths, the position effect if fitted, coefficients of covariates, logarithms of slopes, ln ν of the model of
    /// ties if there are any.
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The advantage of being shown first, added to the difference of strengths; `None` if it was not fitted.
    #[must_use]
    pub fn position(&self) -> Option<f64> {
        self.layout.position.map(|place| self.parameters[place])
    }

    /// The place of the position effect among the parameters.
    #[must_use]
    pub fn position_place(&self) -> Option<usize> {
        self.layout.position
    }

    /// The places of the coefficients of covariates among the parameters.
    #[must_use]
    pub fn covariate_places(&self) -> Range<usize> {
        let first_covariate = self.layout.first_covariate();
        first_covariate..first_covariate + self.layout.covariates
    }

    /// The places of the logarithms of slopes among the parameters. Their mean is 0, but for the pull of a prior of strengths.
    #[must_use]
    pub fn slope_places(&self) -> Range<usize> {
        let first_slope = self.layout.first_slope();
        first_slope..first_slope + self.layout.slopes
    }

    /// ν of the model of ties: 0 without ties.
    #[must_use]
    pub fn tie(&self) -> f64 {
        self.layout.tie.map_or(0.0, |place| libm::exp(self.parameters[place]))
    }

    /// Whether ν was fitted, because there are ties.
    pub(super) fn has_ties(&self) -> bool {
        self.layout.tie.is_some()
    }

    /// The model of ties.
    #[must_use]
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The standard deviation of the prior, if there was one.
    #[must_use]
    pub fn prior(&self) -> Option<f64> {
        self.layout.prior_spread
    }

    /// The standard errors of the logarithms of slopes: of their posteriors under the prior.
    #[must_use]
    pub fn slope_errors(&self) -> &[f64] {
        &self.slope_errors
    }

    /// The same fit with other standard errors of the logarithms of slopes.
    pub(super) fn with_slope_errors(self, slope_errors: Vec<f64>) -> Self {
        Self { slope_errors, ..self }
    }

    /// ln of the probability of the cells under the priors, up to a constant of the model: the likelihood with all parameters integrated out,
    /// by Laplace's approximation. It serves to compare [`Options::slope_spread`].
    #[must_use]
    pub fn ln_evidence(&self) -> f64 {
        let slopes = self.layout.slopes as f64;
        let spread = if slopes > 0.0 { 0.5 * libm::log(self.layout.precision(self.layout.first_slope())) } else { 0.0 };
        self.ln_likelihood + self.ln_prior(&self.parameters) + slopes * spread - 0.5 * self.ln_determinant
    }

    /// The natural logarithm of the likelihood at the fitted parameters, without the prior.
    #[must_use]
    pub fn ln_likelihood(&self) -> f64 {
        self.ln_likelihood
    }

    /// P(win), P(loss) and P(tie) of `first` against `second` at a position, where covariates are 0 and the slope is 1.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn probabilities(&self, first: usize, second: usize, position: f64) -> [f64; 3] {
        self.ties.probabilities(self.difference_of(first, second, position), self.tie())
    }

    /// The expectation of a comparison of `first` with `second` at a position, where covariates are 0 and the slope is 1.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn expected(&self, first: usize, second: usize, position: f64) -> Expectation {
        Expectation::of(self.ties, self.difference_of(first, second, position), self.tie())
    }

    /// The expectation of a comparison.
    ///
    /// # Panics
    /// If an arm or a slope does not exist.
    #[must_use]
    pub fn expected_of(&self, comparison: &Comparison) -> Expectation {
        self.expected_at(&comparison.cell())
    }

    fn expected_at(&self, cell: &Cell) -> Expectation {
        Expectation::of(self.ties, self.layout.difference(&self.parameters, cell), self.tie())
    }

    /// The derivatives of the difference of a comparison by the parameters.
    ///
    /// # Panics
    /// If an arm or a slope does not exist.
    #[must_use]
    pub fn directions(&self, comparison: &Comparison) -> Directions {
        self.layout.directions(&self.parameters, &comparison.cell())
    }

    /// The precision of the prior of a parameter, by its place; 0 without one.
    #[must_use]
    pub fn prior_precision(&self, index: usize) -> f64 {
        self.layout.precision(index)
    }

    fn difference_of(&self, first: usize, second: usize, position: f64) -> f64 {
        self.parameters[first] - self.parameters[second]
            + self.layout.position.map_or(0.0, |place| self.parameters[place] * position)
    }

    /// Model-based covariances of all parameters, row by row: the inverse of the observed information. They hold if the model
    /// does, comparisons are independent, and weights count comparisons.
    #[must_use]
    pub fn model_covariance(&self) -> &[f64] {
        &self.inverse
    }

    /// The derivatives of ln of the likelihood of one copy of a comparison, with its weight.
    pub(super) fn score(&self, comparison: &Comparison) -> Directions {
        let points = match comparison.point {
            Point::Share(share) => [share - 0.5, 0.0],
            Point::Tie => [0.0, 1.0],
        };
        self.score_of(&comparison.cell(), points, comparison.weight)
    }

    /// The same for a half point and a share of ties, which may be fractions, instead of the outcomes of a cell.
    pub(super) fn score_of(&self, cell: &Cell, [half, tied]: [f64; 2], weight: f64) -> Directions {
        let expected = self.expected_at(cell);
        let [by_difference, by_tie] = expected.score(half - expected.half, tied - expected.p[2]);
        let slope = weight * by_difference;
        let mut score = Directions::default();
        for &(place, factor) in self.layout.directions(&self.parameters, cell).entries() {
            score.push(place, factor * slope);
        }
        if let Some(tie) = self.layout.tie {
            score.push(tie, weight * by_tie);
        }
        score
    }
}

fn check(arms: usize, cells: &[Cell]) -> Result<(), StatisticsError> {
    if arms < 2 {
        return Err(StatisticsError::TooFew { what: "arms", found: arms, needed: 2 });
    }
    let covariates = cells.first().map_or(0, |cell| cell.covariates.values().len());
    for &Cell { first, second, position, wins, losses, ties, covariates: own, .. } in cells {
        if own.values().len() != covariates {
            return Err(StatisticsError::UnequalLengths { first: covariates, second: own.values().len() });
        }
        if first >= arms || second >= arms || first == second {
            return Err(StatisticsError::NoSuchPair { first, second, arms });
        }
        // Of corrected points, one side may have fewer than none; their number is still that of the comparisons.
        if let Some(&value) = [ties, wins + losses].iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
            return Err(StatisticsError::OutOfRange { what: "a count of outcomes", value, range: "[0, inf)" });
        }
        if !(-1.0..=1.0).contains(&position) {
            return Err(StatisticsError::OutOfRange { what: "a position", value: position, range: "[-1, 1]" });
        }
    }
    Ok(())
}
