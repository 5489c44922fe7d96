//! Measures of runs by a model's labels of all documents, corrected by people's labels of some.
//!
//! The unit is the query: the errors refer to the population that these queries are a sample of, as in paired tests. Within a query, the
//! population is the documents that the model judged; a retrieved document that it did not judge is not relevant. People's labels are taken for a
//! uniform random sample: of the queries, and within a query of its population, so that a label stands for N / n documents.
//!
//! * Linear measures ([`Measure::is_linear`]) take every query with some labels of people.
//! * The others take the queries with all documents of the population labelled by people; the model's labels of the other queries correct
//!   for the choice of queries.
//!
//! [`PredictionPoweredMeans`] has the estimates and their errors.

mod agreement;
mod report;

use anyhow::{Result, ensure};
use letor_io::{Dataset, Gold};
use rankers::{GoldValue, Measure, Measurement};
use serde::Serialize;
use statistics::fixed_sample::{
    Estimate, LabelledSample, PValueCorrection, PartlyLabelled, PredictionPoweredMeans, holm,
};

use self::agreement::Agreement;
use super::LEVEL;
use super::measures::{MeasureTests, TestSettings};
use super::pair_test::{AdjustedPValue, LabelCorrection, PairTest};
use super::paired_test::PairedTest;

/// The fewest queries that people's labels have to cover: with fewer, an interval is useless or too narrow.
const MIN_JUDGED_QUERIES: usize = 5;

/// From this many standard errors on, labels are reported to lean to documents that runs rank high.
const LEANS: f64 = 4.0;

/// Measures by a model's labels, corrected by people's.
#[derive(Debug, Clone, Serialize)]
pub struct JudgedMeasures {
    /// Judged queries.
    pub queries: usize,
    /// People's labels of documents that the model judged too.
    pub agreement: Agreement,
    /// People's labels of documents that the model did not judge: they are not used.
    pub labels_outside: usize,
    #[serde(skip)]
    first_outside: Option<(String, String)>,
    /// How far people's labels are from a random sample, where they are further than chance explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaning: Option<LeaningLabels>,
    /// In the requested order.
    pub measures: Vec<JudgedMeasure>,
}

/// One measure of all runs.
#[derive(Debug, Clone, Serialize)]
pub struct JudgedMeasure {
    /// As `ir_measures` writes it.
    pub measure: String,
    /// Whether people's labels count document by document.
    pub linear: bool,
    /// The queries that people's labels cover: in part if the measure is linear, else wholly.
    pub labelled_queries: usize,
    /// How much the model counts, 0 to 1.
    pub lambda: f64,
    /// By arm.
    pub runs: Vec<JudgedMean>,
    #[serde(skip)]
    means: PredictionPoweredMeans,
}

/// The mean of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedMean {
    /// Corrected.
    pub mean: f64,
    /// The standard error of `mean`.
    pub standard_error: f64,
    /// Its 95% interval.
    pub interval: (f64, f64),
    /// By the model alone.
    pub model: f64,
    /// By people alone, with its standard error and 95% interval.
    pub people: f64,
    /// The standard error of `people`.
    pub people_standard_error: f64,
    /// Its 95% interval.
    pub people_interval: (f64, f64),
    /// On how many times as many queries people alone would need labels for the standard error of `mean`; null if that is 0.
    pub gain: Option<f64>,
    /// By how much the model rates this run higher than people do, less the average over all runs, with its standard error.
    pub favour: f64,
    /// The standard error of `favour`.
    pub favour_standard_error: f64,
    /// The p-value of "the model favours this run no more than others", after Holm's correction for all runs.
    pub favour_p: f64,
}

/// Labels of people that hold more, or less, of what weighs in a measure than a random sample would.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeaningLabels {
    /// The measure.
    pub measure: String,
    /// The arm of the run.
    pub run: usize,
    /// The weight that the labels hold, over that of a random sample of as many.
    pub ratio: f64,
    /// The difference from a random sample in standard errors.
    pub z: f64,
}

