//! Outcomes as tables: by day and pair of rankers, and what became of every line; written, and read back.

mod beside;
mod warnings;

use std::fmt::Write as _;

use statistics::Counts;

use crate::error::LogError;
use crate::join::{ClickFate, Credited, Day, DayCounts, ImpressionFate, UnitFate};
use crate::model::time::{date, day_of_date};
use crate::model::wrong_name;
use crate::read::Fields;

pub use beside::{FILE as SUMMARY_FILE, sealed_summary, summary_beside};
pub use warnings::{missing, warnings};

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

/// Outcomes by day and pair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// The rankers.
    pub rankers: Vec<String>,
    /// By day and pair, in this order.
    pub days: Vec<Day>,
}

impl Outcomes {
    /// Those of a log.
    #[must_use]
    pub fn of(credited: &Credited) -> Self {
        Self { rankers: credited.rankers.clone(), days: credited.days.clone() }
    }

    /// As CSV; wins are those of the first ranker, and units stand on the day on which they closed.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = COLUMNS.join(",") + "\n";
        for Day { day, pair, counts } in &self.days {
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
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let wrong = |line: u64, message: String| LogError::of_line(crate::error::Malformed::new(message), line);
        let header = lines.next().map_or("", |(_, header)| header.trim());
        if header != COLUMNS.join(",") {
            return Err(wrong(
                1,
                format!("expected the columns {}, as `click-logs credit` writes them", COLUMNS.join(",")),
            ));
        }
        let mut rows = Vec::new();
        for (number, line) in lines {
            let fields = Fields::split(line.trim(), b',').map_err(|malformed| LogError::of_line(malformed, number))?;
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            let &[day, first, second, ref counts @ ..] = fields.as_slice() else {
                return Err(wrong(number, format!("{} fields, expected {}", fields.len(), COLUMNS.len())));
            };
            let day = day_of_date(day)
                .ok_or_else(|| wrong(number, format!("`{day}` is not a date; expected e.g. 2026-11-22")))?;
            let count =
                |text: &&str| text.parse::<u64>().map_err(|_| wrong(number, format!("`{text}` is not a count")));
            let counts = counts.iter().map(count).collect::<Result<Vec<u64>, _>>()?;
            let &[wins, losses, ties, all_wins, all_losses, all_ties] = counts.as_slice() else {
                return Err(wrong(number, format!("{} fields, expected {}", fields.len(), COLUMNS.len())));
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
            rows.push((day, first.to_owned(), second.to_owned(), counts));
        }
        let mut rankers: Vec<String> =
            rows.iter().flat_map(|(_, first, second, _)| [first.clone(), second.clone()]).collect();
        rankers.sort_unstable();
        rankers.dedup();
        if rankers.iter().all(|name| order.contains(name)) {
            rankers = order.to_vec();
        }
        let place = |name: &String| rankers.iter().position(|known| known == name).expect("every name is there");
        let mut days = std::collections::BTreeMap::<_, DayCounts>::new();
        for (day, first, second, counts) in &rows {
            let (first, second) = (place(first), place(second));
            let (pair, counts) = if first < second {
                ((first, second), *counts)
            } else {
                (
                    (second, first),
                    DayCounts { units: counts.units.reversed(), impressions: counts.impressions.reversed() },
                )
            };
            let sum = days.entry((*day, pair)).or_default();
            sum.units += counts.units;
            sum.impressions += counts.impressions;
        }
        let days = days.into_iter().map(|((day, pair), counts)| Day { day, pair, counts }).collect();
        Ok(Self { rankers, days })
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
            days: vec![
                Day { day: 20_780, pair: (0, 2), counts: counts(7) },
                Day { day: 20_781, pair: (0, 1), counts: counts(9) },
            ],
        };
        let text = outcomes.to_csv();
        assert_eq!(Outcomes::from_csv(&text, &[]).unwrap(), outcomes);
        let order = ["old", "new \"x\"", "a,b"].map(str::to_owned);
        let turned = Outcomes::from_csv(&text, &order).unwrap();
        assert_eq!((turned.days[0].pair, turned.days[0].counts.units), ((0, 2), Counts::new(2, 7, 3)));
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        let header = COLUMNS.join(",");
        for (text, expected) in [
            ("a,b\n".to_owned(), "1: expected the columns"),
            (format!("{header}\n2026-1-1,a,b,1,1,1,1,1,1\n"), "2: `2026-1-1` is not a date"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1\n"), "2: 8 fields"),
            (format!("{header}\n\n2026-01-01,a,b,1,-1,1,1,1,1\n"), "3: `-1` is not a count"),
            (format!("{header}\n2026-01-01,a,a,1,1,1,1,1,1\n"), "2: `a` against itself"),
        ] {
            let error = Outcomes::from_csv(&text, &[]).unwrap_err().in_file(std::path::Path::new("t.csv")).to_string();
            assert!(error.starts_with(&format!("t.csv:{expected}")), "{error}");
        }
    }
}
