//! The values of measures for the lists of all rankers and queries.

use std::sync::OnceLock;

use interleave::RankedList;
use letor_io::Runs;
use rayon::prelude::*;

use super::{Measure, MeasureKind};
use crate::expectation::{precision_sum, reciprocal_rank, weighted_sum};
use crate::ndcg::{check_lengths, cumulative_discounts};
use crate::{Gain, NdcgError, Rankings};

/// The number of queries with values summed together: fixed, so that the sum does not depend on the number of threads.
const CHUNK_QUERIES: usize = 64;

/// [`Rankings`] with measures of their lists.
#[derive(Debug)]
pub struct Measurement<'a> {
    pub(super) rankings: &'a Rankings,
    pub(super) measures: Vec<PreparedMeasure>,
    /// The highest label of all judged documents.
    pub(super) highest: f64,
    /// The values of all queries, computed at the first use.
    values: OnceLock<Vec<Vec<Vec<f64>>>>,
}

/// A measure, and what is the same for all queries.
#[derive(Debug)]
pub(super) struct PreparedMeasure {
    pub(super) measure: Measure,
    cutoff: usize,
    /// Of measures that are weighted sums: the cumulative weights of ranks 0, 1, ... up to the cutoff.
    pub(super) cumulative_weights: Vec<f64>,
}

/// A measure for the labels of one query.
pub(super) enum QueryMeasure<'a> {
    /// A weighted sum of gains, divided by `norm`.
    Sum {
        gains: Vec<f64>,
        cumulative_weights: &'a [f64],
        norm: f64,
    },
    /// Average precision: of `relevant` documents, `relevant_count` counts those that are not in the list.
    AveragePrecision {
        relevant: Vec<bool>,
        relevant_count: f64,
        cutoff: usize,
    },
    ReciprocalRank {
        relevant: Vec<bool>,
        cutoff: usize,
    },
}

impl Rankings {
    /// Prepares to measure all lists by the labels of the data set.
    ///
    /// # Errors
    /// If a label is negative or not finite.
    pub fn measure(&self, measures: &[Measure]) -> Result<Measurement<'_>, NdcgError> {
        let dataset = self.dataset();
        check_lengths(dataset.labels(), dataset.documents())?;
        let unretrieved = |query| dataset.runs().map_or(0, |runs| runs.unretrieved(query).len());
        let judged = |query| self.documents(query) + unretrieved(query);
        let deepest = (0..self.queries()).map(judged).max().unwrap_or(0);
        let measures = measures.iter().map(|&measure| PreparedMeasure::new(measure, deepest)).collect();
        let highest = f64::from(dataset.max_label());
        Ok(Measurement { rankings: self, measures, highest, values: OnceLock::new() })
    }
}

impl PreparedMeasure {
    /// `deepest`: the largest number of documents of a query.
    fn new(measure: Measure, deepest: usize) -> Self {
        let cutoff = measure.cutoff.map_or(usize::MAX, |cutoff| cutoff as usize);
        let depth = cutoff.min(deepest);
        let cumulative_weights = match measure.kind {
            MeasureKind::Ndcg(_) => cumulative_discounts(depth),
            MeasureKind::Precision { .. } | MeasureKind::Recall { .. } => (0..=depth).map(|rank| rank as f64).collect(),
            MeasureKind::RankBiasedPrecision { p, .. } => {
                (0..=depth).map(|rank| 1.0 - libm::pow(p, rank as f64)).collect()
            }
            MeasureKind::AveragePrecision { .. } | MeasureKind::ReciprocalRank { .. } => Vec::new(),
        };
        Self { measure, cutoff, cumulative_weights }
    }

    /// The divisor of the weighted sum of a linear measure.
    pub(super) fn divisor(&self) -> f64 {
        if matches!(self.measure.kind, MeasureKind::Precision { .. }) { self.cutoff as f64 } else { 1.0 }
    }

    /// The measure for a query with these labels in its lists and the `unretrieved` ones in none.
    pub(super) fn of_query(&self, labels: &[f32], unretrieved: &[f32], highest: f64) -> QueryMeasure<'_> {
        let is_relevant = |rel: u32| move |label: &f32| f64::from(*label) >= f64::from(rel);
        let relevant = |rel: u32| labels.iter().map(is_relevant(rel)).collect::<Vec<bool>>();
        let all = |rel: u32| labels.iter().chain(unretrieved).filter(|label| is_relevant(rel)(label)).count() as f64;
        let ones = |rel: u32| labels.iter().map(|label| f64::from(u8::from(is_relevant(rel)(label)))).collect();
        let (cumulative_weights, cutoff) = (self.cumulative_weights.as_slice(), self.cutoff);
        match self.measure.kind {
            MeasureKind::Ndcg(gain) => {
                let gains = labels.iter().map(|&label| gain.of(label)).collect();
                QueryMeasure::Sum {
                    gains,
                    cumulative_weights,
                    norm: ideal_gain(labels, unretrieved, gain, cumulative_weights),
                }
            }
            MeasureKind::Precision { rel } => {
                QueryMeasure::Sum { gains: ones(rel), cumulative_weights, norm: self.divisor() }
            }
            MeasureKind::Recall { rel } => QueryMeasure::Sum { gains: ones(rel), cumulative_weights, norm: all(rel) },
            MeasureKind::RankBiasedPrecision { rel, .. } => {
                let graded = || labels.iter().map(|&label| f64::from(label) / highest.max(f64::MIN_POSITIVE)).collect();
                QueryMeasure::Sum { gains: rel.map_or_else(graded, ones), cumulative_weights, norm: self.divisor() }
            }
            MeasureKind::AveragePrecision { rel } => {
                QueryMeasure::AveragePrecision { relevant: relevant(rel), relevant_count: all(rel), cutoff }
            }
            MeasureKind::ReciprocalRank { rel } => QueryMeasure::ReciprocalRank { relevant: relevant(rel), cutoff },
        }
    }
}

