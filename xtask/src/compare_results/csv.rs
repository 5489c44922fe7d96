//! CSV: columns by header, rows by their key columns.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use super::report::Report;
use super::{IGNORED, KEY_COLUMNS};

/// A file as rows of named cells.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

pub(super) fn compare([old, new]: [&[u8]; 2], report: &mut Report) -> Result<()> {
    let (old, new) = (Table::parse(old).context("OLD")?, Table::parse(new).context("NEW")?);
    for name in old.header.iter().filter(|name| !new.header.contains(name)) {
        report.difference(&format!("column {name}"), "there", "missing");
    }
    for name in new.header.iter().filter(|name| !old.header.contains(name)) {
        report.difference(&format!("column {name}"), "missing", "there");
    }
    let shared: Vec<&String> = old.header.iter().filter(|name| new.header.contains(name)).collect();
    let (keys, values): (Vec<&String>, Vec<&String>) =
        shared.into_iter().filter(|name| !IGNORED.contains(&name.as_str())).partition(|name| is_key(name));
    let (old_rows, new_rows) = (old.by_key(&keys), new.by_key(&keys));
    let all: BTreeSet<&Vec<String>> = old_rows.keys().chain(new_rows.keys()).collect();
    report.count(all.len(), "rows");
    for key in all {
        let place = show(&keys, key);
        match (old_rows.get(key), new_rows.get(key)) {
            (Some(old_row), Some(new_row)) => {
                for name in &values {
                    let (old, new) = (old.cell(old_row, name), new.cell(new_row, name));
                    if old != new {
                        report.difference(&format!("{place}, column {name}"), old, new);
                    }
                }
            }
            (Some(_), None) => report.difference(&place, "there", "missing"),
            _ => report.difference(&place, "missing", "there"),
        }
    }
    Ok(())
}

fn is_key(name: &str) -> bool {
    KEY_COLUMNS.contains(&name)
}

fn show(keys: &[&String], key: &[String]) -> String {
    let mut parts: Vec<String> = keys.iter().zip(key).map(|(name, value)| format!("{name} {value}")).collect();
    // The number after the key columns counts rows of the same key.
    if let Some(count) = key.last().filter(|count| keys.is_empty() || *count != "0") {
        parts.push(format!("row {count}"));
    }
    parts.join(", ")
}

impl Table {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).context("is not UTF-8")?;
        let mut records = records(text)?.into_iter();
        let header = records.next().context("has no header")?;
        let rows: Vec<Vec<String>> = records.collect();
        if let Some(row) = rows.iter().position(|row| row.len() != header.len()) {
            bail!("row {} has {} cells, the header has {}", row + 1, rows[row].len(), header.len());
        }
        Ok(Self { header, rows })
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    fn cell<'a>(&self, row: &'a [String], name: &str) -> &'a str {
        self.column(name).map_or("", |column| &row[column])
    }

    /// Rows under the values of the key columns and, last, their number among rows of the same key.
    fn by_key(&self, keys: &[&String]) -> BTreeMap<Vec<String>, &Vec<String>> {
        let mut seen: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut rows = BTreeMap::new();
        for row in &self.rows {
            let mut key: Vec<String> = keys.iter().map(|name| self.cell(row, name).to_owned()).collect();
            let count = seen.entry(key.clone()).or_default();
            key.push(count.to_string());
            *count += 1;
            rows.insert(key, row);
        }
        rows
    }
}

/// The records of RFC 4180 text.
fn records(text: &str) -> Result<Vec<Vec<String>>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let mut quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            character => cell.push(character),
        }
    }
    ensure!(!quoted, "a quotation mark is not closed");
    if !cell.is_empty() || !record.is_empty() {
        record.push(cell);
        records.push(record);
    }
    Ok(records)
}
