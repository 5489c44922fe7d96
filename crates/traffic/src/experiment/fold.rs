//! Applies an event, whether new or read from a store.

use verdicts::amounts::Amounts;
use verdicts::ledger::{Comparison, CountingRules, Impression};

use super::super::chooser::Chooser;
use super::super::config::Guard;
use super::super::config::{Ask, Config, Keep, Rules};
use super::super::event::{Choice, DayRow, Event, Outcome, Reason, RecordedEvent, State, Time};
use super::clicks::EventOddities;
use super::open_impressions::{Credit, OpenImpression};
use super::units::MetRankers;
use super::{Alarm, Change, Experiment, ForgottenPart, HOURS, Raise, RequestCounts};
use crate::config::ConfigError;

/// Why an event cannot follow those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// The first event does not create an experiment, or a later one does.
    #[error("expected the event `created` first, and nowhere else")]
    Created,
    /// The settings are not accepted.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// This build would have done something else, though it has the revision that did it.
    #[error(
        "it says {recorded}, where this build finds {found}: the log was written by a program that does otherwise under the same \
         revision; use that program"
    )]
    Differs {
        /// The value in the event.
        recorded: String,
        /// The value that this build computes.
        found: String,
    },
    /// The event cannot have happened.
    #[error("{what}")]
    Impossible {
        /// The reason.
        what: String,
    },
}

fn impossible<T>(what: impl Into<String>) -> Result<T, FoldError> {
    Err(FoldError::Impossible { what: what.into() })
}

/// The rules for closing days.
pub(super) fn counting_rules<'a>(config: &'a Config, rules: &'a Rules) -> CountingRules<'a> {
    CountingRules {
        choices: &rules.choices,
        unit_days: config.unit_days,
        bots: &config.bots,
        rankers: config.rankers.len(),
    }
}

impl Experiment {
    /// The experiment that the first event of a log creates.
    ///
    /// # Errors
    /// If it is another event, or its settings are refused.
    pub fn begin(first: &RecordedEvent) -> Result<Self, FoldError> {
        let Event::Created { time, config, chooser: name } = first.event() else { return Err(FoldError::Created) };
        let rules = config.rules()?;
        let chooser = Some(Chooser::new(config, &rules)?).filter(|chooser| chooser.name() == *name);
        let mut experiment = Self::with_settings((**config).clone(), rules, chooser, *time);
        experiment.advance_clock(first);
        Ok(experiment)
    }

