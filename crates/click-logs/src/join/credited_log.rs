//! The result of crediting a log, as counts.

use std::collections::BTreeSet;

use verdicts::conversions::{ConversionDay, Conversions};
use verdicts::integrity::{self, Clicks, Form, IntegrityReport, PageDay, Pages};
use verdicts::outcomes::{Day, quoted};
use verdicts::{PairChoice, SaidBy, Version};

use super::conversions::{self, ConversionLog};
use super::tally::{ClickFate, ConversionFate, Tally};
use crate::model::{ConversionRules, Settings};

/// The counts of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct CreditedLog {
    /// The rankers, in the order of results.
    pub rankers: Vec<String>,
    /// The versions of the experiment, in the order of their names; none if no list was mixed.
    pub versions: Vec<Version>,
    /// By version, day and pair, in this order.
    pub days: Vec<Day>,
    /// Counts of pages, in the same order.
    pub pages: Vec<PageDay>,
    /// The fate of every line.
    pub tally: Tally,
    /// The times of the first and last impression; `None` without any.
    pub times: Option<(i64, i64)>,
    /// Impressions that are not before the end of the log because they come long after the others: how many, the end, the last one.
    pub beyond_end: Option<(u64, i64, i64)>,
    /// Whether simulated users are among those of the log.
    pub is_synthetic: bool,
    /// Bytes of temporary files.
    pub spilled: u64,
    /// The last day on which all impressions are closed; `None` if all days are.
    pub last_closed_day: Option<i32>,
    /// Whether it was joined in the order of time.
    pub in_order: bool,
    /// How the rankers of impressions were chosen; of several versions, the most careful answer.
    pub choice: PairChoice,
    /// The source of that answer.
    pub said_by: SaidBy,
    /// The most careful way of choosing that impressions declare.
    pub declared: Option<PairChoice>,
    /// Some of the actions that do not count as clicks.
    pub other_actions: BTreeSet<String>,
    /// Rankers that the settings name and no impression does.
    pub never_met: Vec<String>,
    /// Conversions, if there are files of them.
    pub conversions: Option<CreditedConversions>,
}

/// The counts of conversions, and the fate of every line of theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct CreditedConversions {
    /// How they were credited.
    pub rules: ConversionRules,
    /// By version, closing day and pair.
    pub conversions: Conversions,
    /// By line: the number of its file, its line, and its fate.
    pub fates: Vec<(u32, u64, ConversionFate)>,
    /// Units that have not closed, by pair.
    pub open: u64,
    /// Whether lines state values; `None` if no line counts.
    pub has_values: Option<bool>,
}

impl CreditedConversions {
    pub(super) fn new(
        log: &ConversionLog,
        totals: conversions::ConversionTotals,
        rankers: &[String],
        versions: &[Version],
    ) -> Self {
        let fates = log.fates_by_line(&totals.fates(log));
        let days = totals.days.into_iter();
        let days = days.map(|((version, day, pair), counts)| ConversionDay { version, day, pair, counts }).collect();
        let versions = versions.iter().map(|version| version.name.clone()).collect();
        let has_values = log.has_values();
        let cap = log.rules().cap.filter(|_| has_values != Some(false));
        let has_draft = log.rules().draft_places.is_some();
        Self {
            rules: log.rules().clone(),
            conversions: Conversions { rankers: rankers.to_vec(), versions, days, cap, has_draft },
            fates: fates.into_iter().map(|((file, line), fate)| (file, line, fate)).collect(),
            open: totals.open,
            has_values,
        }
    }

    /// The number of lines of a fate.
    #[must_use]
    pub fn lines_with_fate(&self, fate: ConversionFate) -> u64 {
        self.fates.iter().filter(|(.., of_line)| *of_line == fate).count() as u64
    }
}

impl CreditedLog {
    /// The name of a version as a field of CSV; empty for impressions that name none.
    pub(crate) fn version_name(&self, version: usize) -> String {
        quoted(self.versions.get(version).and_then(|version| version.name.as_deref()).unwrap_or_default())
    }

    /// The names of a pair as fields of CSV.
    pub(crate) fn ranker_names(&self, (first, second): (usize, usize)) -> [String; 2] {
        [first, second].map(|place| self.rankers.get(place).map(|name| quoted(name)).unwrap_or_default())
    }

    /// Faults of the log's pages, found from their counts; `settings` are those by which it was credited.
    #[must_use]
    pub fn integrity(&self, settings: &Settings) -> IntegrityReport {
        let versions: Vec<Option<String>> = self.versions.iter().map(|version| version.name.clone()).collect();
        let [_, lines] = self.tally.lines();
        let of = |fate| self.tally.of_clicks(fate);
        let mut report = integrity::check(&Pages {
            rankers: &self.rankers,
            versions: &versions,
            days: &self.pages,
            form: Form { logged: settings.logged, coin_scope: settings.coin_scope() },
            clicks: Clicks {
                all: lines - of(ClickFate::Other) - of(ClickFate::Malformed) - of(ClickFate::Behind),
                unknown: of(ClickFate::Unknown),
                of_other_pages: settings.other_pages,
            },
        });
        if let Some((count, end, last)) = self.beyond_end {
            let [end, last] = [end, last].map(|time| settings.zone.day(time));
            report.add(integrity::far_times(count, last, end));
        }
        report
    }
}