impl JudgedMeasures {
    /// Corrects `measures`, those of `measurement` from number `skipped` on.
    ///
    /// # Errors
    /// If people's labels cover fewer than five queries for a measure, or for what a run shows.
    ///
    /// # Panics
    /// If the data set has no labels of people.
    pub fn of(measurement: &Measurement<'_>, dataset: &Dataset, measures: &[Measure], skipped: usize) -> Result<Self> {
        let gold: &Gold = dataset.runs().and_then(letor_io::Runs::gold).expect("labels of people");
        let mut largest: Option<LeaningLabels> = None;
        let mut corrected = Vec::new();
        for (measure_index, measure) in measures.iter().enumerate() {
            let values = measurement.gold(skipped + measure_index);
            if let Some(leaning) = LeaningLabels::of(measure, &values)
                && largest.as_ref().is_none_or(|largest| leaning.z.abs() > largest.z.abs())
            {
                largest = Some(leaning);
            }
            let predicted = measurement.per_query();
            let means: Vec<Vec<PartlyLabelled>> = values
                .iter()
                .zip(predicted)
                .map(|(of_arm, predicted)| units(of_arm, &predicted[skipped + measure_index]))
                .collect();
            check(measure, &means)?;
            corrected.push(JudgedMeasure::new(measure, PredictionPoweredMeans::new(&means, None)?)?);
        }
        let first_outside = gold.first_outside().map(|(query, document)| (query.to_owned(), document.to_owned()));
        Ok(Self {
            queries: measurement.queries(),
            agreement: Agreement::of(dataset, gold),
            labels_outside: gold.labels_outside(),
            first_outside,
            leaning: largest,
            measures: corrected,
        })
    }

    /// The corrected means, by arm and measure.
    #[must_use]
    pub fn means(&self, arm: usize) -> Vec<f64> {
        self.measures.iter().map(|measure| measure.runs[arm].mean).collect()
    }

    /// Student's tests of all pairs by all measures. `None` with fewer than two runs.
    ///
    /// # Errors
    /// None that can happen: p-values are in range.
    pub fn tests(&self, correction: PValueCorrection) -> Result<Option<MeasureTests>> {
        let pairs = |measure: &JudgedMeasure| {
            let arms = measure.runs.len();
            let pairs = (0..arms).flat_map(move |one| (one + 1..arms).map(move |other| (one, other)));
            pairs.map(|(one, other)| measure.test(one, other)).collect::<Vec<_>>()
        };
        let tests: Vec<PairTest> = self.measures.iter().flat_map(pairs).collect::<Result<_>>()?;
        MeasureTests::corrected_within_measures(self.queries, TestSettings { test: PairedTest::T, correction }, tests)
    }
}

impl JudgedMeasure {
    fn new(measure: &Measure, means: PredictionPoweredMeans) -> Result<Self> {
        let arms = 0..means.len();
        let p: Vec<f64> = arms.clone().map(|arm| means.favour(arm).p_value()).collect();
        let p = holm(&p)?;
        let of_arm = |arm: usize| {
            let (mean, people, favour) = (means.mean(arm), means.estimate_by_people(arm), means.favour(arm));
            let gain = people.standard_error / mean.standard_error;
            Ok(JudgedMean {
                mean: mean.value,
                standard_error: mean.standard_error,
                interval: mean.interval(LEVEL)?,
                model: means.value_by_model(arm),
                people: people.value,
                people_standard_error: people.standard_error,
                people_interval: people.interval(LEVEL)?,
                gain: Some(gain * gain).filter(|gain| gain.is_finite()),
                favour: favour.value,
                favour_standard_error: favour.standard_error,
                favour_p: p[arm],
            })
        };
        Ok(Self {
            measure: measure.to_string(),
            linear: measure.is_linear(),
            labelled_queries: means.labelled(),
            lambda: means.lambda(),
            runs: arms.map(of_arm).collect::<Result<_>>()?,
            means,
        })
    }

