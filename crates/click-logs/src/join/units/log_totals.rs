//! Counts of parts of a log, added up.

use std::collections::BTreeMap;

use super::day_counts::{DayTotals, split_days};
use super::lineup_index::{most_careful_choice, resolve_versions};
use crate::join::credited_log::CreditedLog;
use crate::join::span::beyond_end;
use crate::join::survey::Survey;
use crate::join::tally::Tally;
use crate::model::Settings;

/// Counts of parts of a log, added up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogTotals {
    /// By version, day and names.
    pub days: BTreeMap<(Option<String>, i32, [String; 2]), DayTotals>,
    /// Fates of lines.
    pub tally: Tally,
}

impl LogTotals {
    /// Adds the counts of a day of a version of the experiment; `names` are in the order of results.
    pub fn add_day(&mut self, version: Option<String>, day: i32, names: [String; 2], totals: DayTotals) {
        *self.days.entry((version, day, names)).or_default() += totals;
    }

    /// The result, once all parts are added.
    #[must_use]
    pub fn credited(self, survey: &Survey, settings: &Settings) -> CreditedLog {
        let rankers = survey.names(settings);
        let place = |name: &String| rankers.iter().position(|known| known == name).expect("checked when it was pushed");
        let versions = resolve_versions(&survey.versions, settings);
        let number = |name: &Option<String>| {
            versions.iter().position(|version| version.name == *name).expect("checked when it was pushed")
        };
        let (days, pages) = split_days(self.days.iter().map(|((version, day, names), &totals)| {
            let pair = (place(&names[0]), place(&names[1]));
            ((number(version), *day, pair), totals)
        }));
        let strictest = most_careful_choice(&versions);
        let is_met = |name: &String| survey.versions.values().any(|totals| totals.rankers.contains(name));
        CreditedLog {
            days,
            pages,
            tally: self.tally.settled(),
            times: survey.times.ends(),
            beyond_end: beyond_end(&survey.times, settings),
            is_synthetic: survey.is_synthetic,
            spilled: 0,
            last_closed_day: match survey.closing(settings) {
                (i64::MAX, _) => None,
                (_, last_day) => Some(last_day),
            },
            in_order: false,
            choice: strictest.choice,
            said_by: strictest.said_by,
            declared: strictest.declared,
            versions,
            other_actions: survey.other_actions.clone(),
            never_met: settings.rankers.iter().filter(|name| !is_met(name)).cloned().collect(),
            conversions: None,
            rankers,
        }
    }
}
