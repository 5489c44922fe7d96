//! Measures of ranked lists by judgments: what each of them is ([`Measure`]), how it is written (`text`), its values
//! for all rankers and queries (`measurement`), and by labels of people beside those of a model (`gold`).
//!
//! Definitions are those of `trec_eval`, which `ir_measures` computes by default:
//!
//! | measure | of one list |
//! |---|---|
//! | `nDCG@k` | DCG / DCG of the ideal list, both cut off at k; gain is the label, or 2^label - 1 with `dcg='exp-log2'`; discount log2(rank + 1) |
//! | `AP`, `AP@k` | the sum of the precision at the ranks of relevant documents (up to k) / the number of relevant documents |
//! | `RR`, `RR@k` | 1 / the rank of the first relevant document; 0 if there is none (up to k) |
//! | `P@k` | relevant documents among the first k / k |
//! | `R@k` | relevant documents among the first k / relevant documents |
//! | `RBP(p=0.8)` | (1 - p) times the sum of gain p^(rank - 1); gain is label / the highest label of the data, or 1 from `rel` on |
//!
//! A document is relevant if its label is at least `rel`, 1 unless given. Relevant and ideal documents include those that
//! the list, or every list, did not retrieve; a document that a run did not retrieve has no rank. A query without a
//! relevant document has value 0. For ties that a ranker leaves, values are exact expectations over their orders
//! (see `expectation`); TREC runs have none unless they keep them.
//!
//! - K. Järvelin, J. Kekäläinen. *Cumulated gain-based evaluation of IR techniques.* TOIS 20(4), 2002.
//!   <https://doi.org/10.1145/582415.582418>
//! - A. Moffat, J. Zobel. *Rank-biased precision for measurement of retrieval effectiveness.* TOIS 27(1), 2008.
//!   <https://doi.org/10.1145/1416950.1416952>
//! - S. MacAvaney, C. Macdonald, I. Ounis. *Streamlining evaluation with ir-measures.* ECIR 2022.
//!   <https://doi.org/10.1007/978-3-030-99739-7_38>

mod gold;
mod measurement;
#[cfg(test)]
mod tests;
mod text;

pub use self::gold::GoldValue;
pub use self::measurement::Measurement;
pub use self::text::{MeasureError, MeasureErrorKind};
use crate::Gain;

/// A measure of a ranked list, with its parameters.
///
/// ```
/// use rankers::Measure;
///
/// let measures = Measure::parse_list("ndcg@10, MAP, rbp(p=0.9,rel=2)")?;
/// let names: Vec<String> = measures.iter().map(ToString::to_string).collect();
/// assert_eq!(names, ["nDCG@10", "AP", "RBP(rel=2,p=0.9)"]);
/// # Ok::<(), rankers::MeasureError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// What is measured.
    pub kind: MeasureKind,
    /// The last rank that counts, from 1; `None`: all count.
    pub cutoff: Option<u32>,
}

/// What a [`Measure`] measures. `rel` is the lowest label of relevant documents.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum MeasureKind {
    /// Normalised discounted cumulative gain.
    Ndcg(Gain),
    /// Average precision.
    AveragePrecision {
        /// The lowest label of relevant documents.
        rel: u32,
    },
    /// Reciprocal rank.
    ReciprocalRank {
        /// The lowest label of relevant documents.
        rel: u32,
    },
    /// Precision.
    Precision {
        /// The lowest label of relevant documents.
        rel: u32,
    },
    /// Recall.
    Recall {
        /// The lowest label of relevant documents.
        rel: u32,
    },
    /// Rank-biased precision.
    RankBiasedPrecision {
        /// The lowest label of relevant documents; `None`: labels are graded.
        rel: Option<u32>,
        /// The probability of looking at the next document.
        p: f64,
    },
}
