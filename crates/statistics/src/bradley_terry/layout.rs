//! Where the parameters of a fit stand, and how the difference of a comparison depends on them.

use super::comparison::Cell;
use super::covariates::Covariates;
use super::graph;
use super::options::Options;

/// Parameters in one vector: the strengths, the position effect if it is fitted, the coefficients of covariates, the logarithms of slopes,
/// then ln ν if there are ties.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) arms: usize,
    pub(super) position: Option<usize>,
    pub(super) covariates: usize,
    pub(super) slopes: usize,
    pub(super) tie: Option<usize>,
    pub(super) size: usize,
    /// The standard deviation of the prior of all parameters but slopes.
    pub(super) prior_spread: Option<f64>,
    /// The standard deviation of the prior of the logarithms of slopes.
    slope_spread: f64,
}

impl Layout {
    pub(super) fn of(arms: usize, cells: &[Cell], options: &Options) -> Self {
        let position = (options.position && graph::position_is_determined(arms, cells)).then_some(arms);
        let covariates = cells.iter().map(|cell| cell.covariates.values().len()).max().unwrap_or(0);
        let slopes = cells.iter().filter_map(|cell| cell.slope).max().map_or(0, |most| most as usize + 1);
        let size_without_ties = arms + usize::from(position.is_some()) + covariates + slopes;
        let tie = cells.iter().any(|cell| cell.ties > 0.0).then_some(size_without_ties);
        let size = size_without_ties + usize::from(tie.is_some());
        let (prior_spread, slope_spread) = (options.prior, options.slope_spread);
        Self { arms, position, covariates, slopes, tie, size, prior_spread, slope_spread }
    }

    /// The place of the first covariate.
    pub(super) fn first_covariate(&self) -> usize {
        self.arms + usize::from(self.position.is_some())
    }

    /// The place of the first slope.
    pub(super) fn first_slope(&self) -> usize {
        self.first_covariate() + self.covariates
    }

    fn slope(&self, parameters: &[f64], cell: &Cell) -> Option<(usize, f64)> {
        let index = self.first_slope() + cell.slope? as usize;
        Some((index, libm::exp(parameters[index])))
    }

    /// The difference of a cell: that of strengths, times its slope, with the position effect and the covariates.
    pub(super) fn difference(&self, parameters: &[f64], cell: &Cell) -> f64 {
        let mut difference = parameters[cell.first] - parameters[cell.second];
        if let Some((_, slope)) = self.slope(parameters, cell) {
            difference *= slope;
        }
        difference += self.position.map_or(0.0, |place| parameters[place] * cell.position);
        for (value, coefficient) in cell.covariates.values().iter().zip(&parameters[self.first_covariate()..]) {
            difference += coefficient * value;
        }
        difference
    }

    /// The derivatives of the difference of a cell.
    pub(super) fn directions(&self, parameters: &[f64], cell: &Cell) -> Directions {
        let mut directions = Directions::default();
        let slope = self.slope(parameters, cell);
        let factor = slope.map_or(1.0, |(_, slope)| slope);
        directions.push(cell.first, factor);
        directions.push(cell.second, -factor);
        if let Some(index) = self.position.filter(|_| cell.position != 0.0) {
            directions.push(index, cell.position);
        }
        for (k, value) in cell.covariates.values().iter().enumerate() {
            directions.push(self.first_covariate() + k, *value);
        }
        if let Some((index, factor)) = slope {
            directions.push(index, factor * (parameters[cell.first] - parameters[cell.second]));
        }
        directions
    }

    /// The second derivatives of the difference of a cell by the logarithm of its slope: its place, and the parameters of the other
    /// derivative. All others are 0.
    pub(super) fn slope_curvature(&self, parameters: &[f64], cell: &Cell) -> Option<(usize, [(usize, f64); 3])> {
        let (index, slope) = self.slope(parameters, cell)?;
        let difference = parameters[cell.first] - parameters[cell.second];
        Some((index, [(cell.first, slope), (cell.second, -slope), (index, slope * difference)]))
    }

    /// The precision of the prior of a parameter; 0 without one.
    pub(super) fn precision(&self, index: usize) -> f64 {
        let is_slope = (self.first_slope()..self.first_slope() + self.slopes).contains(&index);
        let sd = if is_slope { Some(self.slope_spread) } else { self.prior_spread };
        sd.map_or(0.0, |sd| 1.0 / (sd * sd))
    }
}

/// Parameters, each with the derivative of something by it. The others are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Directions {
    entries: [(usize, f64); Directions::MAX_DIRECTIONS],
    count: usize,
}

impl Directions {
    /// Two strengths, the position effect, covariates, a slope and ln ν.
    const MAX_DIRECTIONS: usize = Covariates::MAX_COVARIATES + 5;

    /// The parameters, by their places in [`Fit::parameters`](super::Fit::parameters), with their derivatives.
    #[must_use]
    pub fn entries(&self) -> &[(usize, f64)] {
        &self.entries[..self.count]
    }

    pub(super) fn push(&mut self, index: usize, value: f64) {
        self.entries[self.count] = (index, value);
        self.count += 1;
    }
}
