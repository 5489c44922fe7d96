//! Automatic ends: windows, days, and guardrails that break. Not here: the ramp, and dates.

use super::super::config::{Ask, BreachReaction};
use super::super::event::{Event, Reason, State, Time};
use super::super::guards::Breach;
use super::Experiment;
use super::conversions::ConversionLedger;
use super::open_impressions::Credit;

/// The least time that marks are remembered, in milliseconds.
const MIN_MARK_AGE: i64 = 3_600_000;

/// Guardrails are looked at after this many closed impressions, and when a day closes.
const WATCH_EVERY: u64 = 64;

impl Experiment {
    /// Advances the time to `now`: closes impressions whose window has passed and days whose impressions are all closed, and moves
    /// the ramp on. Ends the experiment if its date has come. Call it before each batch of commands, and now and then.
    pub fn advance(&mut self, now: Time) {
        let now = now.max(self.time);
        if let Some(end) = self.end_time().filter(|end| *end <= now) {
            // At that exact time, even if this call comes later; but not before a process runs again.
            let end = end.max(self.time);
            self.close_due(end);
            self.end_by_schedule(end);
        }
        self.close_due(now);
    }

    fn close_due(&mut self, now: Time) {
        while let Some(&(due, impression)) = self.due_queue.front()
            && due <= self.uptime(now)
        {
            self.due_queue.pop_front();
            // One that was listed later has another place in the queue.
            let Some(open) = self.open.get(impression).filter(|open| open.due == due) else { continue };
            match open.listed_at {
                Some(_) if self.config.ask == Ask::Lists => self.close_by_clicks(now, impression, Reason::Window),
                _ => self.close_by_clicks(now, impression, Reason::Unanswered),
            }
        }
        self.close_days(now);
        self.ramp_up(now);
        self.marks.forget_before(now - MIN_MARK_AGE.max(self.rules.window));
    }

    /// When an impression or the experiment ends automatically next, if nothing happens before. Days end with them.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let impression = self.due_queue.front().map(|(due, _)| due + self.downtime);
        impression.into_iter().chain(self.end_time()).min()
    }

    /// Closes an impression by its clicks so far.
    pub(super) fn close_by_clicks(&mut self, now: Time, impression: u64, reason: Reason) {
        let Some(open) = self.open.get(impression) else { return };
        // Receipts were written by this crate; one that a store damaged does not stop all others.
        let credit =
            if reason.is_credited() { open.credit(&self.rules).unwrap_or_default() } else { Credit::default() };
        self.close_with_credit(now, impression, reason, credit);
    }

    pub(super) fn close_with_credit(&mut self, now: Time, impression: u64, reason: Reason, credit: Credit) {
        self.apply_close(impression, reason, &credit);
        self.record(Event::Closed { time: now, impression, reason, outcome: credit.outcome });
        let closed = self.fates.asked - self.open.len() as u64;
        if closed.is_multiple_of(WATCH_EVERY) {
            self.check_guardrails(now);
        }
    }

    /// Closes the days on which all impressions are closed, and then those on which units close for conversions. When the experiment has
    /// ended and nothing is open, these are all.
    fn close_days(&mut self, now: Time) {
        let is_final = self.is_final();
        loop {
            let first_open_day = self.units.first_day();
            let matured = self.conversions.as_ref().and_then(ConversionLedger::first_day);
            let Some(day) = first_open_day.into_iter().chain(matured).min() else { break };
            let is_past = day < self.day(now - self.rules.window);
            let is_open = self.open_by_day.keys().next().is_some_and(|open| *open <= day);
            if !is_final && (!is_past || is_open) {
                break;
            }
            if first_open_day == Some(day) {
                let rows = self.close_day(day);
                self.record(Event::Day { time: now, day, rows, has_amounts: true });
                self.check_guardrails(now);
            } else {
                let rows = self.take_matured(day);
                self.record(Event::Matured { time: now, day, rows });
            }
        }
    }

    /// Records the guardrails that broke, and pauses the experiment if they demand it.
    pub(super) fn check_guardrails(&mut self, now: Time) {
        for breach in self.guard_counts.breaches(&self.config.guardrails, self.rules.champion) {
            let Breach { ranker, guard, ranker_counts, champion_counts } = breach;
            self.apply_breach(now, ranker, guard, [ranker_counts, champion_counts]);
            self.record(Event::Breached { time: now, ranker, guard, ranker_counts, champion_counts });
            if self.config.guardrails.then == BreachReaction::Pause && self.state == State::Running {
                let name = &self.config.rankers[ranker as usize].name;
                let why = format!("{name} has more {} than the champion", guard.meaning());
                self.apply_change(now, State::Paused, "guardrail", &why);
                self.record(Event::Changed { time: now, state: State::Paused, who: "guardrail".to_owned(), why });
            }
        }
    }
}