    /// The next event of a log happens again. After an error the experiment must not be used.
    ///
    /// # Errors
    /// If the event cannot follow those before it, or this build would have done something else.
    pub fn fold(&mut self, recorded: &RecordedEvent) -> Result<(), FoldError> {
        let event = recorded.event();
        if event.time() < self.time {
            return impossible("it is earlier than the event before it");
        }
        match event {
            Event::Created { .. } => return Err(FoldError::Created),
            Event::Continued { chooser: name, .. } => {
                let chooser = Chooser::new(&self.config, &self.rules)?;
                self.apply_chooser(Some(chooser).filter(|chooser| chooser.name() == *name));
            }
            Event::Started { time, gap, start } => self.apply_start(*time, *gap, *start),
            Event::Asked { time, unit, choice, receipt, segment } => {
                if self.lacks(*unit) {
                    return impossible(format!("unit {unit} is not here; fetch it before"));
                }
                let mut ticket = None;
                if self.chooser.is_some() {
                    let (found, found_ticket) = self.choose_rankers(*unit, *time);
                    if found != *choice {
                        return Err(FoldError::Differs {
                            recorded: format!("{choice:?}"),
                            found: format!("{found:?}"),
                        });
                    }
                    ticket = found_ticket;
                }
                if choice.arms().iter().any(|arm| *arm as usize >= self.config.rankers.len()) {
                    return impossible("it has a ranker that is not one of the experiment");
                }
                if !self.fits_segment(*unit, *segment) {
                    return impossible(format!("unit {unit} is not in segment {segment:?}"));
                }
                self.open_impression(*time, *unit, choice.clone(), ticket, receipt.as_deref(), *segment);
            }
            Event::Listed { time, impression, receipt } => match self.open.get(*impression) {
                Some(OpenImpression { listed_at: None, .. }) => self.apply_list(*time, *impression, receipt),
                _ => return impossible(format!("impression {impression} does not wait for lists")),
            },
            Event::Clicked { time, impression, position } => match self.open.get(*impression) {
                Some(open) if open.listed_at.is_some() && !open.is_clicked(*position) => {
                    self.apply_click(*time, *impression, *position);
                }
                _ => return impossible(format!("impression {impression} does not take the click")),
            },
            Event::Paged { impression, seen, .. } => match self.open.get_mut(*impression) {
                Some(open) => open.seen = *seen,
                None => return impossible(format!("impression {impression} is not open")),
            },
            Event::Shown { impression, page, .. } => match self.open.get_mut(*impression) {
                Some(open) => open.page = Some(Box::new(page.clone())),
                None => return impossible(format!("impression {impression} is not open")),
            },
            Event::Closed { impression, reason, outcome, .. } => {
                let Some(open) = self.open.get(*impression) else {
                    return impossible(format!("impression {impression} is not open"));
                };
                let credit = self.verify_credit(open, *reason, outcome)?;
                let found = &credit.outcome;
                if found != outcome {
                    return Err(FoldError::Differs { recorded: format!("{outcome:?}"), found: format!("{found:?}") });
                }
                self.apply_close(*impression, *reason, &credit);
            }
            Event::Day { day, rows, has_amounts, .. } => {
                let mut found = self.close_day(*day);
                if !has_amounts {
                    found.iter_mut().for_each(|row| row.amounts = Amounts::default());
                }
                if found != *rows {
                    return Err(FoldError::Differs { recorded: format!("{rows:?}"), found: format!("{found:?}") });
                }
            }
            Event::Changed { time, state, who, why } => {
                if !self.can_become(*state) {
                    return impossible(format!(
                        "the experiment is {}; it cannot become {}",
                        self.state.name(),
                        state.name()
                    ));
                }
                self.apply_change(*time, *state, who, why);
            }
            Event::Breached { time, ranker, guard, ranker_counts, champion_counts } => {
                self.apply_breach(*time, *ranker, *guard, [*ranker_counts, *champion_counts]);
            }
            Event::Noticed { impression, what, .. } => {
                if !self.is_new(*impression, *what) {
                    return impossible(format!("{what:?} cannot be noticed of impression {impression}, or was before"));
                }
                self.apply_notice(*impression, *what);
            }
            Event::Forgotten { before, events, .. } => {
                if !self.can_forget(*before, *events) {
                    return impossible(format!("{events} events before day {before} cannot be forgotten"));
                }
                self.apply_forgetting(*before, *events);
            }
            Event::Raised { time, share, who, why } => {
                if !self.can_raise(*share) {
                    return impossible(format!("the share is {}; it cannot be raised to {share}", self.share()));
                }
                self.apply_raise(Raise { time: *time, share: *share, who: who.clone(), why: why.clone() });
            }
            Event::Converted { time, conversion } => {
                if self.lacks(conversion.unit) {
                    return impossible(format!("unit {} is not here; fetch it before", conversion.unit));
                }
                if self.creditable_appearances(*time, conversion).as_ref() != Ok(&conversion.appearances) {
                    return impossible(format!("the conversion of unit {} cannot be credited", conversion.unit));
                }
                self.apply_conversion(*time, conversion);
            }
            Event::Matured { day, rows, .. } => {
                let found = self.take_matured(*day);
                if found != *rows {
                    return Err(FoldError::Differs { recorded: format!("{rows:?}"), found: format!("{found:?}") });
                }
            }
        }
        self.advance_clock(recorded);
        Ok(())
    }

    pub(super) fn apply_start(&mut self, time: Time, gap: i64, start: u64) {
        self.downtime += gap;
        if let Some(share) = &mut self.share {
            share.pass_over(time - self.time);
        }
        self.starts.push((self.fates.asked + 1, start));
    }

    /// The credit that a closing event must have, as far as clicks and receipts determine it.
    fn verify_credit(&self, open: &OpenImpression, reason: Reason, outcome: &Outcome) -> Result<Credit, FoldError> {
        match reason {
            Reason::Window | Reason::Asked => match open.credit(&self.rules) {
                Ok(credit) => Ok(credit),
                Err(error) => impossible(error.to_string()),
            },
            Reason::Judged => Ok(Credit::of(outcome.clone())),
            Reason::Missing(_) | Reason::Unanswered | Reason::AnsweredLate => Ok(Credit::default()),
        }
    }

    /// Chooses the rankers of the next impression, with the ticket if the policy was asked.
    pub(super) fn choose_rankers(&mut self, unit: u64, time: Time) -> (Choice, Option<bandits::open::Ticket>) {
        let key = self.key.impression(self.fates.asked + 1);
        let today = self.day(time);
        let Some(chooser) = &mut self.chooser else {
            unreachable!("callers take over first, and a fold decides only while this build chooses")
        };
        if self.config.keep == Keep::Unit
            && let Some(kept) = self.units.units().get(unit).filter(|unit| unit.kept > 0)
        {
            // A unit's orders must not depend on what the policy shows it while its orders count.
            let days = self.config.unit_days as i32 + self.rules.outcomes.as_ref().map_or(0, |rules| rules.days);
            let last = kept.kept_since.saturating_add(days - 1);
            // A plan does not learn, so nothing is gained from showing a unit something else later.
            let choice = if today <= last || matches!(chooser, Chooser::Fixed(_)) {
                kept.met_rankers.choice()
            } else {
                let leader = *self.leader.get_or_insert_with(|| chooser.leader());
                Choice::Leader(leader.unwrap_or(self.rules.champion))
            };
            return (choice, None);
        }
        chooser.choose(key)
    }

