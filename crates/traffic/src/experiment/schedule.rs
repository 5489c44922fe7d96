//! The automatic start and end of an experiment. It has its own end date; the caller checks whether the experiment that it waits for is
//! over.

use super::super::event::{Event, State, Time};
use super::Experiment;

/// The name under which scheduled changes of state are recorded.
pub const SCHEDULE: &str = "schedule";

impl Experiment {
    /// When it ends automatically; `None` if it does not, or is over.
    #[must_use]
    pub fn end_time(&self) -> Option<Time> {
        self.rules.end_at.filter(|_| !self.state.is_over())
    }

    /// The experiment that must be over before this one begins by itself; `None` if it has begun, or was killed or ended before.
    #[must_use]
    pub fn awaited_experiment(&self) -> Option<&str> {
        // After a change by hand, it no longer begins automatically.
        let is_untouched = self.state == State::Paused && self.changes.len() == 1;
        self.config.begin_after.as_deref().filter(|_| is_untouched)
    }

    /// Whether it ran at any time: immediately, unless it had to wait.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.config.begin_after.is_none() || self.changes.iter().any(|change| change.state == State::Running)
    }

    /// Begins the experiment, because the one that it waited for is over; nothing happens if it does not
    /// [wait](Self::awaited_experiment).
    pub fn stop_waiting(&mut self, now: Time, why: &str) {
        let time = now.max(self.time);
        // Its end may have come first.
        self.advance(time);
        if self.awaited_experiment().is_some() {
            self.change_by_schedule(time, State::Running, why);
        }
    }

    /// Pauses an experiment that begins after another until then.
    pub(super) fn wait_for_predecessor(&mut self) {
        if let Some(other) = &self.config.begin_after {
            let why = format!("begins after {other}");
            self.change_by_schedule(self.time, State::Paused, &why);
        }
    }

    /// Ends because its date has come, at the time `end`: later than the date if no process ran then.
    pub(super) fn end_by_schedule(&mut self, end: Time) {
        if let Some(date) = self.end_time() {
            let why = format!("end_at is {}", self.minute(date));
            self.change_by_schedule(end, State::Ended, &why);
        }
    }

    fn change_by_schedule(&mut self, time: Time, state: State, why: &str) {
        self.apply_change(time, state, SCHEDULE, why);
        self.record(Event::Changed { time, state, who: SCHEDULE.to_owned(), why: why.to_owned() });
    }
}
