//! Outcomes as tables: by day and pair of rankers, and what became of every line; written, and read back.

mod beside;
mod table;
mod warnings;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use statistics::Counts;

use crate::error::LogError;
use crate::join::{ClickFate, Credited, Day, ImpressionFate, UnitFate};
use crate::model::Version;
use crate::model::time::date;

pub use beside::{FILE as SUMMARY_FILE, sealed_summary, summary_beside};
pub use warnings::{missing, of_version, warnings};

/// The columns of a table of outcomes.
const COLUMNS: [&str; 9] = [
    "day",
    "first",
    "second",
    "unit_wins",
    "unit_losses",
    "unit_ties",
    "impression_wins",
    "impression_losses",
    "impression_ties",
];

/// The column of versions, which comes first in a table where some impression names one.
const VERSION: &str = "version";

/// Outcomes by version of the experiment, day and pair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// The rankers.
    pub rankers: Vec<String>,
    /// The versions; `None` for impressions that name none. Outcomes of two are never added up.
    pub versions: Vec<Option<String>>,
    /// By version, day and pair, in this order.
    pub days: Vec<Day>,
}

impl Outcomes {
    /// Those of a log.
    #[must_use]
    pub fn of(credited: &Credited) -> Self {
        let versions = credited.versions.iter().map(|Version { name, .. }| name.clone()).collect();
        Self { rankers: credited.rankers.clone(), versions, days: credited.days.clone() }
    }

    /// Whether some impression names the version of its experiment.
    #[must_use]
    pub fn are_named(&self) -> bool {
        self.versions.iter().any(Option::is_some)
    }

    /// As CSV; wins are those of the first ranker, and units stand on the day on which they closed.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let are_named = self.are_named();
        let mut text = header(are_named) + "\n";
        for Day { version, day, pair, counts } in &self.days {
            if are_named {
                text += &quoted(self.versions.get(*version).and_then(Option::as_deref).unwrap_or_default());
                text.push(',');
            }
            let [first, second] = [pair.0, pair.1].map(|place| quoted(&self.rankers[place]));
            let _ = write!(text, "{},{first},{second}", date(*day));
            for Counts { wins, losses, ties } in [counts.units, counts.impressions] {
                let _ = write!(text, ",{wins},{losses},{ties}");
            }
            text.push('\n');
        }
        text
    }

    /// The same, with versions that a summary names and no outcome has closed of.
    #[must_use]
    pub fn with_versions_of(mut self, summary: &serde_json::Value) -> Self {
        for version in summary["versions"].as_array().into_iter().flatten() {
            let name = version["version"].as_str().map(str::to_owned);
            if !self.versions.contains(&name) {
                self.versions.push(name);
            }
        }
        self
    }

    /// The days without any row between the first and the last, at most 10,000.
    #[must_use]
    pub fn missing_days(&self) -> Vec<i32> {
        let days: BTreeSet<i32> = self.days.iter().map(|day| day.day).collect();
        let (Some(&first), Some(&last)) = (days.first(), days.last()) else { return vec![] };
        // A row of another century is one fault and not a million.
        (first..last).filter(|day| !days.contains(day)).take(10_000).collect()
    }

    /// Refuses outcomes of units alone where impressions shall be counted.
    ///
    /// # Errors
    /// If there are units and no impressions.
    pub fn need_impressions(&self) -> Result<(), LogError> {
        let has = |counts: fn(&Day) -> Counts| self.days.iter().any(|day| counts(day).total() > 0);
        if has(|day| day.counts.units) && !has(|day| day.counts.impressions) {
            let columns = COLUMNS[6..].join(", ");
            return Err(LogError::new(format!("the table counts no impressions; add the columns {columns}")));
        }
        Ok(())
    }

    /// The pairs that met.
    #[must_use]
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = self.days.iter().map(|day| day.pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// The first line of a table.
fn header(are_named: bool) -> String {
    let columns = COLUMNS.join(",");
    if are_named { format!("{VERSION},{columns}") } else { columns }
}

/// What became of every line, as CSV.
#[must_use]
pub fn fates_csv(credited: &Credited) -> String {
    let mut text = "what,fate,count,meaning\n".to_owned();
    for (what, fate, count, meaning) in fates(credited) {
        let _ = writeln!(text, "{what},{fate},{count},{}", quoted(meaning));
    }
    text
}

/// What became of every line: of what, the name of its fate, how many, and what it means.
#[must_use]
pub fn fates(credited: &Credited) -> Vec<(&'static str, &'static str, u64, &'static str)> {
    let tally = &credited.tally;
    let impressions =
        ImpressionFate::ALL.iter().map(|&fate| ("impression", fate.name(), tally.of_impressions(fate), fate.meaning()));
    let clicks = ClickFate::ALL.iter().map(|&fate| ("click", fate.name(), tally.of_clicks(fate), fate.meaning()));
    let units = UnitFate::ALL.iter().map(|&fate| ("unit", fate.name(), tally.of_units(fate), fate.meaning()));
    let rest = ("impression", "after-closing", tally.after_closing, "credited, but not for its unit: that had closed");
    impressions.chain(clicks).chain(units).chain([rest]).collect()
}

/// A field of CSV, quoted where it must be.
#[must_use]
pub fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::DayCounts;

    #[test]
    fn outcomes_survive_their_table() {
        let counts = |n: u64| DayCounts { units: Counts::new(n, 2, 3), impressions: Counts::new(4, n, 6) };
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
        assert_eq!(Outcomes::from_csv(&text, &[]).unwrap(), named);
        let text = outcomes.to_csv();
        assert!(text.starts_with("day,first"));
        assert_eq!(Outcomes::from_csv(&text, &[]).unwrap(), outcomes);
        let order = ["old", "new \"x\"", "a,b"].map(str::to_owned);
        let turned = Outcomes::from_csv(&text, &order).unwrap();
        assert_eq!((turned.days[0].pair, turned.days[0].counts.units), ((0, 2), Counts::new(2, 7, 3)));
    }
}
