//! The paired test of two rankers by one measure.

use serde::{Deserialize, Serialize};

use super::LEVEL;

/// One measure of two rankers, compared over the same queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairTest {
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// The arm with the higher mean; of equal ones, the lower number.
    pub first: usize,
    /// The other arm.
    pub second: usize,
    /// The mean of each.
    pub means: [f64; 2],
    /// The mean difference per query, first minus second.
    pub difference: f64,
    /// The standard error of that difference.
    pub standard_error: f64,
    /// The 95% interval of the difference, for this pair and measure alone.
    pub interval: (f64, f64),
    /// The difference in standard errors; null if these are 0 and the difference is not.
    pub t: Option<f64>,
    /// The two-sided p-value of Student's test for pairs.
    pub p: f64,
    /// The same after Holm's correction for all pairs of this measure.
    pub p_holm: f64,
    /// The correction of values by a model's labels, if people's labels corrected them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Corrected>,
}

/// The correction of a model's labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Corrected {
    /// The queries with labels of people.
    pub labelled_queries: usize,
    /// How much the model counts, 0 to 1.
    pub lambda: f64,
}

impl PairTest {
    /// Whether the first is better by more than chance.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.p_holm <= LEVEL
    }
}

/// The arm that is first in all its pairs: there is one, because means order the arms.
pub(super) fn best(tests: &[&PairTest]) -> Option<usize> {
    tests.iter().map(|test| test.first).find(|arm| tests.iter().all(|test| test.second != *arm))
}
