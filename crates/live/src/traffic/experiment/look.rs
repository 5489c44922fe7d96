//! What callers must know of an open impression to answer again as before.

use super::super::event::Time;
use super::Experiment;

impl Experiment {
    /// When an impression was asked for; `None` if it is not open.
    #[must_use]
    pub fn asked_at(&self, impression: u64) -> Option<Time> {
        self.open.get(impression).map(|open| open.asked)
    }

    /// Whether an open impression compares rankers; `None` if it is not open.
    #[must_use]
    pub fn is_mixed(&self, impression: u64) -> Option<bool> {
        self.open.get(impression).map(|open| open.choice.is_mixed())
    }
}