/// The discounted gain of the best list of all judged documents.
fn ideal_gain(labels: &[f32], unretrieved: &[f32], gain: Gain, discounts: &[f64]) -> f64 {
    let mut best: Vec<f64> = labels.iter().chain(unretrieved).map(|&label| gain.of(label)).collect();
    best.sort_unstable_by(|a, b| b.total_cmp(a));
    let steps = discounts.windows(2).map(|pair| pair[1] - pair[0]);
    best.iter().zip(steps).map(|(gain, discount)| gain * discount).sum()
}

impl QueryMeasure<'_> {
    /// The value for a list with its first `shown` documents retrieved.
    pub(super) fn value(&self, list: RankedList<'_>, shown: usize) -> f64 {
        let (value, norm) = match self {
            Self::Sum { gains, cumulative_weights, norm } => {
                (weighted_sum(list, shown, gains, cumulative_weights), *norm)
            }
            Self::AveragePrecision { relevant, relevant_count, cutoff } => {
                (precision_sum(list, shown, relevant, *cutoff), *relevant_count)
            }
            Self::ReciprocalRank { relevant, cutoff } => (reciprocal_rank(list, shown, relevant, *cutoff), 1.0),
        };
        if norm > 0.0 { (value / norm).min(1.0) } else { 0.0 }
    }
}

impl Measurement<'_> {
    /// The values for `query` (from 0): for each arm, one per measure.
    ///
    /// # Panics
    /// If there is no such query.
    #[must_use]
    pub fn of_query(&self, query: usize) -> Vec<Vec<f64>> {
        let (rankings, dataset) = (self.rankings, self.rankings.dataset());
        let labels = dataset.query(query).labels();
        let unretrieved = dataset.runs().map_or(&[][..], |runs| runs.unretrieved(query));
        let measures: Vec<QueryMeasure<'_>> =
            self.measures.iter().map(|measure| measure.of_query(labels, unretrieved, self.highest)).collect();
        let of_arm = |arm| {
            let (list, shown) = self.list(query, arm);
            measures.iter().map(|measure| measure.value(list, shown)).collect()
        };
        (0..rankings.arms()).map(of_arm).collect()
    }

    /// The list of an arm, and how many of its documents are retrieved.
    pub(super) fn list(&self, query: usize, arm: usize) -> (RankedList<'_>, usize) {
        let retrieved = self.rankings.dataset().query(query).retrieved(self.rankings.features()[arm]);
        (self.rankings.list(query, arm), retrieved)
    }

    /// The number of queries of a mean: those of the data set and, of TREC runs, the judged queries for which no run
    /// retrieved anything.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.rankings.queries() + self.rankings.dataset().runs().map_or(0, |runs: &Runs| runs.without_documents().len())
    }

    /// The values of all [`queries`](Self::queries), those without documents last, with value 0: for each arm, one list per measure.
    /// They are computed once and kept.
    #[must_use]
    pub fn per_query(&self) -> &[Vec<Vec<f64>>] {
        self.values.get_or_init(|| {
            let queries: Vec<Vec<Vec<f64>>> =
                (0..self.rankings.queries()).into_par_iter().map(|query| self.of_query(query)).collect();
            let of_arm = |arm: usize| {
                let of_measure = |measure: usize| {
                    let mut values: Vec<f64> = queries.iter().map(|query| query[arm][measure]).collect();
                    values.resize(self.queries(), 0.0);
                    values
                };
                (0..self.measures.len()).map(of_measure).collect()
            };
            (0..self.rankings.arms()).map(of_arm).collect()
        })
    }

    /// The means over all [`queries`](Self::queries), those without documents having value 0: for each arm, one per
    /// measure.
    #[must_use]
    pub fn means(&self) -> Vec<Vec<f64>> {
        let count = self.queries().max(1) as f64;
        if let Some(values) = self.values.get() {
            // Summed as below, so that the means are the same to the last bit.
            let chunk = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value);
            let mean = |values: &Vec<f64>| {
                values[..self.rankings.queries()].chunks(CHUNK_QUERIES).map(chunk).fold(0.0, |sum, chunk| sum + chunk)
                    / count
            };
            return values.iter().map(|of_arm| of_arm.iter().map(mean).collect()).collect();
        }
        let queries: Vec<usize> = (0..self.rankings.queries()).collect();
        let sums: Vec<Vec<Vec<f64>>> = queries
            .par_chunks(CHUNK_QUERIES)
            .map(|chunk| {
                let mut sums = vec![vec![0.0; self.measures.len()]; self.rankings.arms()];
                chunk.iter().for_each(|&query| add(&mut sums, &self.of_query(query)));
                sums
            })
            .collect();
        let mut means = vec![vec![0.0; self.measures.len()]; self.rankings.arms()];
        sums.iter().for_each(|chunk| add(&mut means, chunk));
        means.iter_mut().flatten().for_each(|sum| *sum /= count);
        means
    }
}

fn add(sums: &mut [Vec<f64>], values: &[Vec<f64>]) {
    for (sums, values) in sums.iter_mut().zip(values) {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}
