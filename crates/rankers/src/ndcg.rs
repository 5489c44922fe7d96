//! nDCG: how well a list puts relevant documents on top, compared with the ideal order. For ties, it is the exact
//! expectation over all orders of the tied documents.
//!
//! DCG@k is the sum over ranks r = 1..k of gain(label) / log2(r + 1); nDCG divides it by the DCG@k of the labels in
//! descending order, and is 0 for a query without a relevant document. Every document of a tie group is equally
//! likely to be at each rank of the group, so each rank of the group within the cutoff has the group's mean gain.
//!
//! ## References
//!
//! - K. Järvelin, J. Kekäläinen. *Cumulated gain-based evaluation of IR techniques.* TOIS 20(4),
//!   2002. <https://doi.org/10.1145/582415.582418>
//! - C. Burges et al. *Learning to rank using gradient descent.* ICML 2005 (the exponential gain).
//!   <https://doi.org/10.1145/1102351.1102363>
//! - F. McSherry, M. Najork. *Computing information retrieval performance measures efficiently in
//!   the presence of tied scores.* ECIR 2008. <https://doi.org/10.1007/978-3-540-78646-7_38>
//!
//! ## Notes
//!
//! The discount is log2(r + 1) from the first rank on, and the ideal order is cut off at the same k. Means are over all
//! queries, including those without a relevant document.

use interleave::RankedList;
use rayon::prelude::*;

use crate::Rankings;
use crate::expectation::weighted_sum;

/// The gain of a document as a function of its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Gain {
    /// 2^label - 1, as in learning to rank.
    #[default]
    Exponential,
    /// The label itself.
    Linear,
}

impl Gain {
    /// The gain of a document with this label.
    pub(crate) fn of(self, label: f32) -> f64 {
        match self {
            Self::Exponential => libm::exp2(f64::from(label)) - 1.0,
            Self::Linear => f64::from(label),
        }
    }
}

/// Why nDCG cannot be computed from the labels.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NdcgError {
    /// The number of labels differs from the number of documents.
    #[error("found {labels} labels for {documents} documents, expected one label per document")]
    Labels {
        /// The number of labels.
        labels: usize,
        /// The number of documents.
        documents: usize,
    },
    /// A label is negative or not finite.
    #[error(
        "document {document} (from 0) has label {label}, expected 0 or more; nDCG needs a label for every document"
    )]
    Label {
        /// The index of the document, from 0, among those of all queries.
        document: usize,
        /// The label.
        label: f32,
    },
}

/// The labels of one query, prepared to evaluate lists of its documents at one cutoff.
struct JudgedQuery<'a> {
    gains: Vec<f64>,
    /// Cumulative discounts: `discounts[r]` is the sum over the ranks 1 to r, up to the cutoff.
    discounts: &'a [f64],
    ideal: f64,
}

/// The cumulative discounts of the ranks 0 to `cutoff`.
pub(crate) fn cumulative_discounts(cutoff: usize) -> Vec<f64> {
    let discounts = (1..=cutoff).scan(0.0, |sum, rank| {
        *sum += 1.0 / libm::log2(rank as f64 + 1.0);
        Some(*sum)
    });
    std::iter::once(0.0).chain(discounts).collect()
}

impl<'a> JudgedQuery<'a> {
    fn new(labels: &[f32], gain: Gain, discounts: &'a [f64]) -> Self {
        let gains: Vec<f64> = labels.iter().map(|&label| gain.of(label)).collect();
        let mut best = gains.clone();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        let steps = discounts.windows(2).map(|pair| pair[1] - pair[0]);
        let ideal = best.iter().zip(steps).map(|(gain, discount)| gain * discount).sum();
        Self { gains, discounts, ideal }
    }

    fn ndcg(&self, list: RankedList<'_>) -> f64 {
        if self.ideal <= 0.0 {
            return 0.0;
        }
        let dcg = weighted_sum(list, list.len(), &self.gains, self.discounts);
        (dcg / self.ideal).min(1.0)
    }
}

pub(crate) fn check_lengths(labels: &[f32], documents: usize) -> Result<(), NdcgError> {
    if labels.len() != documents {
        return Err(NdcgError::Labels { labels: labels.len(), documents });
    }
    match labels.iter().position(|label| !(label.is_finite() && *label >= 0.0)) {
        Some(document) => Err(NdcgError::Label { document, label: labels[document] }),
        None => Ok(()),
    }
}

/// The nDCG at `cutoff` of one list (0 to 1), in expectation over the orders of tied documents.
///
/// `labels[d]` is the label of document `d`; the list may omit documents.
///
/// ```
/// use interleave::ListBuf;
/// use rankers::{Gain, ndcg};
///
/// // Documents 0 and 1 share the highest score; only document 1 is relevant.
/// let list = ListBuf::from_scores(&[7.0, 7.0, 2.0])?;
/// let expected = (1.0 + 1.0 / 3_f64.log2()) / 2.0;
/// assert!((ndcg(list.as_list(), &[0.0, 1.0, 0.0], 10, Gain::Exponential)? - expected).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the number of labels differs from the number of documents, or a label is negative or not finite.
pub fn ndcg(list: RankedList<'_>, labels: &[f32], cutoff: usize, gain: Gain) -> Result<f64, NdcgError> {
    check_lengths(labels, list.documents())?;
    let discounts = cumulative_discounts(cutoff.min(labels.len()));
    Ok(JudgedQuery::new(labels, gain, &discounts).ndcg(list))
}

impl Rankings {
    /// The mean nDCG at `cutoff` over all queries (0 to 1), one per arm, in expectation over ties.
    ///
    /// `labels` are those of all documents, query by query ([`letor_io::Dataset::labels`]).
    ///
    /// # Errors
    /// Those of [`ndcg`].
    pub fn ndcg(&self, labels: &[f32], cutoff: usize, gain: Gain) -> Result<Vec<f64>, NdcgError> {
        check_lengths(labels, self.document_range(0..self.queries()).len())?;
        let deepest = (0..self.queries()).map(|query| self.documents(query)).max().unwrap_or(0);
        let discounts = cumulative_discounts(cutoff.min(deepest));
        // Chunks of a fixed size, summed in order: the sum does not depend on the number of threads.
        let queries: Vec<usize> = (0..self.queries()).collect();
        let sums: Vec<Vec<f64>> = queries
            .par_chunks(64)
            .map(|queries| {
                let mut sums = vec![0.0; self.arms()];
                for &query in queries {
                    let labels = &labels[self.document_range(query..query + 1)];
                    let judged = JudgedQuery::new(labels, gain, &discounts);
                    for (arm, sum) in sums.iter_mut().enumerate() {
                        *sum += judged.ndcg(self.list(query, arm));
                    }
                }
                sums
            })
            .collect();
        let mut means = vec![0.0; self.arms()];
        for sums in sums {
            means.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += sum);
        }
        let queries = self.queries().max(1) as f64;
        Ok(means.into_iter().map(|sum| sum / queries).collect())
    }
}
