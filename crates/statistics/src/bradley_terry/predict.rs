//! Predictions of the next outcome, from a normal approximation to the posterior that each outcome updates.

use super::comparison::{Comparison, Point};
use super::ties::Ties;

/// A normal approximation to the posterior of strengths and position effect, and apart from it of ln ν.
#[derive(Debug, Clone)]
pub(super) struct Prediction {
    mean: Vec<f64>,
    covariance: Covariance,
    ties: Ties,
    /// Mean and variance of ln ν, where ties are possible.
    tie: Option<(f64, f64)>,
    /// ln of the likelihood of all outcomes under the predictions before them.
    pub(super) ln_likelihood: f64,
}

/// Whole matrices cost time in the square of the number of arms for each outcome.
const MOST_ARMS_WITH_COVARIANCES: usize = 64;

#[derive(Debug, Clone)]
enum Covariance {
    /// Row by row.
    Full(Vec<f64>),
    Diagonal(Vec<f64>),
}

/// Nodes and weights for expectations of functions of a standard normal: Gauss and Hermite, five nodes.
const NODES: [(f64, f64); 5] = [
    (0.0, 0.533_333_333_333_333_3),
    (1.355_626_179_974_265_8, 0.222_075_922_005_612_64),
    (-1.355_626_179_974_265_8, 0.222_075_922_005_612_64),
    (2.856_970_013_872_806, 0.011_257_411_327_720_69),
    (-2.856_970_013_872_806, 0.011_257_411_327_720_69),
];

/// The standard deviation of the prior of the position effect.
const POSITION_SCALE: f64 = 0.3;

impl Prediction {
    pub(super) fn new(arms: usize, ties: Ties, scale: f64, possible: bool) -> Self {
        let size = arms + 1;
        let variance = |place: usize| if place < arms { scale * scale } else { POSITION_SCALE * POSITION_SCALE };
        let covariance = if arms <= MOST_ARMS_WITH_COVARIANCES {
            let mut covariance = vec![0.0; size * size];
            (0..size).for_each(|place| covariance[place * size + place] = variance(place));
            Covariance::Full(covariance)
        } else {
            Covariance::Diagonal((0..size).map(variance).collect())
        };
        Self { mean: vec![0.0; size], covariance, ties, tie: possible.then_some((-0.5, 1.0)), ln_likelihood: 0.0 }
    }

    /// Adds the likelihood of the outcome under the prediction, then learns from it.
    pub(super) fn learn(&mut self, comparison: &Comparison) {
        let &Comparison { first, second, position, point, .. } = comparison;
        let last_index = self.mean.len() - 1;
        let direction = [(first, 1.0), (second, -1.0), (last_index, position)];
        let mean: f64 = direction.iter().map(|(place, factor)| self.mean[*place] * factor).sum();
        let product = self.covariance.times(&direction);
        let variance_of_difference: f64 = match &product {
            DirectionProduct::All(all) => direction.iter().map(|(place, factor)| all[*place] * factor).sum(),
            DirectionProduct::Few(few) => few.iter().zip(&direction).map(|(value, (_, factor))| value * factor).sum(),
        };
        self.ln_likelihood += self.ln_predicted(mean, variance_of_difference, point);
        if self.ln_likelihood == f64::NEG_INFINITY {
            return;
        }
        let terms = self.ties.terms(&comparison.cell(), mean, self.tie.map_or(f64::NEG_INFINITY, |(mean, _)| mean));
        let gain = 1.0 / (1.0 + terms.curvature * variance_of_difference);
        match &product {
            DirectionProduct::All(all) => {
                self.mean.iter_mut().zip(all).for_each(|(mean, value)| *mean += value * gain * terms.slope);
            }
            DirectionProduct::Few(few) => {
                for ((place, _), value) in direction.iter().zip(few) {
                    self.mean[*place] += value * gain * terms.slope;
                }
            }
        }
        self.covariance.subtract(&direction, &product, terms.curvature * gain);
        if let Some((mean, variance)) = &mut self.tie {
            let gain = 1.0 / (1.0 + terms.tie_curvature * *variance);
            *mean += *variance * gain * terms.tie_slope;
            *variance *= gain;
        }
    }

    fn ln_predicted(&self, mean: f64, variance: f64, point: Point) -> f64 {
        let tie = self.tie.map_or(0.0, |(mean, _)| libm::exp(mean));
        let deviation = libm::sqrt(variance.max(0.0));
        let mut expected = [0.0; 3];
        for (node, weight) in NODES {
            let probabilities = self.ties.probabilities(mean + deviation * node, tie);
            expected.iter_mut().zip(probabilities).for_each(|(sum, p)| *sum += weight * p);
        }
        let [win, loss, tie_weight] = expected;
        match point {
            Point::Tie => libm::log(tie_weight),
            Point::Share(1.0) => libm::log(win),
            Point::Share(0.0) => libm::log(loss),
            Point::Share(share) => share * libm::log(win) + (1.0 - share) * libm::log(loss),
        }
    }
}

/// A covariance times a direction: all entries, or those of the direction.
enum DirectionProduct {
    All(Vec<f64>),
    Few([f64; 3]),
}

impl Covariance {
    fn times(&self, direction: &[(usize, f64); 3]) -> DirectionProduct {
        match self {
            Self::Full(full) => {
                let size = full.len().isqrt();
                let mut result = vec![0.0; size];
                for &(place, factor) in direction.iter().filter(|(_, factor)| *factor != 0.0) {
                    let row = &full[place * size..(place + 1) * size];
                    result.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
                }
                DirectionProduct::All(result)
            }
            Self::Diagonal(variances) => {
                DirectionProduct::Few(direction.map(|(place, factor)| factor * variances[place]))
            }
        }
    }

    /// Takes `factor` times the square of `product` away.
    fn subtract(&mut self, direction: &[(usize, f64); 3], product: &DirectionProduct, factor: f64) {
        match (self, product) {
            (Self::Full(full), DirectionProduct::All(all)) => {
                for (row, value) in full.chunks_mut(all.len()).zip(all) {
                    let scaled = factor * value;
                    row.iter_mut().zip(all).for_each(|(entry, other)| *entry -= scaled * other);
                }
            }
            (Self::Diagonal(variances), DirectionProduct::Few(few)) => {
                for (&(place, _), value) in direction.iter().zip(few) {
                    variances[place] -= factor * value * value;
                }
            }
            _ => unreachable!("a direction is as whole as its covariance"),
        }
    }
}
