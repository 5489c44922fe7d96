//! Measures by people's labels of some documents, beside a model's labels of all.
//!
//! A measure is *linear* if it is a sum over documents of a weight, which the list gives, times a gain, which the label gives: P and RBP. Labels of a
//! random sample of a query's documents then estimate its value. The others divide by what all labels give, or stop at the first
//! relevant document: they need every label of a query.

use letor_io::GoldQuery;
use rayon::prelude::*;

use super::{Measure, MeasureKind, Measurement};
use crate::Gain;
use crate::expectation::document_weights;

/// The value of one list by people's labels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GoldValue {
    /// The value by people's labels of the sample, expanded to all documents that the model judged.
    pub people: f64,
    /// The value by the model's labels of the same documents, expanded.
    pub model: f64,
    /// The weight of the same documents, expanded.
    pub weight: f64,
    /// The weight of all documents that the model judged.
    pub whole_weight: f64,
    /// The variance that `weight` has if every sample of as many documents is as likely as any other.
    pub variance: f64,
}

impl GoldValue {
    /// The value 0 of a query that people labelled wholly.
    const WHOLE: Self = Self { people: 0.0, model: 0.0, weight: 1.0, whole_weight: 1.0, variance: 0.0 };
}

impl Measure {
    /// Whether it is a sum over documents of a weight, which the list gives, times a gain, which the label gives.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        matches!(self.kind, MeasureKind::Precision { .. } | MeasureKind::RankBiasedPrecision { .. })
    }

    /// The gain of `label` where the highest label is `highest`. Of measures that are not linear, 0.
    fn linear_gain(&self, label: f32, highest: f64) -> f64 {
        let from = |rel: u32| f64::from(u8::from(f64::from(label) >= f64::from(rel)));
        match self.kind {
            MeasureKind::Precision { rel } | MeasureKind::RankBiasedPrecision { rel: Some(rel), .. } => from(rel),
            MeasureKind::RankBiasedPrecision { rel: None, .. } => {
                Gain::Linear.of(label) / highest.max(f64::MIN_POSITIVE)
            }
            _ => 0.0,
        }
    }
}

impl Measurement<'_> {
    /// The values of measure number `measure` by people's labels, for each arm and each of the [`queries`](Self::queries): `None` where
    /// they labelled nothing of the query or, if the measure is not [linear](Measure::is_linear), not every document that the model judged.
    /// Queries without documents have value 0.
    ///
    /// # Panics
    /// If the data set has no labels of people ([`Runs::gold`](letor_io::Runs::gold)), or there is no such measure.
    #[must_use]
    pub fn gold(&self, measure: usize) -> Vec<Vec<Option<GoldValue>>> {
        let gold = self.rankings.dataset().runs().and_then(|runs| runs.gold()).expect("labels of people");
        let is_linear = self.measures[measure].measure.is_linear();
        let counts = |query: &GoldQuery| if is_linear { query.labelled() > 0 } else { query.is_whole() };
        let of_query = |query: usize| {
            let of_query = gold.query(query);
            let values = if is_linear { Self::estimate_from_sample } else { Self::values_by_people };
            counts(of_query).then(|| values(self, of_query, query, measure))
        };
        let queries: Vec<Option<Vec<GoldValue>>> = (0..self.rankings.queries()).into_par_iter().map(of_query).collect();
        let nothing = if is_linear { GoldValue::default() } else { GoldValue::WHOLE };
        let of_arm = |arm: usize| {
            let retrieved = queries.iter().map(|arms| arms.as_ref().map(|arms| arms[arm]));
            let missing = gold.without_documents().iter().map(|query| counts(query).then_some(nothing));
            retrieved.chain(missing).collect()
        };
        (0..self.rankings.arms()).map(of_arm).collect()
    }

    /// A linear measure for the sample that people labelled, by arm.
    fn estimate_from_sample(&self, gold: &GoldQuery, query: usize, measure: usize) -> Vec<GoldValue> {
        let prepared = &self.measures[measure];
        let (population, labelled) = (gold.population() as f64, gold.labelled() as f64);
        let expansion = population / labelled;
        // The variance of the expanded sum of the sample, per population variance.
        let sampling = if population > 1.0 { population * expansion * (1.0 - labelled / population) } else { 0.0 };
        let labels = self.rankings.dataset().query(query).labels();
        let gain = |label: f32| prepared.measure.linear_gain(label, self.highest);
        let of_arm = |arm: usize| {
            let (list, shown) = self.list(query, arm);
            let mut value = GoldValue::default();
            let mut squares = 0.0;
            for (document, weight) in document_weights(list, shown, &prepared.cumulative_weights) {
                let weight = weight / prepared.divisor();
                if gold.is_judged[document] {
                    value.whole_weight += weight;
                    squares += weight * weight;
                }
                if let Some(label) = gold.labels[document] {
                    value.people += expansion * weight * gain(label);
                    value.model += expansion * weight * gain(labels[document]);
                    value.weight += expansion * weight;
                }
            }
            let spread =
                (squares - value.whole_weight * value.whole_weight / population).max(0.0) / (population - 1.0).max(1.0);
            GoldValue { variance: sampling * spread, ..value }
        };
        (0..self.rankings.arms()).map(of_arm).collect()
    }

    /// A measure of a query that people labelled wholly, by arm.
    fn values_by_people(&self, gold: &GoldQuery, query: usize, measure: usize) -> Vec<GoldValue> {
        let labels: Vec<f32> = gold.labels.iter().map(|label| label.unwrap_or(0.0)).collect();
        let unretrieved: Vec<f32> = gold.unretrieved.iter().filter_map(|(_, people)| *people).collect();
        let people = self.measures[measure].of_query(&labels, &unretrieved, self.highest);
        let of_arm = |(arm, by_model): (usize, Vec<f64>)| {
            let (list, shown) = self.list(query, arm);
            GoldValue { people: people.value(list, shown), model: by_model[measure], ..GoldValue::WHOLE }
        };
        self.of_query(query).into_iter().enumerate().map(of_arm).collect()
    }
}