    /// Another revision chooses from here on. It does not learn from choices that it did not make.
    pub(super) fn apply_chooser(&mut self, chooser: Option<Chooser>) {
        (self.chooser, self.leader) = (chooser, None);
        self.open.values_mut().for_each(|open| open.ticket = None);
    }

    /// An impression is open from now on; returns its number.
    pub(super) fn open_impression(
        &mut self,
        time: Time,
        unit: u64,
        choice: Choice,
        ticket: Option<bandits::open::Ticket>,
        receipt: Option<&[u8]>,
        segment: Option<u8>,
    ) -> u64 {
        self.fates.asked += 1;
        let impression = self.fates.asked;
        let today = self.day(time);
        let (hour, rankers) = (self.hour(time), self.config.rankers.len());
        self.daily.entry(today).or_default().add_request(choice.arms(), rankers);
        if self.hourly.back().is_none_or(|(last, _)| *last < hour) {
            self.hourly.push_back((hour, RequestCounts::default()));
        }
        if self.hourly.len() > HOURS {
            self.hourly.pop_front();
        }
        if let Some((_, hourly)) = self.hourly.back_mut() {
            hourly.add_request(choice.arms(), rankers);
        }
        if self.units.units_mut().note_opened(unit) {
            self.traffic.units += 1;
            self.set_segment(unit, segment);
        }
        let unit_state = self.units.units_mut().unit_mut(unit);
        unit_state.impressions = unit_state.impressions.saturating_add(1);
        unit_state.last_day = today;
        self.traffic.busiest = self.traffic.busiest.max(u64::from(unit_state.impressions));
        if self.config.keep == Keep::Unit && choice.is_mixed() {
            if unit_state.kept == 0 {
                (unit_state.kept_since, unit_state.met_rankers) = (today, MetRankers::of(&choice));
            }
            unit_state.kept += 1;
        }
        if self.conversions.is_some() && choice.is_mixed() {
            unit_state.history_mut().note_opened(impression);
        }
        self.last_unit = self.last_unit.max(unit);
        let open = OpenImpression {
            unit,
            asked: time,
            listed_at: None,
            due: self.uptime(time) + self.rules.window,
            choice,
            ticket,
            receipt: Box::default(),
            page: None,
            seen: self.config.shown,
            oddities: EventOddities::default(),
            clicked: Vec::new(),
        };
        let due = open.due;
        self.open.push(impression, open);
        match receipt {
            Some(receipt) => self.apply_list(time, impression, receipt),
            // A judge is shown both at once.
            None if self.config.ask == Ask::Duels => self.apply_list(time, impression, &[]),
            None => self.due_queue.push_back((due, impression)),
        }
        impression
    }

    /// The list of an impression is there.
    pub(super) fn apply_list(&mut self, time: Time, impression: u64, receipt: &[u8]) {
        let (due, day) = (self.uptime(time) + self.rules.window, self.day(time));
        let Some(open) = self.open.get_mut(impression) else { return };
        (open.listed_at, open.due) = (Some(time), due);
        open.receipt = receipt.into();
        let is_slow = time - open.asked > i64::from(self.config.guardrails.slow_after);
        let arms = open.choice.arms();
        self.guard_counts.record(arms, Guard::Missing, false);
        self.guard_counts.record(arms, Guard::Slow, is_slow);
        *self.open_by_day.entry(day).or_default() += 1;
        self.due_queue.push_back((due, impression));
    }

    pub(super) fn apply_click(&mut self, time: Time, impression: u64, position: u32) {
        if let Some(open) = self.open.get_mut(impression) {
            open.clicked.push((position, time));
            // A user who clicks a document has seen the list as far as that.
            open.seen = open.seen.max(position + 1);
            self.fates.clicks += 1;
            if open.clicked.len() == 1 {
                self.traffic.clicked += 1;
                let asked = open.asked;
                let (day, hour) = (self.day(asked), self.hour(asked));
                self.daily.entry(day).or_default().clicked += 1;
                let mut hours = self.hourly.iter_mut().rev();
                if let Some((_, hourly)) = hours.find(|(known, _)| *known == hour) {
                    hourly.clicked += 1;
                }
            }
        }
    }