    fn test(&self, run_a: usize, run_b: usize) -> Result<PairTest> {
        let [mean_a, mean_b] = [run_a, run_b].map(|arm| self.runs[arm].mean);
        let (first, second, means) =
            if mean_b > mean_a { (run_b, run_a, [mean_b, mean_a]) } else { (run_a, run_b, [mean_a, mean_b]) };
        let difference: Estimate = self.means.difference(first, second);
        Ok(PairTest {
            measure: self.measure.clone(),
            first,
            second,
            means,
            difference: difference.value,
            standard_error: difference.standard_error,
            interval: difference.interval(LEVEL)?,
            t: Some(difference.t()).filter(|t| t.is_finite()),
            p: difference.p_value(),
            adjusted_p: AdjustedPValue::Holm(difference.p_value()),
            is_opposed: false,
            corrected: Some(LabelCorrection { labelled_queries: self.labelled_queries, lambda: self.lambda }),
        })
    }
}

/// The values of each query for one run.
fn units(values: &[Option<GoldValue>], predicted: &[f64]) -> Vec<PartlyLabelled> {
    let sample = |value: GoldValue| {
        let GoldValue { people, model, weight, whole_weight, .. } = value;
        LabelledSample { people, predicted: model, weight, whole_weight }
    };
    let unit =
        |(value, &predicted): (&Option<GoldValue>, &f64)| PartlyLabelled { predicted, sample: value.map(sample) };
    values.iter().zip(predicted).map(unit).collect()
}

/// Refuses a measure with too few labels of people.
fn check(measure: &Measure, means: &[Vec<PartlyLabelled>]) -> Result<()> {
    let of_arm = |of_arm: &Vec<PartlyLabelled>| {
        let samples = || of_arm.iter().filter_map(|unit| unit.sample);
        let weighing = samples().filter(|sample| sample.weight > 0.0).count();
        // A run that shows no judged document has value 0 whatever the labels.
        (
            samples().count(),
            if samples().any(|sample| sample.whole_weight > 0.0) { weighing } else { MIN_JUDGED_QUERIES },
        )
    };
    let counts: Vec<(usize, usize)> = means.iter().map(of_arm).collect();
    let labelled = counts.first().map_or(0, |(labelled, _)| *labelled);
    let queries = means.first().map_or(0, Vec::len);
    if !measure.is_linear() {
        ensure!(
            labelled >= MIN_JUDGED_QUERIES,
            "{measure} is not a sum over documents, so it needs queries of which people judged every document that the model \
             judged: found {labelled} of {queries}, expected {MIN_JUDGED_QUERIES} or more; measure P@10 or RBP, or have people judge whole \
             queries"
        );
    }
    ensure!(
        labelled >= MIN_JUDGED_QUERIES,
        "people judged documents of {labelled} of {queries} queries, expected {MIN_JUDGED_QUERIES} or more: have more queries judged"
    );
    let weighing = counts.iter().map(|(_, weighing)| *weighing).min().unwrap_or(0);
    ensure!(
        weighing >= MIN_JUDGED_QUERIES,
        "{measure} of a run rests on people's labels of {weighing} of {queries} queries, because the other labels are of documents \
         that it does not show high enough, expected {MIN_JUDGED_QUERIES} or more: have more documents judged, or measure deeper"
    );
    Ok(())
}

impl LeaningLabels {
    /// The run with the greatest difference from a random sample, if that is more than chance explains.
    fn of(measure: &Measure, values: &[Vec<Option<GoldValue>>]) -> Option<Self> {
        let of_run = |(run, of_arm): (usize, &Vec<Option<GoldValue>>)| {
            let sum = |part: fn(&GoldValue) -> f64| of_arm.iter().flatten().map(part).sum::<f64>();
            let [weight, total_weight, variance] =
                [sum(|value| value.weight), sum(|value| value.whole_weight), sum(|value| value.variance)];
            let z = (weight - total_weight) / variance.sqrt();
            Self { measure: measure.to_string(), run, ratio: weight / total_weight, z }
        };
        let leaning = values.iter().enumerate().map(of_run).filter(|leaning| leaning.z.is_finite());
        leaning.max_by(|one, other| one.z.abs().total_cmp(&other.z.abs())).filter(|most| most.z.abs() > LEANS)
    }
}
