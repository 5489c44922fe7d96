//! Means over units by a model's labels of everything and people's labels of a sample: prediction-powered, with a tuned weight of the model.
//!
//! *Units* were sampled independently, e.g. queries; of each, a value is wanted. The model gives the value F of every unit. In m of
//! the M units people labelled a random sample of the terms that the value sums: with these alone, expanded to the whole, people say Y, the
//! model says f, and a value that is 1 everywhere would be c where it is W for the whole unit. Then
//!
//! mean = λ (mean over all M units of F) + mean over the m labelled units of (Y' - λ f'),
//!
//! where Y' = Y - (sum of Y / sum of c) (c - W), and f' in the same way: a sample that happens to hold much weight is not mistaken for a large value
//! (the ratio estimator of sampling theory). If people labelled whole units, f = F and c = W, and this is PPI++ for means. λ = 0 is people
//! alone, by the ratio estimator.
//!
//! One λ in [0, 1] serves all means that are estimated together, e.g. of several rankers, such that differences of means are differences of their
//! estimates. It has the least sum of their variances. Where the sum of the squares of their errors, which count that λ is estimated, is larger
//! than that of people alone, λ is 0.
//!
//! Errors are those of the delete-one jackknife over labelled units, which redoes the ratios and λ without each of them, and of the mean of F
//! over units without labels. So they are of a population of units. Quantiles are Student's with m - 1 degrees of freedom.
//!
//! ## References
//!
//! * A. N. Angelopoulos, J. C. Duchi, T. Zrnic, "PPI++: Efficient Prediction-Powered Inference", 2023, <https://arxiv.org/abs/2311.01453>. Its
//!   λ weighs the units without labels against those with; λ here is that times M / (M - m).
//! * W. G. Cochran, *Sampling Techniques*, 3rd edition, Wiley, 1977, chapters 6 and 11: ratio estimates, and sampling in two stages.
//! * B. Efron, C. Stein, "The Jackknife Estimate of Variance", Annals of Statistics 9(3), 1981, <https://doi.org/10.1214/aos/1176345462>.

mod moments;
#[cfg(test)]
mod tests;

use self::moments::{MeanMoments, Moments, PEOPLE, SAMPLE, rest_variance};
use crate::StatisticsError;
use crate::special_functions::student_outside;

/// The data on one unit and one mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartlyLabelled {
    /// F: the value by the model's labels.
    pub predicted: f64,
    /// `None` if people labelled nothing of the unit. Of all means or of none.
    pub sample: Option<LabelledSample>,
}

/// People's labels of a sample of a unit, expanded to the whole unit: sums over the sample, divided by the share that was drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledSample {
    /// Y: the value by people's labels.
    pub people: f64,
    /// f: the value by the model's labels of the same.
    pub predicted: f64,
    /// c: the weight.
    pub weight: f64,
    /// W: the weight of the whole unit, which needs no labels.
    pub whole_weight: f64,
}

impl LabelledSample {
    /// The sample of a unit that people labelled wholly, with the value `people`; the model's value is `predicted`.
    #[must_use]
    pub fn of_whole_unit(people: f64, predicted: f64) -> Self {
        Self { people, predicted, weight: 1.0, whole_weight: 1.0 }
    }
}

/// An estimate with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The degrees of freedom: one less than the labelled units.
    pub freedom: usize,
}

impl Estimate {
    /// The interval at confidence 1 - `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn interval(&self, alpha: f64) -> Result<(f64, f64), StatisticsError> {
        super::student::interval(self.value, self.standard_error, self.freedom, alpha)
    }

    /// The estimate in standard errors; 0 if it is 0, infinite if it is not and the error is.
    #[must_use]
    pub fn t(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { self.value / self.standard_error }
    }

    /// The two-sided p-value of the value 0.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        student_outside(self.t(), self.freedom as f64)
    }
}

/// The weight λ of a model in [0, 1] with the least variance V0 - 2 `slope` λ + `curvature` λ².
pub(crate) fn tuned_lambda(slope: f64, curvature: f64) -> f64 {
    if curvature > 0.0 { (slope / curvature).clamp(0.0, 1.0) } else { 0.0 }
}

