//! Outcomes read back from CSV, written by `click-logs credit` or by another program.

use std::collections::{BTreeMap, BTreeSet};

use ranktypes::text::excerpt;
use statistics::Counts;
use times::{date, day_of_date};
use verdicts::amounts::Amounts;
use verdicts::outcomes::{COLUMNS, Day, DayCounts, Outcomes, VERSION};
use verdicts::wrong_version;

use crate::error::{LineError, LogError};
use crate::model::wrong_name;
use crate::read::Fields;

/// The largest count: sums of days stay far from the largest numbers, and doubles hold it.
const MAX_COUNT: u64 = 1_000_000_000_000;
/// The largest amount; some amounts are sums of squares.
const MAX_AMOUNT: i64 = 1_000_000_000_000_000;

/// The number of [`COLUMNS`] that a table must have: those of impressions may be left out, all three.
const REQUIRED_COLUMNS: usize = 6;

/// The outcomes in CSV with the columns `day`, `first`, `second`, `unit_wins`, `unit_losses` and `unit_ties`, and perhaps
/// `impression_wins`, `impression_losses`, `impression_ties`, all of [`Amounts::COLUMNS`], and `version`, in any order; others are
/// passed over. A row with empty cells in all columns of amounts has none. The rankers are those that it names, in the order of their names unless `order` lists them all.
///
/// # Errors
/// With the line and its fault; also if two rows are of one version, day and pair.
pub fn read(text: &str, order: &[String]) -> Result<Outcomes, LogError> {
    // Spreadsheets put a mark of the byte order in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (header_line, header) = lines.next().unwrap_or((1, ""));
    let header = header.trim();
    // A header that cannot be split is one column with an unknown name.
    let names = Fields::split(header, b',').unwrap_or_else(|_| vec![header.into()]);
    let split = |(number, line): (u64, &'_ str)| match Fields::split(line.trim(), b',') {
        Ok(fields) => Ok((number, fields.into_iter().map(std::borrow::Cow::into_owned).collect::<Vec<_>>())),
        Err(malformed) => Err(LogError::at_line(malformed, number)),
    };
    let names: Vec<String> = names.into_iter().map(std::borrow::Cow::into_owned).collect();
    let rows = lines.map(split).collect::<Result<Vec<_>, _>>();
    parse_rows(&names, &rows?, order, "line", |message, line| {
        LogError::at_line(LineError::new(message), line.unwrap_or(header_line))
    })
}

/// The outcomes in rows of fields, each with its number; `what` names the thing that numbers count. `error` makes an error of a
/// message and the number of a row, or of no row.
///
/// # Errors
/// As for [`read`].
pub(super) fn parse_rows(
    names: &[String],
    lines: &[(u64, Vec<String>)],
    order: &[String],
    what: &str,
    error: impl Fn(String, Option<u64>) -> LogError,
) -> Result<Outcomes, LogError> {
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    let columns = Columns::find(&names).map_err(|message| error(message, None))?;
    let mut rows = Vec::with_capacity(lines.len());
    for (number, fields) in lines {
        let row = columns.row(fields).map_err(|message| error(message, Some(*number)))?;
        rows.push((row, *number));
    }
    // Stable: the lines of a key stay in their order.
    rows.sort_by(|(a, _), (b, _)| a.key().cmp(&b.key()));
    let twice = rows.windows(2).filter(|rows| rows[0].0.key() == rows[1].0.key());
    if let Some([(row, other), (_, number)]) = twice.min_by_key(|rows| rows[1].1) {
        let [first, second] = row.pair;
        let of = row.version.map_or_else(String::new, |version| format!(" of version {version}"));
        let message = format!(
            "{first} and {second} on {}{of} are in {what} {other} already: a table that is loaded twice counts every unit \
             twice; leave one row for each version, day and pair",
            date(row.day)
        );
        return Err(error(message, Some(*number)));
    }
    let names: BTreeSet<&str> = rows.iter().flat_map(|(row, _)| row.pair).collect();
    let rankers: Vec<String> = if names.iter().all(|name| order.iter().any(|known_name| known_name == name)) {
        order.to_vec()
    } else {
        names.into_iter().map(str::to_owned).collect()
    };
    let ranker_numbers: BTreeMap<&str, usize> = rankers.iter().map(String::as_str).zip(0..).collect();
    let mut versions: Vec<Option<&str>> = rows.iter().map(|(row, _)| row.version).collect();
    versions.dedup();
    let mut days: Vec<Day> = rows
        .into_iter()
        .map(|(Row { version, day, pair, counts }, _)| {
            let version =
                versions.iter().position(|known_name| *known_name == version).expect("every version is there");
            let [first, second] = pair.map(|name| ranker_numbers[name]);
            let (pair, counts) =
                if first < second { ((first, second), counts) } else { ((second, first), counts.swapped()) };
            Day { version, day, pair, counts }
        })
        .collect();
    days.sort_by_key(|day| (day.version, day.day, day.pair));
    Ok(Outcomes { rankers, versions: versions.into_iter().map(|name| name.map(str::to_owned)).collect(), days })
}