    /// An impression ends.
    pub(super) fn apply_close(&mut self, impression: u64, reason: Reason, credit: &Credit) {
        let Credit { outcome, owners } = credit;
        let Some(open) = self.open.remove(impression) else { return };
        self.units.units_mut().note_closed(open.unit);
        if self.conversions.is_some() && open.choice.is_mixed() {
            self.units.units_mut().unit_mut(open.unit).history_mut().note_closed(impression);
        }
        let shown_at = open.listed_at.unwrap_or(open.asked);
        let day = self.day(shown_at);
        if open.listed_at.is_some()
            && let Some(count) = self.open_by_day.get_mut(&day)
        {
            *count -= 1;
            if *count == 0 {
                self.open_by_day.remove(&day);
            }
        }
        let arms = open.choice.arms();
        if let (Some(chooser), Some(ticket)) = (&mut self.chooser, open.ticket) {
            if reason.is_credited() && *outcome != Outcome::Nothing {
                self.leader = None;
                chooser.tell(ticket, self.key.impression(impression), outcome, arms.len());
            } else {
                chooser.forget(ticket);
            }
        }
        if reason.is_credited() {
            if self.config.ask == Ask::Lists {
                self.guard_counts.record(arms, Guard::NoClick, open.clicked.is_empty());
            }
            let clicks = owners.as_ref().map(|owners| open.clicks_by_ranker(owners));
            match Comparison::of(open.choice.arms(), outcome, clicks.as_deref()) {
                None => self.fates.alone += 1,
                Some(said) => {
                    self.fates.credited += 1;
                    if self.config.ask == Ask::Lists {
                        for (pair, record) in open.records(owners.as_ref()) {
                            // Each impression has a coin of its own.
                            self.pages.entry(pair).or_default().add(record, true);
                        }
                        self.check_pages_if_due();
                    }
                    self.note_list(impression, &open, owners.as_ref());
                    self.units.add(Impression {
                        unit: open.unit,
                        version: self.ledger_version(open.unit),
                        day,
                        shown: (shown_at, impression),
                        clicks: open.clicked.len() as u32,
                        comparison: Some(said),
                    });
                }
            }
            return;
        }
        match reason {
            Reason::Missing(arm) => {
                self.fates.missing += 1;
                self.guard_counts.record(&[arm], Guard::Missing, true);
            }
            Reason::Unanswered => {
                self.fates.unanswered += 1;
                if self.config.ask == Ask::Lists {
                    self.guard_counts.record(arms, Guard::Missing, true);
                }
            }
            _ => self.fates.answered_late += 1,
        }
        // A unit that has seen nothing of its rankers may meet others: its own outcomes play no part in this.
        if open.choice.is_mixed() {
            let unit = self.units.units_mut().unit_mut(open.unit);
            unit.kept = unit.kept.saturating_sub(1);
        }
    }

    /// All impressions of a day are closed.
    pub(super) fn close_day(&mut self, day: i32) -> Vec<DayRow> {
        let (mut settled_units, converts) = (Vec::new(), self.conversions.is_some());
        let rows_by_version = self.units.close_with(day, counting_rules(&self.config, &self.rules), |unit| {
            if converts {
                settled_units.push(unit);
            }
        });
        let rows = self.merge_versions(day, rows_by_version);
        self.settle(day, settled_units);
        self.rows.extend(rows.iter().map(|row| (day, *row)));
        self.last_day = Some(self.last_day.map_or(day, |last| last.max(day)));
        self.check_pages();
        rows
    }

    pub(super) fn apply_change(&mut self, time: Time, state: State, who: &str, why: &str) {
        self.state = state;
        if let Some(share) = &mut self.share {
            share.note_state(time, state);
        }
        self.changes.push(Change { time, state, who: who.to_owned(), why: why.to_owned() });
    }

    /// Whether the first `events` events, up to the end of the day before `before`, may be forgotten: that day is closed, and the mark
    /// never moves back.
    pub(super) fn can_forget(&self, before: i32, events: u64) -> bool {
        events <= self.events
            && self.last_day.is_some_and(|last| before <= last + 1)
            && self.forgotten.before.is_none_or(|known| known <= before)
            && self.forgotten.events <= events
    }

    pub(super) fn apply_forgetting(&mut self, before: i32, events: u64) {
        self.forgotten = ForgottenPart { before: Some(before), events };
    }

    pub(super) fn apply_breach(
        &mut self,
        time: Time,
        ranker: u32,
        guard: Guard,
        [ranker_counts, champion_counts]: [[u64; 2]; 2],
    ) {
        self.guard_counts.record_breach(ranker, guard);
        self.alarms.push(Alarm { time, ranker, guard, ranker_counts, champion_counts });
    }
}