/// Means that were estimated together.
///
/// ```
/// use statistics::fixed_sample::{LabelledSample, PartlyLabelled, PredictionPoweredMeans};
///
/// // People labelled four of eight units wholly; the model rates all of them .1 too high.
/// let people = [0.3, 0.5, 0.2, 0.8];
/// let unit = |at: usize| {
///     let predicted = [0.4, 0.6, 0.3, 0.9, 0.5, 0.7, 0.2, 0.6][at];
///     let sample = people.get(at).map(|&people| LabelledSample::of_whole_unit(people, predicted));
///     PartlyLabelled { predicted, sample }
/// };
/// let means = PredictionPoweredMeans::new(&[(0..8).map(unit).collect()], None)?;
/// let (corrected, alone) = (means.mean(0), means.estimate_by_people(0));
/// assert!((corrected.value - 0.425).abs() < 1e-9, "the mean over all units, .525, without the .1");
/// assert!(corrected.standard_error < alone.standard_error && means.lambda() == 1.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionPoweredMeans {
    lambda: f64,
    /// The number of labelled units.
    labelled: usize,
    means: Vec<Mean>,
}

/// One of the means.
#[derive(Debug, Clone, PartialEq)]
struct Mean {
    /// The values of all units by the model.
    predicted: Vec<f64>,
    corrected: JackknifedStatistic,
    people: JackknifedStatistic,
    /// The model's excess over people.
    excess: JackknifedStatistic,
}

/// A statistic, and its value without each of the labelled units.
#[derive(Debug, Clone, PartialEq)]
struct JackknifedStatistic {
    value: f64,
    values_without: Vec<f64>,
}

/// The λ with the least sum of variances.
fn least_variance_lambda(means: &[MeanMoments], moments: impl Fn(&MeanMoments) -> Moments) -> f64 {
    let (slope, curvature) = means.iter().fold((0.0, 0.0), |sum: (f64, f64), mean| {
        let (slope, curvature) = mean.variance_derivatives(&moments(mean));
        (sum.0 + slope, sum.1 + curvature)
    });
    tuned_lambda(slope, curvature)
}

impl JackknifedStatistic {
    fn minus(&self, other: &Self) -> Self {
        let values_without =
            self.values_without.iter().zip(&other.values_without).map(|(one, other)| one - other).collect();
        Self { value: self.value - other.value, values_without }
    }

    /// With another independent part of the variance.
    fn estimate(&self, unlabelled_variance: f64) -> Estimate {
        let count = self.values_without.len() as f64;
        let mean = self.values_without.iter().sum::<f64>() / count;
        let squares: f64 = self.values_without.iter().map(|value| (value - mean) * (value - mean)).sum();
        let standard_error = libm::sqrt((count - 1.0) / count * squares + unlabelled_variance);
        Estimate { value: self.value, standard_error, freedom: self.values_without.len() - 1 }
    }
}

impl PredictionPoweredMeans {
    /// Estimates several means over the same units: `means[i][u]` has the data on unit u and mean i. λ is given, in [0, 1], or chosen.
    ///
    /// # Errors
    /// If the lists differ in length or in which units people labelled, fewer than two units have labels, or fewer than two of them weigh
    /// anything for a mean, a value is not finite, or λ is out of range.
    pub fn new(means: &[Vec<PartlyLabelled>], lambda: Option<f64>) -> Result<Self, StatisticsError> {
        if let Some(value) = lambda.filter(|lambda| !(0.0..=1.0).contains(lambda)) {
            return Err(StatisticsError::OutOfRange { what: "lambda", value, range: "[0, 1]" });
        }
        check(means)?;
        let prepared: Vec<MeanMoments> = means.iter().map(|of_mean| MeanMoments::new(of_mean)).collect();
        let tuned = Self::of(&prepared, lambda);
        // λ is estimated: a model that says little can cost more than it gives.
        let total = |error: fn(&Self, usize) -> Estimate| -> f64 {
            (0..tuned.len()).map(|mean| error(&tuned, mean).standard_error).map(|error| error * error).sum()
        };
        let costs = lambda.is_none() && total(Self::mean) > total(Self::estimate_by_people);
        Ok(if costs { Self::of(&prepared, Some(0.0)) } else { tuned })
    }