/// Refuses outcomes that have only units if impressions must be counted.
///
/// # Errors
/// If there are units and no impressions.
pub fn need_impressions(outcomes: &Outcomes) -> Result<(), LogError> {
    let has = |counts: fn(&Day) -> Counts| outcomes.days.iter().any(|day| counts(day).total() > 0);
    if has(|day| day.counts.units) && !has(|day| day.counts.impressions) {
        let columns = COLUMNS[REQUIRED_COLUMNS..].join(", ");
        return Err(LogError::new(format!("the table counts no impressions; add the columns {columns}")));
    }
    Ok(())
}

/// The positions of a table's columns.
struct Columns {
    version: Option<usize>,
    /// By [`COLUMNS`].
    places: Vec<usize>,
    /// By [`Amounts::COLUMNS`]; empty if the table has none of them.
    amounts: Vec<usize>,
    number: usize,
}

/// A row of a table.
struct Row<'a> {
    version: Option<&'a str>,
    day: i32,
    /// By name.
    pair: [&'a str; 2],
    /// The counts of the first of them.
    counts: DayCounts,
}

impl<'a> Row<'a> {
    /// The key of a row, unique in a table.
    fn key(&self) -> (Option<&'a str>, i32, [&'a str; 2]) {
        (self.version, self.day, self.pair)
    }
}

/// A date without the midnight that engines write behind it.
fn without_midnight(text: &str) -> &str {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let is_midnight = time.chars().all(|c| matches!(c, '0' | ':' | '.' | 'Z' | '+' | ' '));
    if is_midnight { date } else { text }
}

impl Columns {
    fn find(names: &[&str]) -> Result<Self, String> {
        let column_of = |name: &str| {
            let mut columns_found =
                names.iter().enumerate().filter(|(_, found)| **found == name).map(|(column_of, _)| column_of);
            match (columns_found.next(), columns_found.next()) {
                (_, Some(_)) => Err(format!("the column `{name}` is there twice; leave one of them out")),
                (column_of, None) => Ok(column_of),
            }
        };
        let columns_found = COLUMNS.iter().map(|name| column_of(name)).collect::<Result<Vec<_>, _>>()?;
        let missing_columns: Vec<&str> = COLUMNS
            .iter()
            .zip(&columns_found)
            .filter(|(_, column_of)| column_of.is_none())
            .map(|(name, _)| *name)
            .collect();
        let has_impressions = columns_found[REQUIRED_COLUMNS..].iter().any(Option::is_some);
        let required = if has_impressions { COLUMNS.len() } else { REQUIRED_COLUMNS };
        if columns_found[..required].iter().any(Option::is_none) {
            let missing_columns: Vec<&str> =
                missing_columns.into_iter().filter(|name| COLUMNS[..required].contains(name)).collect();
            return Err(format!(
                "found the columns {} and no {}; expected {}, as `click-logs credit` writes them, separated by commas",
                excerpt(&names.join(",")),
                missing_columns.join(", "),
                COLUMNS.join(",")
            ));
        }
        let amounts = Amounts::COLUMNS.iter().map(|name| column_of(name)).collect::<Result<Vec<_>, _>>()?;
        if amounts.iter().any(Option::is_some)
            && let Some((name, _)) = Amounts::COLUMNS.iter().zip(&amounts).find(|(_, column_of)| column_of.is_none())
        {
            return Err(format!(
                "found some columns of amounts and no {name}; leave all of them out, or none of {}",
                Amounts::COLUMNS.join(",")
            ));
        }
        let [columns_found, amounts] =
            [columns_found, amounts].map(|columns_found| columns_found.into_iter().flatten().collect());
        Ok(Self { version: column_of(VERSION)?, places: columns_found, amounts, number: names.len() })
    }

