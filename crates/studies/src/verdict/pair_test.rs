//! The paired test of two rankers by one measure.

use serde::{Deserialize, Serialize};
use statistics::fixed_sample::PValueCorrection;

use super::{LEVEL, p_text};

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
    /// The difference in standard errors; null if these are 0 and the difference is not, and of tests other than Student's.
    pub t: Option<f64>,
    /// The two-sided p-value.
    pub p: f64,
    /// The same after the correction for all pairs of this measure.
    #[serde(flatten)]
    pub adjusted_p: AdjustedPValue,
    /// Whether ranks or signs speak for the second, although the first has the higher mean.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_opposed: bool,
    /// The correction of values by a model's labels, if people's labels corrected them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<LabelCorrection>,
}

/// A p-value after the correction for the number of tests, in files under the name of the correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum AdjustedPValue {
    /// By [`PValueCorrection::Holm`].
    #[serde(rename = "p_holm")]
    Holm(f64),
    /// By [`PValueCorrection::BenjaminiHochberg`].
    #[serde(rename = "p_bh")]
    BenjaminiHochberg(f64),
    /// Not corrected.
    #[serde(rename = "p_uncorrected")]
    Uncorrected(f64),
}

impl AdjustedPValue {
    /// `value` is the p-value after `correction`.
    #[must_use]
    pub fn new(correction: PValueCorrection, value: f64) -> Self {
        match correction {
            PValueCorrection::Holm => Self::Holm(value),
            PValueCorrection::BenjaminiHochberg => Self::BenjaminiHochberg(value),
            PValueCorrection::None => Self::Uncorrected(value),
        }
    }

    /// The p-value.
    #[must_use]
    pub fn value(self) -> f64 {
        let (Self::Holm(value) | Self::BenjaminiHochberg(value) | Self::Uncorrected(value)) = self;
        value
    }

    /// The column of tables; none of p-values that are not corrected, which have one.
    pub(super) fn column(correction: PValueCorrection) -> Option<&'static str> {
        match correction {
            PValueCorrection::Holm => Some("p_holm"),
            PValueCorrection::BenjaminiHochberg => Some("p_bh"),
            PValueCorrection::None => None,
        }
    }
}

/// The correction of a model's labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelCorrection {
    /// The queries with labels of people.
    pub labelled_queries: usize,
    /// How much the model counts, 0 to 1.
    pub lambda: f64,
}

impl PairTest {
    /// Whether the first is better by more than chance.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.adjusted_p.value() <= LEVEL && !self.is_opposed
    }

    /// The corrected p-value in a sentence, and whom it speaks for where that is not the first.
    pub(super) fn p_text(&self) -> String {
        format!("{}{}", p_text(self.adjusted_p.value()), if self.is_opposed { " for the other" } else { "" })
    }
}

/// The arm that is first in all its pairs: there is one, because means order the arms.
pub(super) fn best(tests: &[&PairTest]) -> Option<usize> {
    tests.iter().map(|test| test.first).find(|arm| tests.iter().all(|test| test.second != *arm))
}
