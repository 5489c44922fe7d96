//! The estimates of a state: preferences with standard errors, and the matrix.

use bandits::{MatrixError, PreferenceMatrix};

use super::round::Sampling;
use super::selection::{all_pairs, pair_count};
use super::state::State;
use crate::pairwise::PairCount;

impl State {
    /// The outcomes of the pair with index `pair` in [`all_pairs`], over all finished rounds.
    ///
    /// # Panics
    /// If there is no such pair.
    #[must_use]
    pub fn count(&self, pair: usize) -> PairCount {
        let totals = &self.totals;
        PairCount { wins: totals.wins[pair], ties: totals.ties[pair], comparisons: totals.comparisons[pair] }
    }

    /// The standard error of the preference of that pair; infinite without comparisons.
    ///
    /// # Panics
    /// If there is no such pair.
    #[must_use]
    pub fn standard_error(&self, pair: usize) -> f64 {
        let count = self.count(pair);
        match self.identity.sampling {
            Sampling::WithReplacement => count.standard_error(),
            Sampling::Stratified if count.comparisons == 0 => f64::INFINITY,
            Sampling::Stratified => self.totals.variances[pair].sqrt() / (2.0 * count.comparisons as f64),
        }
    }

    /// The standard error with one additional win and one additional loss, for the stopping rule: a few comparisons with
    /// the same outcome have a standard error of 0 but do not make the preference certain.
    pub(super) fn cautious_error(&self, pair: usize) -> f64 {
        let mut count = self.count(pair);
        (count.wins, count.comparisons) = (count.wins + 1, count.comparisons + 2);
        match self.identity.sampling {
            Sampling::WithReplacement => count.standard_error(),
            Sampling::Stratified => (self.totals.variances[pair] + 2.0).sqrt() / (2.0 * count.comparisons as f64),
        }
    }

    /// The largest standard error of the compared pairs; 0 if there are none.
    #[must_use]
    pub fn largest_standard_error(&self) -> f64 {
        let compared = (0..pair_count(self.identity.arms)).filter(|&pair| self.totals.comparisons[pair] > 0);
        compared.map(|pair| self.standard_error(pair)).fold(0.0, f64::max)
    }

    /// The preference matrix, 1/2 for pairs without comparisons.
    ///
    /// # Errors
    /// If there are no arms.
    pub fn matrix(&self) -> Result<PreferenceMatrix, MatrixError> {
        let pairs = all_pairs(self.identity.arms);
        let mut preferences = (0..pairs.len()).map(|place| self.count(place).preference());
        PreferenceMatrix::from_upper(self.identity.arms, |_, _| preferences.next().unwrap_or(0.5))
    }
}
