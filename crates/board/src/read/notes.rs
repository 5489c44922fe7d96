//! Notes on a table that is read: what may be missing, and what contradicts itself.

use std::collections::BTreeMap;

use super::cells::Cells;
use super::columns::{DetectedColumns, WinnerColumns};
use super::error::quoted;
use super::headers;
use super::winner::{self, WinnerValue};
use crate::Judgement;
use crate::text::count;

/// A note if rows end before the column of the winner: they may have been cut off, and would be left out without a word.
pub(super) fn cut_off_note(cells: &Cells, columns: &DetectedColumns) -> Option<String> {
    let WinnerColumns::One(winner) = columns.won else { return None };
    let rows: Vec<u64> = cells.short_rows.iter().filter(|(_, cells)| *cells <= winner).map(|(row, _)| *row).collect();
    let [first_row, ..] = rows[..] else { return None };
    let (rows_text, other_rows) = match rows.len() {
        1 => ("row ends", String::new()),
        several => ("rows end", format!(" and {} more", several - 1)),
    };
    Some(format!(
        "{} {rows_text} before the column {} (line {first_row}{other_rows}): if they were cut off, judgements are missing",
        rows.len(),
        quoted(&cells.header[winner])
    ))
}

/// A note on declared values of winners that no row has: they may be misspelt.
pub(super) fn unused_values_note(cells: &Cells, columns: &DetectedColumns, declared: &[WinnerValue]) -> Option<String> {
    let WinnerColumns::One(column) = columns.won else { return None };
    let is_used = |value: &&WinnerValue| {
        let mut rows = cells.rows.iter();
        rows.any(|(_, row)| winner::declared(declared, &row[column]).is_some_and(|found| found.cell == value.cell))
    };
    let unused: Vec<String> =
        declared.iter().filter(|value| !is_used(value)).map(|value| quoted(&value.cell)).collect();
    let column = quoted(&cells.header[column]);
    (!unused.is_empty()).then(|| format!("no row has {} in the column {column}", unused.join(" or ")))
}

/// A note if rows of one judge on one item, with the same pair in the same order, differ: they count once, and often some column that
/// was not read distinguishes them.
pub(super) fn contradictions_note(
    judgements: &[Judgement],
    cells: &Cells,
    columns: &DetectedColumns,
) -> Option<String> {
    let mut groups: BTreeMap<_, Vec<&Judgement>> = BTreeMap::new();
    for judgement in judgements {
        let Judgement { item: Some(item), judge, first, second, .. } = *judgement else { continue };
        groups.entry((item, judge, first, second)).or_default().push(judgement);
    }
    let groups: Vec<Vec<&Judgement>> =
        groups.into_values().filter(|rows| rows.iter().any(|row| row.verdict != rows[0].verdict)).collect();
    let rows: usize = groups.iter().map(Vec::len).sum();
    if rows == 0 {
        return None;
    }
    let cell = |row: u64, column: usize| {
        let row_index = cells.rows.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(&cells.rows[row_index].1[column])
    };
    let is_read = |column: &usize| {
        let used_columns = [Some(columns.first), Some(columns.second), columns.judge, columns.weight];
        used_columns.contains(&Some(*column))
            || columns.item.contains(column)
            || columns.won == WinnerColumns::One(*column)
            || headers::is_time(&cells.header[*column])
    };
    // Distinguishes the rows of every group.
    let distinguishes = |column: &usize| {
        groups.iter().all(|rows| {
            let mut cell_texts: Vec<_> = rows.iter().map(|judgement| cell(judgement.row, *column)).collect();
            cell_texts.sort_unstable();
            cell_texts.windows(2).all(|pair| pair[0] != pair[1])
        })
    };
    let item = columns.item.iter().map(|column| cells.header[*column].as_str()).collect::<Vec<_>>().join("+");
    let advice = (0..cells.header.len())
        .filter(|column| !is_read(column))
        .find(distinguishes)
        .map(|column| {
            let header = &cells.header[column];
            format!(
                "; column {} distinguishes them: if it names another item, say --columns item={item}+{header}",
                quoted(header)
            )
        })
        .unwrap_or_default();
    Some(format!(
        "{rows} rows share their item, judge, pair and order with a row that says otherwise, and count as {}{advice}",
        count(groups.len() as u64, "unit", "units")
    ))
}
