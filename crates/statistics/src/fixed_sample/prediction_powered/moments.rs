//! Means and covariances of the data on labelled units, and the estimate of one mean from them.

use super::{LabelledSample, PartlyLabelled};

/// The variables of a labelled unit: Y, f, c - W, F, c and W.
pub(super) const VARIABLES: usize = 6;
pub(super) const PEOPLE: usize = 0;
pub(super) const SAMPLE: usize = 1;
const SURPLUS: usize = 2;
const MODEL: usize = 3;
const WEIGHT: usize = 4;
const ALL_UNITS: usize = 5;

/// Means and sums of centred products of the variables of labelled units.
#[derive(Debug, Clone)]
pub(super) struct Moments {
    count: f64,
    mean: [f64; VARIABLES],
    product: [[f64; VARIABLES]; VARIABLES],
}

impl Moments {
    fn of(units: &[[f64; VARIABLES]]) -> Self {
        let count = units.len() as f64;
        let mean = std::array::from_fn(|at| units.iter().map(|unit| unit[at]).sum::<f64>() / count);
        let mut moments = Self { count, mean, product: [[0.0; VARIABLES]; VARIABLES] };
        units.iter().for_each(|unit| moments.add_product(unit, 1.0));
        moments
    }

    fn add_product(&mut self, unit: &[f64; VARIABLES], factor: f64) {
        let centred: [f64; VARIABLES] = std::array::from_fn(|at| unit[at] - self.mean[at]);
        for (row, row_value) in self.product.iter_mut().zip(centred) {
            row.iter_mut().zip(centred).for_each(|(cell, right)| *cell += factor * row_value * right);
        }
    }

    /// Without one of its units.
    pub(super) fn leave_out(&self, unit: &[f64; VARIABLES]) -> Self {
        let mut remaining = self.clone();
        remaining.add_product(unit, -self.count / (self.count - 1.0));
        remaining.count -= 1.0;
        remaining.mean = std::array::from_fn(|at| self.mean[at] - (unit[at] - self.mean[at]) / remaining.count);
        remaining
    }

    /// A variable per weight.
    fn ratio(&self, variable: usize) -> f64 {
        if self.mean[WEIGHT] == 0.0 { 0.0 } else { self.mean[variable] / self.mean[WEIGHT] }
    }

    /// The mean of a variable by the ratio estimator.
    pub(super) fn ratio_estimate(&self, variable: usize) -> f64 {
        self.ratio(variable) * self.mean[ALL_UNITS]
    }

    /// The covariance of the means of two sums of variables with these weights.
    fn covariance(&self, a: &[f64; VARIABLES], b: &[f64; VARIABLES]) -> f64 {
        let product = |(row, weight): (&[f64; VARIABLES], &f64)| {
            weight * row.iter().zip(b).map(|(cell, weight)| cell * weight).sum::<f64>()
        };
        self.product.iter().zip(a).map(product).sum::<f64>() / (self.count * (self.count - 1.0))
    }
}

/// One of the means before λ is known.
pub(super) struct MeanMoments {
    pub(super) units: Vec<[f64; VARIABLES]>,
    pub(super) moments: Moments,
    pub(super) predicted: Vec<f64>,
    /// The share of units with labels, π.
    share: f64,
    /// The mean of F over units without labels, and its variance: both times 1 - π, as they enter the estimate.
    unlabelled: (f64, f64),
}

impl MeanMoments {
    pub(super) fn new(of_mean: &[PartlyLabelled]) -> Self {
        let variables = |unit: &PartlyLabelled| {
            let LabelledSample { people, predicted, weight, whole_weight } = unit.sample?;
            Some([people, predicted, weight - whole_weight, unit.predicted, weight, whole_weight])
        };
        let units: Vec<[f64; VARIABLES]> = of_mean.iter().filter_map(variables).collect();
        let predicted: Vec<f64> = of_mean.iter().map(|unit| unit.predicted).collect();
        let leave_one_out: Vec<f64> =
            of_mean.iter().filter(|unit| unit.sample.is_none()).map(|unit| unit.predicted).collect();
        let share = units.len() as f64 / of_mean.len() as f64;
        let unlabelled_share = 1.0 - share;
        let mean = leave_one_out.iter().sum::<f64>() / leave_one_out.len().max(1) as f64;
        let unlabelled = (unlabelled_share * mean, rest_variance(&predicted, units.len()));
        Self { moments: Moments::of(&units), units, predicted, share, unlabelled }
    }

    /// The slope and the curvature in λ of the variance, with these moments.
    pub(super) fn variance_derivatives(&self, moments: &Moments) -> (f64, f64) {
        let mut people = [0.0; VARIABLES];
        (people[PEOPLE], people[SURPLUS]) = (1.0, -moments.ratio(PEOPLE));
        let mut model = [0.0; VARIABLES];
        (model[SAMPLE], model[SURPLUS], model[MODEL]) = (1.0, -moments.ratio(SAMPLE), -self.share);
        (moments.covariance(&people, &model), moments.covariance(&model, &model) + self.unlabelled.1)
    }

    pub(super) fn corrected_mean(&self, moments: &Moments, lambda: f64) -> f64 {
        let correction = moments.ratio_estimate(SAMPLE) - self.share * moments.mean[MODEL] - self.unlabelled.0;
        moments.ratio_estimate(PEOPLE) - lambda * correction
    }
}

/// The variance that the mean of `predicted` over the units without labels has in an estimate, before λ²: (1 - π)² times that of the mean. The
/// variance of a unit is taken over all units; the labelled ones are a sample of them.
pub(super) fn rest_variance(predicted: &[f64], labelled: usize) -> f64 {
    let (total, unlabelled) = (predicted.len() as f64, (predicted.len() - labelled) as f64);
    let mean = predicted.iter().sum::<f64>() / total;
    let squares: f64 = predicted.iter().map(|value| (value - mean) * (value - mean)).sum();
    squares / (total - 1.0) * unlabelled / (total * total)
}
