//! What a matrix was estimated from, by the description beside it: see [`origin`](super::origin).

use letor_io::{FeatureId, Names};
use serde::Serialize;

use crate::truth::RESOLVED;

/// What a matrix was estimated from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixAccount {
    /// The file of the description, e.g. `P.json`.
    pub file: String,
    /// The name of the data set.
    pub dataset: String,
    /// Whether that was generated, by the file.
    pub synthetic: bool,
    /// The click model.
    pub clicks: String,
    /// The features behind the arms, in the order of the arms.
    #[serde(skip)]
    pub rankers: Vec<FeatureId>,
    /// The names of the arms, if any has one.
    #[serde(skip)]
    pub names: Option<Names>,
    /// Comparisons of the least often compared pair; 0 if some pair was never compared.
    pub min_comparisons: u64,
    /// Comparisons of the most often compared pair.
    pub max_comparisons: u64,
    /// The largest standard error of an entry that was measured; `None` if unknown.
    pub largest_standard_error: Option<f64>,
    /// The smallest margin of the Condorcet winner of all arms in standard errors; `None` without one, or if unknown.
    pub winner_z: Option<f64>,
}

impl MatrixAccount {
    /// A note for figures and tables of a matrix that was estimated from synthetic data; `None` for real data.
    #[must_use]
    pub fn note(&self, matrix: &str) -> Option<String> {
        self.synthetic.then(|| {
            format!(
                "synthetic data: {matrix} was estimated on {}, which is generated, not the real data set",
                self.dataset
            )
        })
    }

    /// A warning that the Condorcet winner is not resolved, or may not be; `None` if it is. `margin` is its smallest margin;
    /// `is_full_matrix`: among all arms of the matrix.
    #[must_use]
    pub fn unresolved_note(&self, margin: f64, is_full_matrix: bool) -> Option<String> {
        if let Some(z) = self.winner_z.filter(|_| is_full_matrix) {
            return (z < RESOLVED)
                .then(|| format!("WINNER NOT RESOLVED (z = {z:.1}, below {RESOLVED}): the runner-up may be as good"));
        }
        if self.min_comparisons == 0 {
            return Some("the winner may not be resolved: some pairs were never compared".to_owned());
        }
        // For a part of the arms, only a bound of the standard error is known.
        let error = self.largest_standard_error.filter(|error| margin < RESOLVED * error)?;
        Some(format!("the winner may not be resolved (standard errors up to {error:.4}): the runner-up may be as good"))
    }
}
