//! The maximum of the likelihood: strengths, the position effect and ln ν.

use super::comparison::{Cell, Comparison, Point};
use super::ties::{Expected, Terms, Ties};
use super::{effective, graph, sandwich};
use crate::StatisticsError;
use crate::matrix::Cholesky;

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// Whether the arm shown first has an advantage, which is added to the difference of strengths. It is left out if
    /// the comparisons cannot determine it ([`graph::position_is_determined`](super::position_is_determined)).
    pub position: bool,
    /// The standard deviation of a normal prior, with mean 0, of each strength, of the position effect and of ln ν.
    pub prior: Option<f64>,
    /// How often pairs tie.
    pub ties: Ties,
}

/// Strengths with ties and a position effect, fitted by (penalised) maximum likelihood.
///
/// Parameters stand in one vector: the strengths, then the position effect if it is fitted, then ln ν if there are ties.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub(super) arms: usize,
    pub(super) at: Vec<f64>,
    position: Option<usize>,
    tie: Option<usize>,
    ties: Ties,
    prior: Option<f64>,
    ln_likelihood: f64,
    /// The inverse of the information, where a common shift of all strengths has variance 0.
    inverse: Vec<f64>,
}

/// A fit whose parameters lie further from 0 than this has no finite maximum: no sample is large enough for it.
const FAR: f64 = 20.0;

