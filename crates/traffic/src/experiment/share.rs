//! The share of units that is in the experiment: its ramp or a person only raises it, so that units in it stay in.

use super::super::config::{UnitPosition, check_share, is_below};
use super::super::event::{Event, State, Time};
use super::{CommandError, Experiment};

/// Pages are checked for the ramp after this many that compared rankers, or as many as there are pairs, and when a day closes.
const CHECK_EVERY: u64 = 64;

/// The share of an experiment that does not have all units from its beginning.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Share {
    value: f64,
    /// The time that the experiment has run with it, in milliseconds, until `running_since`.
    running_time: i64,
    /// From when on it runs; `None` while it does not.
    running_since: Option<Time>,
    /// Whether its pages could be trusted at the last check.
    is_trusted: bool,
    raises: Vec<Raise>,
}

/// A higher share, with its author and reason.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Raise {
    /// When, in milliseconds since 1970.
    pub time: Time,
    /// The new share, in (0, 1].
    pub share: f64,
    /// The name of the person that raised it, or `ramp`.
    pub who: String,
    /// The reason.
    pub why: String,
}

/// The next step of a ramp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NextStep {
    /// The share that comes next, in (0, 1].
    pub share: f64,
    /// How long the experiment still runs with the present share, in milliseconds; 0 if only an obstacle holds the ramp.
    pub time_left: i64,
    /// Why the ramp does not move on.
    pub hold_reason: Option<HoldReason>,
}

/// Why a ramp does not move on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// The experiment does not run.
    State,
    /// A guardrail broke: the ramp does not move again.
    Guardrail,
    /// Pages are broken, so that no verdict can be trusted.
    Integrity,
}

impl HoldReason {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Guardrail => "guardrail",
            Self::Integrity => "integrity",
        }
    }
}

impl Share {
    /// The share at the start of an experiment; `None` if it has all units.
    pub(super) fn at_start(share: f64, time: Time) -> Option<Self> {
        let begun =
            Self { value: share, running_time: 0, running_since: Some(time), is_trusted: true, raises: Vec::new() };
        (share < 1.0).then_some(begun)
    }

    /// From now on the experiment is in this state.
    pub(super) fn note_state(&mut self, time: Time, state: State) {
        match (self.running_since, state) {
            (None, State::Running) => self.running_since = Some(time),
            (Some(since), State::Paused | State::Killed | State::Ended | State::Shipped(_)) => {
                self.running_time += time - since;
                self.running_since = None;
            }
            _ => {}
        }
    }

    /// Excludes a time without a running process.
    pub(super) fn pass_over(&mut self, absence: i64) {
        if let Some(since) = &mut self.running_since {
            *since += absence;
        }
    }

    fn running_time_until(&self, time: Time) -> i64 {
        self.running_time + self.running_since.map_or(0, |since| time - since)
    }
}

impl Experiment {
    /// The share of the units of its lane that is in the experiment, in (0, 1].
    #[must_use]
    pub fn share(&self) -> f64 {
        self.share.as_ref().map_or(1.0, |share| share.value)
    }

    /// The raises of its share, in order.
    #[must_use]
    pub fn raises(&self) -> &[Raise] {
        self.share.as_ref().map_or(&[], |share| &share.raises)
    }

    /// Whether a unit is in the experiment: ask before it gets a number and [chooses](Self::choose). A unit outside sees the list of the
    /// [fallback](Self::fallback), and nothing is recorded. An impression without a unit has no place: it is in only if every unit is,
    /// because otherwise it could not be kept in or out of other experiments consistently.
    #[must_use]
    pub fn admits(&self, position: Option<UnitPosition>) -> bool {
        let (share, lane) = (&self.share, &self.config.lane);
        let Some(position) = position else {
            return self.share() == 1.0 && lane.is_none();
        };
        lane.as_ref().is_none_or(|lane| lane.has(position.lane))
            && share.as_ref().is_none_or(|share| is_below(position.share, share.value))
    }

    /// The next step of the ramp; `None` if there is none.
    #[must_use]
    pub fn next_step(&self) -> Option<NextStep> {
        let (next, hold) = self.ramp_step()?;
        let share = self.share.as_ref()?;
        let hold_reason = match self.state {
            State::Running if !self.alarms.is_empty() => Some(HoldReason::Guardrail),
            State::Running if !share.is_trusted => Some(HoldReason::Integrity),
            State::Running => None,
            _ => Some(HoldReason::State),
        };
        Some(NextStep { share: next, time_left: (hold - share.running_time_until(self.time)).max(0), hold_reason })
    }

    /// The share of the next step, and how long the present share is held. After a raise by hand, the last step that was reached
    /// determines both.
    fn ramp_step(&self) -> Option<(f64, i64)> {
        let (now, ramp) = (self.share.as_ref()?.value, &self.rules.ramp);
        let next = ramp.partition_point(|(share, _)| *share <= now);
        Some((ramp.get(next)?.0, ramp.get(next.checked_sub(1)?)?.1))
    }

    /// Raises the share; nothing happens if it has that value already. A ramp goes on from there.
    ///
    /// # Errors
    /// If it is not a share, or a lower one, or the experiment is over.
    pub fn raise(&mut self, now: Time, share: f64, who: &str, why: &str) -> Result<(), CommandError> {
        check_share(share)?;
        let time = now.max(self.time);
        self.advance(time);
        if self.state.is_over() {
            return Err(CommandError::Over(self.state));
        }
        let from = self.share();
        if share < from {
            return Err(CommandError::Lower { from, to: share });
        }
        if share > from {
            self.record_raise(time, share, who, why);
        }
        Ok(())
    }

    fn record_raise(&mut self, time: Time, share: f64, who: &str, why: &str) {
        let (who, why) = (who.to_owned(), why.to_owned());
        self.apply_raise(Raise { time, share, who: who.clone(), why: why.clone() });
        self.record(Event::Raised { time, share, who, why });
    }

    /// The ramp moves on once the experiment has run long enough with its share, as long as nothing holds it.
    pub(super) fn ramp_up(&mut self, now: Time) {
        let Some((next, hold)) = self.ramp_step() else { return };
        let Some(share) = self.share.as_ref() else { return };
        let is_due = share.running_since.is_some() && share.running_time_until(now) >= hold;
        if !is_due || !share.is_trusted || !self.alarms.is_empty() {
            return;
        }
        // Days that have closed since the last check count too.
        self.check_guardrails(now);
        if self.alarms.is_empty() {
            self.record_raise(now, next, "ramp", "");
        }
    }

    /// Whether its share can become this one.
    pub(super) fn can_raise(&self, to: f64) -> bool {
        check_share(to).is_ok() && to > self.share() && !self.state.is_over()
    }

    pub(super) fn apply_raise(&mut self, raise: Raise) {
        let is_running = self.state == State::Running;
        if let Some(share) = &mut self.share {
            (share.value, share.running_time, share.running_since) = (raise.share, 0, is_running.then_some(raise.time));
            share.raises.push(raise);
        }
    }

    /// A page that compared rankers has closed: now and then all are checked, if a ramp waits for that.
    pub(super) fn check_pages_if_due(&mut self) {
        // As many pairs are checked as pages have closed since.
        if self.fates.credited.is_multiple_of(CHECK_EVERY.max(self.pages.len() as u64)) {
            self.check_pages();
        }
    }

    pub(super) fn check_pages(&mut self) {
        if self.ramp_step().is_none() {
            return;
        }
        let is_trusted = self.integrity().is_trusted();
        if let Some(share) = &mut self.share {
            share.is_trusted = is_trusted;
        }
    }
}