    /// The amounts of a row, given the number of its units that closed.
    fn amounts(&self, fields: &[String], closed_units: u64) -> Result<Amounts, String> {
        if self.amounts.iter().all(|place| fields[*place].trim().is_empty()) {
            return Ok(Amounts::default());
        }
        let mut numbers = [0; Amounts::COLUMNS.len()];
        for ((number, column), place) in numbers.iter_mut().zip(Amounts::COLUMNS).zip(&self.amounts) {
            let least = if column.ends_with("_products") { -MAX_AMOUNT } else { 0 };
            let field = &fields[*place];
            *number =
                field.trim().parse().ok().filter(|number| (least..=MAX_AMOUNT).contains(number)).ok_or_else(|| {
                    format!(
                        "`{column}` is {}, not an amount; expected a whole number from {least} to {MAX_AMOUNT}",
                        excerpt(field)
                    )
                })?;
        }
        let amounts = Amounts::from_numbers(numbers);
        amounts.fault(closed_units).map_or(Ok(amounts), Err)
    }

    fn row<'a>(&self, fields: &'a [String]) -> Result<Row<'a>, String> {
        if fields.len() != self.number {
            return Err(format!("{} fields, expected {}", fields.len(), self.number));
        }
        let version = self.version.map(|column| fields[column].as_str()).filter(|version| !version.is_empty());
        if let Some(message) = version.and_then(wrong_version) {
            return Err(message);
        }
        let [day, first, second] = [0, 1, 2].map(|column| fields[self.places[column]].as_str());
        let day = day_of_date(without_midnight(day.trim()))
            .ok_or_else(|| format!("`day` is {}, not a date; expected e.g. 2026-11-22", excerpt(day)))?;
        let mut counts = [0; COLUMNS.len() - 3];
        for ((count, name), column) in counts.iter_mut().zip(&COLUMNS[3..]).zip(&self.places[3..]) {
            *count = fields[*column].trim().parse().ok().filter(|count| *count <= MAX_COUNT).ok_or_else(|| {
                format!(
                    "`{name}` is {}, not a count; expected a whole number from 0 to {MAX_COUNT}",
                    excerpt(&fields[*column])
                )
            })?;
        }
        if let Some(message) = [first, second].iter().find_map(|name| wrong_name(name)) {
            return Err(message);
        }
        let [wins, losses, ties, all_wins, all_losses, all_ties] = counts;
        let units = Counts::new(wins, losses, ties);
        let counts = DayCounts {
            units,
            impressions: Counts::new(all_wins, all_losses, all_ties),
            amounts: self.amounts(fields, units.total())?,
        };
        match first.cmp(second) {
            std::cmp::Ordering::Equal => Err(format!("`{first}` against itself; expected two rankers")),
            std::cmp::Ordering::Less => Ok(Row { version, day, pair: [first, second], counts }),
            std::cmp::Ordering::Greater => Ok(Row { version, day, pair: [second, first], counts: counts.swapped() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_in_any_order_and_others_are_passed_over() {
        let usual = format!("{}\n2026-01-01,b,a,1,2,3,4,5,6\n2026-01-03,a,b,7,8,9,10,11,12\n", COLUMNS.join(","));
        let expected = read(&usual, &[]).unwrap();
        assert_eq!(expected.days[0].counts.units, Counts::new(2, 1, 3));
        assert_eq!((expected.missing_days(), need_impressions(&expected)), (vec![20_455], Ok(())));
        let turned = "note,impression_ties,unit_ties,second,first,unit_wins,unit_losses,impression_losses,impression_wins,day\n\
                      x,6,3,a,b,1,2,5,4,2026-01-01\n\"y,z\",12,9,b,a,7,8,11,10,2026-01-03\n";
        assert_eq!(read(turned, &[]).unwrap(), expected);
        let units = "unit_wins,unit_losses,unit_ties,day,first,second\n1,2,3,2026-01-01,b,a\n";
        let read_units = read(units, &[]).unwrap();
        assert_eq!(
            (read_units.days[0].counts.units, read_units.days[0].counts.impressions.total()),
            (Counts::new(2, 1, 3), 0)
        );
        assert!(need_impressions(&read_units).unwrap_err().to_string().contains("add the columns impression_wins,"));
        for (header, expected) in [
            ("day,first,second,unit_wins,unit_losses", "and no unit_ties; expected day,first,"),
            (
                "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins",
                "and no impression_losses, impression_ties;",
            ),
            ("day,day,first,second,unit_wins,unit_losses,unit_ties", "the column `day` is there twice"),
        ] {
            let error = read(header, &[]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn amounts_are_read_where_they_are() {
        let usual = format!("{},{}", COLUMNS.join(","), Amounts::COLUMNS.join(","));
        // A unit with two impressions, two clicks on a document of the first and one of the second; and one without known sides.
        let known = "2026-01-01,b,a,1,0,1,2,0,0,1,2,4,2,1,0,1,2,1,1,0,0,0";
        let table = format!("{usual}\n{known}\n2026-01-02,a,b,1,2,3,4,5,6{}\n", ",".repeat(13));
        let found = read(&table, &[]).unwrap();
        let [first, second] = [&found.days[0].counts.amounts, &found.days[1].counts.amounts];
        assert_eq!((first.units, first.clicks.first, first.clicks.second, first.clicks.products), (1, 1, 2, -2));
        assert!(second.are_none());
        assert_eq!(read(&found.to_csv(), &[]).unwrap(), found);
        let without = read(&format!("{}\n2026-01-01,b,a,1,0,1,2,0,0\n", COLUMNS.join(",")), &[]).unwrap();
        assert!(!without.have_amounts() && without.to_csv().lines().next() == Some(&*COLUMNS.join(",")));
        for (text, expected) in [
            (table.replace(",cut_clicks", ",cut"), "1: found some columns of amounts and no cut_clicks;"),
            (table.replace(",1,2,4,2,1,", ",1,2,4,2,,"), "2: `second_clicks` is ``, not an amount"),
            (table.replace(",1,2,4,2,1,", ",1,2,4,2,-1,"), "2: `second_clicks` is `-1`, not an amount"),
            (table.replace(",1,2,4,2,1,", ",3,2,4,2,1,"), "2: `amount_units` is 3, but 2 units closed"),
            (table.replace(",1,2,4,2,1,", ",1,2,4,9,1,"), "2: no units have these amounts (amount_units 1, "),
        ] {
            let error = read(&text, &[]).unwrap_err().in_file(std::path::Path::new("t.csv")).to_string();
            assert!(error.starts_with(&format!("t.csv:{expected}")), "{error}");
        }
    }

    #[test]
    fn a_table_that_is_loaded_twice_is_refused() {
        let header = format!("version,{}", COLUMNS.join(","));
        let row = "1,2026-01-01,a,b,1,2,3,4,5,6";
        for again in [row, "1,2026-01-01,b,a,2,1,3,5,4,6"] {
            let error = read(&format!("{header}\n{row}\n{again}\n"), &[]).unwrap_err().to_string();
            assert!(error.starts_with("a and b on 2026-01-01 of version 1 are in line 2 already"), "{error}");
        }
        let other = read(&format!("{header}\n{row}\n2{}\n", &row[1..]), &[]).unwrap();
        assert_eq!(other.versions.len(), 2);
    }

    #[test]
    fn a_mark_of_the_byte_order_is_passed_over() {
        let text = format!("\u{feff}{}\r\n2026-01-01,a,b,1,2,3,4,5,6\r\n", COLUMNS.join(","));
        assert_eq!(read(&text, &[]).unwrap().days[0].counts.units, Counts::new(1, 2, 3));
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        let header = COLUMNS.join(",");
        for (text, expected) in [
            ("a,b\n".to_owned(), "1: found the columns `a,b` and no day, first, second,"),
            (header.replace(',', ";"), "1: found the columns `day;first;"),
            (format!("{header}\n2026-1-1,a,b,1,1,1,1,1,1\n"), "2: `day` is `2026-1-1`, not a date"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1\n"), "2: 8 fields"),
            (format!("{header}\n\n2026-01-01,a,b,1,-1,1,1,1,1\n"), "3: `unit_losses` is `-1`, not a count"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1,1.0\n"), "2: `impression_ties` is `1.0`, not a count"),
            // The sums of such counts would begin again at 0.
            (format!("{header}\n2026-01-01,a,b,18446744073709551615,1,1,1,1,1\n"), "2: `unit_wins` is `1844"),
            (format!("{header}\n2026-01-01,a,a,1,1,1,1,1,1\n"), "2: `a` against itself"),
            (format!("version,{header}\n2026-01-01,a,b,1,1,1,1,1,1,1\n"), "2: `day` is `a`, not a date"),
            (format!("{header}\n2026-01-01,a,b,1,1,1,1,1,1,1\n"), "2: 10 fields, expected 9"),
            (format!("version,{header}\n7,2026-01-01,a,b,1,1,1,1,1\n"), "2: 9 fields, expected 10"),
        ] {
            let error = read(&text, &[]).unwrap_err().in_file(std::path::Path::new("t.csv")).to_string();
            assert!(error.starts_with(&format!("t.csv:{expected}")), "{error}");
        }
    }
}
