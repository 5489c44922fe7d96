//! What a log says, as counts.

use std::collections::BTreeSet;

use verdicts::integrity::{self, Checked, Clicks, Form, PageDay, Pages};
use verdicts::outcomes::Day;
use verdicts::{PairChoice, SaidBy, Version};

use super::tally::{ClickFate, Tally};
use crate::model::Settings;

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Credited {
    /// The rankers, in the order of results.
    pub rankers: Vec<String>,
    /// The versions of the experiment, in the order of their names; none if no list was mixed.
    pub versions: Vec<Version>,
    /// By version, day and pair, in this order.
    pub days: Vec<Day>,
    /// What pages show, in the same order.
    pub pages: Vec<PageDay>,
    /// What became of every line.
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
    /// How the rankers of impressions were chosen, by the most careful of all versions.
    pub choice: PairChoice,
    /// Who says so.
    pub said_by: SaidBy,
    /// The most careful way of choosing that impressions declare.
    pub declared: Option<PairChoice>,
    /// Some of the actions that do not count as clicks.
    pub other_actions: BTreeSet<String>,
    /// Rankers that the settings name and no impression does.
    pub never_met: Vec<String>,
}

impl Credited {
    /// What is wrong with the pages of the log, by what they show; `settings` are those by which it was credited.
    #[must_use]
    pub fn integrity(&self, settings: &Settings) -> Checked {
        let versions: Vec<Option<String>> = self.versions.iter().map(|version| version.name.clone()).collect();
        let [_, lines] = self.tally.lines();
        let of = |fate| self.tally.of_clicks(fate);
        let mut checked = integrity::check(&Pages {
            rankers: &self.rankers,
            versions: &versions,
            days: &self.pages,
            form: Form { logged: settings.logged, fresh: settings.fresh() },
            clicks: Clicks {
                all: lines - of(ClickFate::Other) - of(ClickFate::Malformed) - of(ClickFate::Behind),
                unknown: of(ClickFate::Unknown),
                of_other_pages: settings.other_pages,
            },
        });
        if let Some((count, end, last)) = self.beyond_end {
            let [end, last] = [end, last].map(|time| settings.zone.day(time));
            checked.add(integrity::far_times(count, last, end));
        }
        checked
    }
}
