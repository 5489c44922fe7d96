//! Outcomes by version of the experiment, day and pair of rankers: the input of verdicts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use statistics::Counts;
use times::date;

use crate::amounts::Amounts;

/// The outcomes of one day for a pair of rankers in a version of the experiment; wins are those of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// The version, by its place among all.
    pub version: usize,
    /// Days since 1970-01-01.
    pub day: i32,
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// The counts.
    pub counts: DayCounts,
}

/// Outcomes of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayCounts {
    /// Units that closed on the day.
    pub units: Counts,
    /// Impressions shown on the day.
    pub impressions: Counts,
    /// How many clicks and clicked impressions each side of the units has, where that is known.
    pub amounts: Amounts,
}

impl DayCounts {
    /// These, without amounts.
    #[must_use]
    pub fn of(units: Counts, impressions: Counts) -> Self {
        Self { units, impressions, amounts: Amounts::default() }
    }

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let Self { units, impressions, amounts } = self;
        Self { units: units.swapped(), impressions: impressions.swapped(), amounts: amounts.swapped() }
    }
}

/// The columns of a table of outcomes; those of [`Amounts::COLUMNS`] follow where some row has amounts.
pub const COLUMNS: [&str; 9] = [
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
pub const VERSION: &str = "version";

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
    /// Whether some impression names the version of its experiment.
    #[must_use]
    pub fn are_named(&self) -> bool {
        self.versions.iter().any(Option::is_some)
    }

    /// Whether some row has amounts.
    #[must_use]
    pub fn have_amounts(&self) -> bool {
        self.days.iter().any(|day| !day.counts.amounts.are_none())
    }

    /// As CSV; wins are those of the first ranker, and units stand on the day on which they closed.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let (are_named, have_amounts) = (self.are_named(), self.have_amounts());
        let mut text = header(are_named, have_amounts) + "\n";
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
            if have_amounts {
                counts.amounts.numbers().iter().for_each(|number| _ = write!(text, ",{number}"));
            }
            text.push('\n');
        }
        text
    }

    /// The same outcomes, with the versions that a summary names and that have no closed outcome.
    #[must_use]
    pub fn add_versions(mut self, summary: &serde_json::Value) -> Self {
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
fn header(are_named: bool, have_amounts: bool) -> String {
    let version = are_named.then_some(VERSION).into_iter();
    let amounts: &[&str] = if have_amounts { &Amounts::COLUMNS } else { &[] };
    version.chain(COLUMNS).chain(amounts.iter().copied()).collect::<Vec<_>>().join(",")
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

/// The outcomes of a table of [`Outcomes::to_csv`] with names that need no quotation marks.
#[cfg(test)]
pub(crate) fn parse_table(table: &str) -> Outcomes {
    let (header, rows) = table.split_once('\n').unwrap();
    let are_named = header.starts_with(VERSION);
    let rows: Vec<(Option<String>, Vec<&str>)> = rows
        .lines()
        .map(|row| {
            let mut fields: Vec<&str> = row.split(',').collect();
            let version = are_named.then(|| fields.remove(0)).filter(|version| !version.is_empty());
            (version.map(str::to_owned), fields)
        })
        .collect();
    let names: BTreeSet<&str> = rows.iter().flat_map(|(_, fields)| [fields[1], fields[2]]).collect();
    let versions: BTreeSet<Option<String>> = rows.iter().map(|(version, _)| version.clone()).collect();
    let mut days: Vec<Day> = rows
        .iter()
        .map(|(version, fields)| {
            let place = |name: &str| names.iter().position(|known_name| *known_name == name).unwrap();
            let count = |column: usize| fields[column].parse().unwrap();
            let counts = |column: usize| Counts::new(count(column), count(column + 1), count(column + 2));
            let (first, second) = (place(fields[1]), place(fields[2]));
            let mut counts = DayCounts::of(counts(3), counts(6));
            if fields.len() > COLUMNS.len() {
                let number = |column: usize| fields[COLUMNS.len() + column].parse().unwrap();
                counts.amounts = Amounts::from_numbers(std::array::from_fn(number));
            }
            if second < first {
                counts = counts.swapped();
            }
            Day {
                version: versions.iter().position(|known_name| known_name == version).unwrap(),
                day: times::day_of_date(fields[0]).unwrap(),
                pair: (first.min(second), first.max(second)),
                counts,
            }
        })
        .collect();
    days.sort_by_key(|day| (day.version, day.day, day.pair));
    Outcomes { rankers: names.into_iter().map(str::to_owned).collect(), versions: versions.into_iter().collect(), days }
}