impl Fit {
    /// Fits `arms` strengths to the cells.
    ///
    /// # Errors
    /// If there are fewer than two arms, a pair does not exist, a weight is negative or not finite, the prior is not
    /// positive, or no finite strengths fit best ([`StatisticsError::Separated`], [`StatisticsError::Unbounded`]); with
    /// a prior they always exist.
    pub fn new(arms: usize, cells: &[Cell], options: Options) -> Result<Self, StatisticsError> {
        check(arms, cells)?;
        if let Some(sd) = options.prior.filter(|sd| !(*sd > 0.0 && sd.is_finite())) {
            return Err(StatisticsError::OutOfRange { what: "the prior's scale", value: sd, range: "(0, inf)" });
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
        let position = (options.position && graph::position_is_determined(arms, cells)).then_some(arms);
        let tied = cells.iter().any(|cell| cell.ties > 0.0);
        let tie = tied.then_some(arms + usize::from(position.is_some()));
        let size = arms + usize::from(position.is_some()) + usize::from(tied);
        let fit = Self {
            arms,
            at: start.filter(|start| start.len() == size).map_or_else(|| vec![0.0; size], <[f64]>::to_vec),
            position,
            tie,
            ties: options.ties,
            prior: options.prior,
            ln_likelihood: 0.0,
            inverse: Vec::new(),
        };
        fit.at_maximum(cells, anywhere)
    }

    /// The maximum over cells that may have negative weights, with the parameters of this fit, from which it starts.
    pub(super) fn moved(&self, cells: &[Cell], prior: Option<f64>) -> Result<Self, StatisticsError> {
        Self { prior, ..self.clone() }.at_maximum(cells, false)
    }

    fn at_maximum(mut self, cells: &[Cell], anywhere: bool) -> Result<Self, StatisticsError> {
        self.climb(cells, anywhere)?;
        if !anywhere && self.prior.is_none() && self.at.iter().any(|value| value.abs() > FAR) {
            return Err(StatisticsError::Unbounded);
        }
        let (_, information) = self.derivatives(cells);
        self.inverse = self.without_shift(Cholesky::forced(&information, self.at.len()).inverse());
        let mean = self.at[..self.arms].iter().sum::<f64>() / self.arms as f64;
        self.at[..self.arms].iter_mut().for_each(|strength| *strength -= mean);
        self.ln_likelihood = self.ln_likelihood_of(cells);
        Ok(self)
    }

    fn climb(&mut self, cells: &[Cell], anywhere: bool) -> Result<(), StatisticsError> {
        const MOST: usize = 200;
        // Where the likelihood flattens out towards infinity, what remains to be gained is about the gain of a step.
        let least_gain = if anywhere { 1e-9 } else { 1e-20 };
        // What is left where billions of comparisons round the likelihood: a thousandth of a standard error.
        const ENOUGH: f64 = 1e-6;
        let mut last_gain = f64::INFINITY;
        let mut value = self.objective(cells, &self.at);
        for _ in 0..MOST {
            let (gradient, mut information) = self.derivatives(cells);
            if anywhere {
                let size = self.at.len();
                (0..size).for_each(|place| information[place * size + place] += 1e-10);
            }
            let step = Cholesky::forced(&information, self.at.len()).solve(&gradient);
            // Half of the squared length of the step in units of the standard errors.
            let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            last_gain = gain;
            let mut length = 1.0;
            let moved = loop {
                let moved: Vec<f64> = self.at.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let found = self.objective(cells, &moved);
                // At the maximum the steps are smaller than the rounding of the likelihood.
                if found >= value - 1e-13 * value.abs() || length < 1e-10 {
                    value = found.max(value);
                    break moved;
                }
                length *= 0.5;
            };
            self.at = moved;
            // With large counts, rounding of the gradient keeps the gain up, but not the steps.
            let still = step.iter().all(|s| s.abs() < 1e-11);
            if gain < least_gain || still {
                return Ok(());
            }
            if !anywhere && self.prior.is_none() && self.at.iter().any(|value| value.abs() > 2.0 * FAR) {
                return Err(StatisticsError::Unbounded);
            }
        }
        if !anywhere && last_gain < ENOUGH {
            return Ok(());
        }
        Err(StatisticsError::NotConverged { what: "the fit of strengths", iterations: MOST })
    }

    /// The difference of strengths in a cell, with the position effect.
    fn difference(&self, at: &[f64], cell: &Cell) -> f64 {
        at[cell.first] - at[cell.second] + self.position.map_or(0.0, |place| at[place] * cell.position)
    }

    fn terms(&self, at: &[f64], cell: &Cell) -> Terms {
        self.ties.terms(cell, self.difference(at, cell), self.tie.map_or(f64::NEG_INFINITY, |place| at[place]))
    }

    /// ln of the likelihood with the prior.
    fn objective(&self, cells: &[Cell], at: &[f64]) -> f64 {
        let prior = self.prior.map_or(0.0, |sd| -0.5 * at.iter().map(|x| x * x).sum::<f64>() / (sd * sd));
        cells.iter().map(|cell| self.terms(at, cell).ln).sum::<f64>() + prior
    }

    /// ln of the likelihood of cells, without the prior, at the fitted parameters.
    #[must_use]
    pub fn ln_likelihood_of(&self, cells: &[Cell]) -> f64 {
        self.ln_likelihood_at(cells, &self.at)
    }

    /// The same at other parameters.
    pub(super) fn ln_likelihood_at(&self, cells: &[Cell], at: &[f64]) -> f64 {
        cells.iter().map(|cell| self.terms(at, cell).ln).sum()
    }

    /// The gradient and the information, with 1 added for each pair of strengths: a common shift of all strengths, which
    /// changes nothing, gets a curvature of its own.
    fn derivatives(&self, cells: &[Cell]) -> (Vec<f64>, Vec<f64>) {
        let size = self.at.len();
        let mut gradient = vec![0.0; size];
        let mut information = vec![0.0; size * size];
        for cell in cells {
            let terms = self.terms(&self.at, cell);
            let directions = self.directions(cell.first, cell.second, cell.position);
            for &(row, sign) in directions.all() {
                gradient[row] += sign * terms.slope;
                for &(column, other) in directions.all() {
                    information[row * size + column] += sign * other * terms.curvature;
                }
                if let Some(tie) = self.tie {
                    information[row * size + tie] += sign * terms.mixed;
                    information[tie * size + row] += sign * terms.mixed;
                }
            }
            if let Some(tie) = self.tie {
                gradient[tie] += terms.tie_slope;
                information[tie * size + tie] += terms.tie_curvature;
            }
        }
        for row in 0..self.arms {
            information[row * size..row * size + self.arms].iter_mut().for_each(|value| *value += 1.0);
        }
        if let Some(sd) = self.prior {
            for place in 0..size {
                gradient[place] -= self.at[place] / (sd * sd);
                information[place * size + place] += 1.0 / (sd * sd);
            }
        }
        (gradient, information)
    }

    /// The parameters that the difference of a cell depends on, each with its factor.
    fn directions(&self, first: usize, second: usize, position: f64) -> Directions {
        let mut all = Directions { places: [(first, 1.0), (second, -1.0), (0, 0.0)], count: 2 };
        if let Some(place) = self.position.filter(|_| position != 0.0) {
            all.places[2] = (place, position);
            all.count = 3;
        }
        all
    }

    /// Takes the variance of a common shift, which only the added curvature and the prior bound, out of the inverse.
    fn without_shift(&self, mut inverse: Vec<f64>) -> Vec<f64> {
        let (arms, size) = (self.arms as f64, self.at.len());
        let shift = 1.0 / (arms * (arms + self.prior.map_or(0.0, |sd| 1.0 / (sd * sd))));
        for row in 0..self.arms {
            inverse[row * size..row * size + self.arms].iter_mut().for_each(|value| *value -= shift);
        }
        inverse
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// The number of parameters, counting each strength.
    #[must_use]
    pub fn size(&self) -> usize {
        self.at.len()
    }

    /// The strengths, which add up to 0.
    #[must_use]
    pub fn strengths(&self) -> &[f64] {
        &self.at[..self.arms]
    }

    /// All parameters: the strengths, the position effect if fitted, ln ν of the model of ties if there are any.
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        &self.at
    }

    /// The advantage of being shown first, added to the difference of strengths; `None` if it was not fitted.
    #[must_use]
    pub fn position(&self) -> Option<f64> {
        self.position.map(|place| self.at[place])
    }

    /// The place of the position effect among the parameters.
    #[must_use]
    pub fn position_place(&self) -> Option<usize> {
        self.position
    }

    /// ν of the model of ties: 0 without ties.
    #[must_use]
    pub fn tie(&self) -> f64 {
        self.tie.map_or(0.0, |place| libm::exp(self.at[place]))
    }

    /// Whether ν was fitted, because there are ties.
    pub(super) fn has_ties(&self) -> bool {
        self.tie.is_some()
    }

    /// The model of ties.
    #[must_use]
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The standard deviation of the prior, if there was one.
    #[must_use]
    pub fn prior(&self) -> Option<f64> {
        self.prior
    }

    /// The natural logarithm of the likelihood at the fitted parameters, without the prior.
    #[must_use]
    pub fn ln_likelihood(&self) -> f64 {
        self.ln_likelihood
    }

    /// P(win), P(loss) and P(tie) of `first` against `second` at a position.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn probabilities(&self, first: usize, second: usize, position: f64) -> [f64; 3] {
        self.ties.probabilities(self.difference_of(first, second, position), self.tie())
    }

