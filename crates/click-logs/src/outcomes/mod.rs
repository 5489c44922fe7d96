//! Outcomes as tables: by day and pair of rankers, and what became of every line; written, and read back.

mod beside;
mod warnings;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use statistics::Counts;

use crate::error::{LogError, excerpt};
use crate::join::{ClickFate, Credited, Day, DayCounts, ImpressionFate, UnitFate};
use crate::model::time::{date, day_of_date};
use crate::model::{Version, wrong_name, wrong_version};
use crate::read::Fields;

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

    /// From such CSV. The rankers are those that it names, in the order of their names unless `order` lists them all.
    ///
    /// # Errors
    /// With the line and what is wrong with it.
    pub fn from_csv(text: &str, order: &[String]) -> Result<Self, LogError> {
        // Spreadsheets put a mark of the byte order in front.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let wrong = |line: u64, message: String| LogError::of_line(crate::error::Malformed::new(message), line);
        let found = lines.next().map_or("", |(_, header)| header.trim());
        let are_named = found == header(true);
        if !are_named && found != header(false) {
            return Err(wrong(
                1,
                format!(
                    "found the columns {}, expected {}, as `click-logs credit` writes them; separate them by commas",
                    excerpt(found),
                    COLUMNS.join(",")
                ),
            ));
        }
        let columns = COLUMNS.len() + usize::from(are_named);
        let mut rows = Vec::new();
        for (number, line) in lines {
            let fields = Fields::split(line.trim(), b',').map_err(|malformed| LogError::of_line(malformed, number))?;
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            let wrong_number = || wrong(number, format!("{} fields, expected {columns}", fields.len()));
            let (version, fields_of_day) = match fields.split_first() {
                Some((version, rest)) if are_named => (Some(*version).filter(|version| !version.is_empty()), rest),
                _ => (None, fields.as_slice()),
            };
            if let Some(message) = version.and_then(wrong_version) {
                return Err(wrong(number, message));
            }
            let &[day, first, second, ref counts @ ..] = fields_of_day else { return Err(wrong_number()) };
            let day = day_of_date(day)
                .ok_or_else(|| wrong(number, format!("`{day}` is not a date; expected e.g. 2026-11-22")))?;
            if fields.len() != columns {
                return Err(wrong_number());
            }
            let count = |(text, column): (&&str, &&str)| {
                text.parse::<u64>().ok().filter(|count| *count <= MOST).ok_or_else(|| {
                    let found = excerpt(text);
                    wrong(
                        number,
                        format!("`{column}` is {found}, not a count; expected a whole number from 0 to {MOST}"),
                    )
                })
            };
            let counts = counts.iter().zip(&COLUMNS[3..]).map(count).collect::<Result<Vec<u64>, _>>()?;
            let &[wins, losses, ties, all_wins, all_losses, all_ties] = counts.as_slice() else {
                return Err(wrong_number());
            };
            if let Some(message) = [first, second].iter().find_map(|name| wrong_name(name)) {
                return Err(wrong(number, message));
            }
            if first == second {
                return Err(wrong(number, format!("`{first}` against itself; expected two rankers")));
            }
            let counts = DayCounts {
                units: Counts::new(wins, losses, ties),
                impressions: Counts::new(all_wins, all_losses, all_ties),
            };
            rows.push((version.map(str::to_owned), day, first.to_owned(), second.to_owned(), counts));
        }
        let mut rankers: Vec<String> =
            rows.iter().flat_map(|(_, _, first, second, _)| [first.clone(), second.clone()]).collect();
        rankers.sort_unstable();
        rankers.dedup();
        if rankers.iter().all(|name| order.contains(name)) {
            rankers = order.to_vec();
        }
        let place = |name: &String| rankers.iter().position(|known| known == name).expect("every name is there");
        let versions: BTreeSet<&Option<String>> = rows.iter().map(|(version, ..)| version).collect();
        let versions: Vec<Option<String>> = versions.into_iter().cloned().collect();
        let mut days = BTreeMap::<_, DayCounts>::new();
        for (version, day, first, second, counts) in &rows {
            let version = versions.iter().position(|known| known == version).expect("every version is there");
            let (first, second) = (place(first), place(second));
            let (pair, counts) = if first < second {
                ((first, second), *counts)
            } else {
                (
                    (second, first),
                    DayCounts { units: counts.units.swapped(), impressions: counts.impressions.swapped() },
                )
            };
            let sum = days.entry((version, *day, pair)).or_default();
            sum.units += counts.units;
            sum.impressions += counts.impressions;
        }
        let day = |((version, day, pair), counts)| Day { version, day, pair, counts };
        Ok(Self { rankers, versions, days: days.into_iter().map(day).collect() })
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

    /// The pairs that met.
    #[must_use]
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = self.days.iter().map(|day| day.pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// The largest count: sums of days stay far from the largest numbers, and doubles hold it.
const MOST: u64 = 1_000_000_000_000;

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

    #[test]
    fn a_mark_of_the_byte_order_is_passed_over() {
        let text = format!("\u{feff}{}\r\n2026-01-01,a,b,1,2,3,4,5,6\r\n", COLUMNS.join(","));
        assert_eq!(Outcomes::from_csv(&text, &[]).unwrap().days[0].counts.units, Counts::new(1, 2, 3));
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        let header = COLUMNS.join(",");
        for (text, expected) in [
            ("a,b\n".to_owned(), "1: found the columns `a,b`, expected day,first,"),
            (header.replace(',', ";"), "1: found the columns `day;first;"),
            (format!("{header}\n2026-1-1,a,b,1,1,1,1,1,1\n"), "2: `2026-1-1` is not a date"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1\n"), "2: 8 fields"),
            (format!("{header}\n\n2026-01-01,a,b,1,-1,1,1,1,1\n"), "3: `unit_losses` is `-1`, not a count"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1,1.0\n"), "2: `impression_ties` is `1.0`, not a count"),
            // The sums of such counts would begin again at 0.
            (format!("{header}\n2026-01-01,a,b,18446744073709551615,1,1,1,1,1\n"), "2: `unit_wins` is `1844"),
            (format!("{header}\n2026-01-01,a,a,1,1,1,1,1,1\n"), "2: `a` against itself"),
            (format!("version,{header}\n2026-01-01,a,b,1,1,1,1,1,1\n"), "2: `a` is not a date"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1,1,1\n"), "2: 10 fields, expected 9"),
            (format!("version,{header}\n7,2026-01-01,a,b,1,1,1,1,1\n"), "2: 9 fields, expected 10"),
        ] {
            let error = Outcomes::from_csv(&text, &[]).unwrap_err().in_file(std::path::Path::new("t.csv")).to_string();
            assert!(error.starts_with(&format!("t.csv:{expected}")), "{error}");
        }
    }
}
