//! Queries: what callers need about an open impression to answer as before, and what a page shows of an experiment.

use std::collections::BTreeMap;

use statistics::Counts;
use verdicts::integrity::{Clicks, CoinScope, Form, IntegrityReport, PageCounts, PageDay, PageSelection, Pages, check};

use super::super::config::Ask;
use super::super::event::Time;
use super::super::guards::WatchedRate;
use super::Experiment;
use super::fold::counting_rules;

/// More units than these are not added up at every look: the thread that looks is the one that serves.
const MAX_UNITS_PER_LOOK: usize = 2_000;

impl Experiment {
    /// When an impression was asked for; `None` if it is not open.
    #[must_use]
    pub fn request_time(&self, impression: u64) -> Option<Time> {
        self.open.get(impression).map(|open| open.asked)
    }

    /// Whether an open impression compares rankers; `None` if it is not open.
    #[must_use]
    pub fn is_mixed(&self, impression: u64) -> Option<bool> {
        self.open.get(impression).map(|open| open.choice.is_mixed())
    }

    /// Whether an impression is open and shows documents.
    #[must_use]
    pub fn shows_documents(&self, impression: u64) -> bool {
        self.config.ask == Ask::Lists && self.open.get(impression).is_some_and(|open| open.listed_at.is_some())
    }

    /// The rates that guardrails watch: by guardrail, then by ranker.
    #[must_use]
    pub fn watches(&self) -> Vec<WatchedRate> {
        self.guard_counts.watches(&self.config.guardrails, self.rules.champion)
    }

    /// The result of the checks of its pages so far.
    #[must_use]
    pub fn integrity(&self) -> IntegrityReport {
        if self.config.ask == Ask::Duels {
            return IntegrityReport::default();
        }
        let rankers: Vec<String> = self.config.rankers.iter().map(|ranker| ranker.name.clone()).collect();
        let pair = |(&(first, second), &counts): (&(u32, u32), &PageCounts)| PageDay {
            version: 0,
            day: self.today(),
            pair: (first as usize, second as usize),
            counts,
        };
        let days: Vec<PageDay> = self.pages.iter().map(pair).collect();
        check(&Pages {
            rankers: &rankers,
            versions: &[None],
            days: &days,
            form: Form { logged: Some(PageSelection::Every), coin_scope: CoinScope::Every },
            // Ids are signed, so there are no clicks on unknown impressions.
            clicks: Clicks::default(),
        })
    }

    /// While no day has closed: how the units of each pair would count if it closed now, the lower number first.
    pub(crate) fn counts_so_far(&self) -> Vec<((u32, u32), Counts)> {
        if self.last_day.is_some() {
            return Vec::new();
        }
        let mut counts = BTreeMap::<_, Counts>::new();
        for row in self
            .units
            .rows_so_far(counting_rules(&self.config, &self.rules), MAX_UNITS_PER_LOOK)
            .into_iter()
            .flatten()
            .flat_map(|(_, rows)| rows)
        {
            *counts.entry(row.pair).or_default() += row.units;
        }
        counts.into_iter().collect()
    }

    /// When the first day on which something was shown can close: at its end and a window later.
    pub(crate) fn first_close(&self) -> Option<Time> {
        let day = self.daily.keys().next()?;
        Some(self.rules.zone.start(day + 1) + self.rules.window)
    }

    /// Until when the last of its open impressions is open; `None` if none is.
    pub(crate) fn open_until(&self) -> Option<Time> {
        if self.open.is_empty() {
            return None;
        }
        let mut due = self.due_queue.iter().rev();
        let last = due.find(|(_, impression)| self.open.get(*impression).is_some());
        last.map(|(due, _)| due + self.downtime)
    }

    /// The day of its last event, in its zone.
    pub(crate) fn today(&self) -> i32 {
        self.day(self.time)
    }

    /// The last day of its zone that has begun before a time.
    pub(crate) fn last_day_before(&self, time: Time) -> i32 {
        self.day(time - 1)
    }

    /// A time for readers, in its zone.
    #[must_use]
    pub fn minute(&self, time: Time) -> String {
        self.rules.zone.minute(time)
    }

    /// How often the list of a ranker was needed, and how often it was missing.
    pub(crate) fn missing_lists(&self, ranker: u32) -> [u64; 2] {
        self.guard_counts.counts(ranker, super::super::config::Guard::Missing)
    }
}
