//! The estimates that a state holds: preferences with standard errors, and the matrix they make.

use bandits::{MatrixError, PreferenceMatrix};

use super::choice::{all_pairs, pair_count};
use super::round::Sampling;
use super::state::State;
use crate::simulation::pairwise::PairCount;

impl State {
    /// What the comparisons of the pair at `place` (of [`all_pairs`]) came to, in rounds that are over.
    ///
    /// # Panics
    /// When there is no such pair.
    #[must_use]
    pub fn count(&self, place: usize) -> PairCount {
        let totals = &self.totals;
        PairCount { wins: totals.wins[place], ties: totals.ties[place], comparisons: totals.comparisons[place] }
    }

    /// The standard error of its preference; infinite where nothing is known.
    #[must_use]
    pub fn standard_error(&self, place: usize) -> f64 {
        let count = self.count(place);
        match self.identity.sampling {
            Sampling::WithReplacement => count.standard_error(),
            Sampling::Stratified if count.comparisons == 0 => f64::INFINITY,
            Sampling::Stratified => self.totals.variances[place].sqrt() / (2.0 * count.comparisons as f64),
        }
    }

    /// The same as if the pair had been won once more and lost once more: a few comparisons that
    /// all went the same way are no certainty, and must not end the search for it.
    pub(super) fn cautious_error(&self, place: usize) -> f64 {
        let mut count = self.count(place);
        (count.wins, count.comparisons) = (count.wins + 1, count.comparisons + 2);
        match self.identity.sampling {
            Sampling::WithReplacement => count.standard_error(),
            Sampling::Stratified => (self.totals.variances[place] + 2.0).sqrt() / (2.0 * count.comparisons as f64),
        }
    }

    /// The largest standard error of a pair that was compared; 0 without any.
    #[must_use]
    pub fn largest_standard_error(&self) -> f64 {
        let known = (0..pair_count(self.identity.arms)).filter(|&place| self.totals.comparisons[place] > 0);
        known.map(|place| self.standard_error(place)).fold(0.0, f64::max)
    }

    /// The matrix, 1/2 where nothing is known.
    ///
    /// # Errors
    /// When there are no arms.
    pub fn matrix(&self) -> Result<PreferenceMatrix, MatrixError> {
        let places = all_pairs(self.identity.arms);
        let mut preferences = (0..places.len()).map(|place| self.count(place).preference());
        PreferenceMatrix::from_upper(self.identity.arms, |_, _| preferences.next().unwrap_or(0.5))
    }
}