    fn of(prepared: &[MeanMoments], lambda: Option<f64>) -> Self {
        let labelled = prepared.first().map_or(0, |mean| mean.units.len());
        let tune = |moments: &dyn Fn(&MeanMoments) -> Moments| {
            lambda.unwrap_or_else(|| least_variance_lambda(prepared, moments))
        };
        let chosen = tune(&|mean| mean.moments.clone());
        // Without each labelled unit: λ, and then every estimate.
        let without: Vec<f64> =
            (0..labelled).map(|unit| tune(&|mean| mean.moments.leave_out(&mean.units[unit]))).collect();
        let jackknifed = |mean: &MeanMoments, statistic: &dyn Fn(&Moments, f64) -> f64| JackknifedStatistic {
            value: statistic(&mean.moments, chosen),
            values_without: (mean.units.iter().zip(&without))
                .map(|(unit, &lambda)| statistic(&mean.moments.leave_out(unit), lambda))
                .collect(),
        };
        let finish = |mean: &MeanMoments| Mean {
            predicted: mean.predicted.clone(),
            corrected: jackknifed(mean, &|moments, lambda| mean.corrected_mean(moments, lambda)),
            people: jackknifed(mean, &|moments, _| moments.ratio_estimate(PEOPLE)),
            excess: jackknifed(mean, &|moments, _| moments.ratio_estimate(SAMPLE) - moments.ratio_estimate(PEOPLE)),
        };
        Self { lambda: chosen, labelled, means: prepared.iter().map(finish).collect() }
    }

    /// λ: how much the model counts, 0 to 1.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The number of means.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.means.len()
    }

    /// The number of units with labels.
    #[must_use]
    pub fn labelled(&self) -> usize {
        self.labelled
    }

    /// The corrected mean number `mean`.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn mean(&self, mean: usize) -> Estimate {
        let Mean { corrected, predicted, .. } = &self.means[mean];
        corrected.estimate(self.lambda * self.lambda * rest_variance(predicted, self.labelled))
    }

    /// The difference of two corrected means, first minus second.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn difference(&self, first: usize, second: usize) -> Estimate {
        let [first, second] = [first, second].map(|mean| &self.means[mean]);
        let predicted: Vec<f64> =
            first.predicted.iter().zip(&second.predicted).map(|(one, other)| one - other).collect();
        let unlabelled_variance = self.lambda * self.lambda * rest_variance(&predicted, self.labelled);
        first.corrected.minus(&second.corrected).estimate(unlabelled_variance)
    }

    /// The estimate of a mean from people alone.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn estimate_by_people(&self, mean: usize) -> Estimate {
        self.means[mean].people.estimate(0.0)
    }

    /// The value of a mean by the model alone: its error cannot be known without people.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn value_by_model(&self, mean: usize) -> f64 {
        let predicted = &self.means[mean].predicted;
        predicted.iter().sum::<f64>() / predicted.len() as f64
    }

    /// By how much the model rates a mean higher than people do, beyond its average excess over all means.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn favour(&self, mean: usize) -> Estimate {
        let count = self.means.len() as f64;
        let average = JackknifedStatistic {
            value: self.means.iter().map(|mean| mean.excess.value).sum::<f64>() / count,
            values_without: (0..self.labelled)
                .map(|unit| self.means.iter().map(|mean| mean.excess.values_without[unit]).sum::<f64>() / count)
                .collect(),
        };
        self.means[mean].excess.minus(&average).estimate(0.0)
    }

    /// By how much the model rates a mean higher than people do.
    ///
    /// # Panics
    /// If there is no such mean.
    #[must_use]
    pub fn excess(&self, mean: usize) -> Estimate {
        self.means[mean].excess.estimate(0.0)
    }
}

fn check(means: &[Vec<PartlyLabelled>]) -> Result<(), StatisticsError> {
    let Some(first) = means.first() else {
        return Err(StatisticsError::TooFew { what: "means", found: 0, needed: 1 });
    };
    let labelled = first.iter().filter(|unit| unit.sample.is_some()).count();
    if labelled < 2 {
        return Err(StatisticsError::TooFew { what: "units with labels", found: labelled, needed: 2 });
    }
    for of_mean in means {
        if of_mean.len() != first.len() {
            return Err(StatisticsError::UnequalLengths { first: first.len(), second: of_mean.len() });
        }
        assert!(
            of_mean.iter().zip(first).all(|(one, other)| one.sample.is_some() == other.sample.is_some()),
            "the same units have labels for every mean"
        );
        let samples = || of_mean.iter().filter_map(|unit| unit.sample);
        let values = samples().flat_map(|sample| [sample.people, sample.predicted, sample.weight, sample.whole_weight]);
        if let Some(value) = of_mean.iter().map(|unit| unit.predicted).chain(values).find(|value| !value.is_finite()) {
            return Err(StatisticsError::OutOfRange { what: "a value", value, range: "finite numbers" });
        }
        let found = samples().filter(|sample| sample.weight > 0.0).count();
        if found < 2 && samples().any(|sample| sample.whole_weight > 0.0) {
            return Err(StatisticsError::TooFew { what: "units with labels that weigh anything", found, needed: 2 });
        }
    }
    Ok(())
}