    /// What is expected of a comparison of `first` with `second` at a position.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn expected(&self, first: usize, second: usize, position: f64) -> Expected {
        Expected::of(self.ties, self.difference_of(first, second, position), self.tie())
    }

    fn difference_of(&self, first: usize, second: usize, position: f64) -> f64 {
        self.at[first] - self.at[second] + self.position.map_or(0.0, |place| self.at[place] * position)
    }

    /// Model-based covariances of all parameters, row by row: the inverse of the observed information. They hold if the model
    /// does, comparisons are independent, and weights count comparisons.
    #[must_use]
    pub fn model_covariance(&self) -> &[f64] {
        &self.inverse
    }

    /// The derivatives of ln of the likelihood of one copy of a comparison, with its weight.
    pub(super) fn score(&self, comparison: &Comparison) -> Score {
        let Comparison { first, second, position, point, weight, .. } = *comparison;
        let [half, tied] = match point {
            Point::Share(share) => [share - 0.5, 0.0],
            Point::Tie => [0.0, 1.0],
        };
        self.score_of(first, second, position, [half, tied], weight)
    }

    /// The same for a half point and a share of ties, which may be fractions.
    pub(super) fn score_of(
        &self,
        first: usize,
        second: usize,
        position: f64,
        [half, tied]: [f64; 2],
        weight: f64,
    ) -> Score {
        let expected = self.expected(first, second, position);
        let [by_difference, by_tie] = expected.score(half - expected.half, tied - expected.p[2]);
        let slope = weight * by_difference;
        let mut score = Score { entries: [(0, 0.0); 4], count: 0 };
        for &(place, factor) in self.directions(first, second, position).all() {
            score.push(place, factor * slope);
        }
        if let Some(tie) = self.tie {
            score.push(tie, weight * by_tie);
        }
        score
    }

    /// Covariances of all parameters by the sandwich estimator: valid if comparisons of different clusters are
    /// independent, whether or not the model holds. `clusters` has one number per comparison; without it every
    /// comparison is a cluster of its own. With `corrected`, they are multiplied by G / (G - 1) for G clusters.
    ///
    /// # Panics
    /// If a comparison has an arm that does not exist, or there is not one cluster per comparison.
    #[must_use]
    pub fn sandwich(&self, comparisons: &[Comparison], clusters: Option<&[u32]>, corrected: bool) -> Vec<f64> {
        sandwich::sandwich(self, comparisons, clusters, corrected)
    }

    /// How many clusters each difference of two strengths rests on, from 1 to their number: row by row, one row and column per arm.
    /// `clusters` has one number per comparison. Of many arms in many clusters, that of a pair is the smaller one of both arms,
    /// each against the average.
    ///
    /// # Panics
    /// If a comparison has an arm that does not exist, or there is not one cluster per comparison.
    #[must_use]
    pub fn effective_clusters(&self, comparisons: &[Comparison], clusters: &[u32]) -> Vec<f64> {
        effective::effective_clusters(self, comparisons, clusters)
    }
}

/// At most three parameters with factors.
struct Directions {
    places: [(usize, f64); 3],
    count: usize,
}

impl Directions {
    fn all(&self) -> &[(usize, f64)] {
        &self.places[..self.count]
    }
}

/// A sparse vector of derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    entries: [(usize, f64); 4],
    count: usize,
}

impl Score {
    fn push(&mut self, place: usize, value: f64) {
        self.entries[self.count] = (place, value);
        self.count += 1;
    }

    pub(super) fn entries(&self) -> &[(usize, f64)] {
        &self.entries[..self.count]
    }
}

fn check(arms: usize, cells: &[Cell]) -> Result<(), StatisticsError> {
    if arms < 2 {
        return Err(StatisticsError::TooFew { what: "arms", found: arms, needed: 2 });
    }
    for &Cell { first, second, position, wins, losses, ties } in cells {
        if first >= arms || second >= arms || first == second {
            return Err(StatisticsError::NoSuchPair { first, second, arms });
        }
        if let Some(&value) = [wins, losses, ties].iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
            return Err(StatisticsError::OutOfRange { what: "a count of outcomes", value, range: "[0, inf)" });
        }
        if !(-1.0..=1.0).contains(&position) {
            return Err(StatisticsError::OutOfRange { what: "a position", value: position, range: "[-1, 1]" });
        }
    }
    Ok(())
}
