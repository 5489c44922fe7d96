//! What callers must know of an open impression to answer again as before, and what a page shows of an experiment.

use super::super::event::Time;
use super::super::guards::Watch;
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

    /// The rates that guardrails watch: by guardrail, then by ranker.
    #[must_use]
    pub fn watches(&self) -> Vec<Watch> {
        self.watched.watches(&self.config.guardrails, self.rules.champion)
    }

    /// When the first day on which something was shown can close: at its end and a window later.
    pub(crate) fn first_close(&self) -> Option<Time> {
        let day = self.daily.keys().next()?;
        Some(self.rules.zone.start(day + 1) + self.rules.window)
    }

    /// The day of its last event, in its zone.
    pub(crate) fn today(&self) -> i32 {
        self.day(self.time)
    }

    /// A time for readers, in its zone.
    #[must_use]
    pub fn minute(&self, time: Time) -> String {
        self.rules.zone.minute(time)
    }

    /// How often the list of a ranker was needed, and how often it was missing.
    pub(crate) fn missing_lists(&self, ranker: u32) -> [u64; 2] {
        self.watched.rate(ranker, super::super::config::Guard::Missing)
    }
}
