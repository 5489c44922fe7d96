//! Outcomes of logs: reads their tables, and lists the fate of every line. Not here: outcomes themselves, which are in
//! `verdicts`.

mod conversions;
mod forms;
mod sealed_summary;
mod table;
mod warnings;

use std::fmt::Write as _;

use verdicts::Version;
use verdicts::integrity::{PageCounts, PageDay};
use verdicts::outcomes::{Outcomes, quoted};

use crate::join::{ClickFate, CreditedLog, ImpressionFate, UnitFate};

pub use conversions::{
    CONVERSIONS_FILE, conversions_of_text, conversions_text, primary, read_conversions, rules as conversion_rules,
    summary as conversion_summary,
};
pub use forms::Table;
pub use sealed_summary::{FILE as SUMMARY_FILE, rankers_beside, sealed_summary, summary_beside};
pub use table::{need_impressions, read};
pub use warnings::{integrity, no_counts_warning, summary_of_version, warnings};

/// The outcomes of a log.
#[must_use]
pub fn outcomes_of_log(credited: &CreditedLog) -> Outcomes {
    let versions = credited.versions.iter().map(|Version { name, .. }| name.clone()).collect();
    Outcomes { rankers: credited.rankers.clone(), versions, days: credited.days.clone() }
}

/// Fates of lines, as CSV.
#[must_use]
pub fn fates_csv(credited: &CreditedLog) -> String {
    let mut text = "what,fate,count,meaning\n".to_owned();
    for (what, fate, count, meaning) in fates(credited) {
        let _ = writeln!(text, "{what},{fate},{count},{}", quoted(meaning));
    }
    text
}

/// Counts of pages, as CSV: by version (if any has a name), day and pair.
#[must_use]
pub fn pages_csv(credited_log: &CreditedLog) -> String {
    let are_named = credited_log.versions.iter().any(|version| version.name.is_some());
    let version = if are_named { "version," } else { "" };
    let mut text = format!("{version}day,first,second,{}\n", PageCounts::COLUMNS.join(","));
    for PageDay { version, day, pair, counts } in &credited_log.pages {
        if are_named {
            text += &quoted(credited_log.versions[*version].name.as_deref().unwrap_or_default());
            text.push(',');
        }
        let [first, second] = [pair.0, pair.1].map(|place| quoted(&credited_log.rankers[place]));
        let numbers = counts.numbers().map(|number| number.to_string()).join(",");
        let _ = writeln!(text, "{},{first},{second},{numbers}", times::date(*day));
    }
    text
}

/// Fates of lines: kind of line, name, count and meaning of each fate.
#[must_use]
pub fn fates(credited_log: &CreditedLog) -> Vec<(&'static str, &'static str, u64, &'static str)> {
    let tally = &credited_log.tally;
    let impressions =
        ImpressionFate::ALL.iter().map(|&fate| ("impression", fate.name(), tally.of_impressions(fate), fate.meaning()));
    let clicks = ClickFate::ALL.iter().map(|&fate| ("click", fate.name(), tally.of_clicks(fate), fate.meaning()));
    let units = UnitFate::ALL.iter().map(|&fate| ("unit", fate.name(), tally.of_units(fate), fate.meaning()));
    let after_closing_row =
        ("impression", "after-closing", tally.after_closing, "credited, but not for its unit: that had closed");
    // Only a log that grows has lines that are behind.
    let is_said = |(_, fate, count, _): &(_, &str, u64, _)| *count > 0 || *fate != ImpressionFate::Behind.name();
    let conversions = credited_log.conversions.iter().flat_map(conversions::fates);
    let conversions = conversions.map(|(fate, count, meaning)| ("conversion", fate, count, meaning));
    impressions.chain(clicks).chain(units).chain([after_closing_row]).filter(is_said).chain(conversions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::Counts;
    use verdicts::outcomes::Day;
    use verdicts::outcomes::DayCounts;

    #[test]
    fn outcomes_survive_their_table() {
        let counts = |n: u64| DayCounts::of(Counts::new(n, 2, 3), Counts::new(4, n, 6));
        let outcomes = Outcomes {
            rankers: vec!["a,b".to_owned(), "new \"x\"".to_owned(), "old".to_owned()],
            versions: vec![None],
            days: vec![
                Day { version: 0, day: 20_780, pair: (0, 2), counts: counts(7) },
                Day { version: 0, day: 20_781, pair: (0, 1), counts: counts(9) },
            ],
        };
        let named = Outcomes {
            versions: vec![None, Some("search, web@1".to_owned()), Some("search@2".to_owned())],
            days: (0..3).map(|version| Day { version, ..outcomes.days[version % 2].clone() }).collect(),
            ..outcomes.clone()
        };
        let text = named.to_csv();
        assert!(
            text.starts_with("version,day,first") && text.contains("\n,2026-11-23,") && text.contains("\nsearch@2,")
        );
        assert_eq!(read(&text, &[]).unwrap(), named);
        let text = outcomes.to_csv();
        assert!(text.starts_with("day,first"));
        assert_eq!(read(&text, &[]).unwrap(), outcomes);
        let order = ["old", "new \"x\"", "a,b"].map(str::to_owned);
        let turned = read(&text, &order).unwrap();
        assert_eq!((turned.days[0].pair, turned.days[0].counts.units), ((0, 2), Counts::new(2, 7, 3)));
    }
}
