//! Counted wins: a matrix, or counts per pair.

use std::collections::BTreeSet;

use super::cells::Cells;
use super::error::{ReadError, decimal_comma, quoted};
use crate::{Answer, Judgement, Order, Table};

/// A larger count is not one of judgements.
pub(super) const MAX_COUNT: u64 = 1_000_000_000;

/// The names of a square matrix, and its rows without names, each with its line.
type Matrix = (Vec<String>, Vec<(u64, Vec<String>)>);

/// Whether a cell of a matrix holds no number: for a pair that never met, or a win that never occurred.
fn is_missing(cell: &str) -> bool {
    matches!(cell.trim(), "" | "-" | "–")
        || ["nan", "na", "n/a", "none", "null"].iter().any(|word| cell.trim().eq_ignore_ascii_case(word))
}

/// Whether a cell has a number, or a sign that there is none.
fn is_count(cell: &str) -> bool {
    cell.parse::<f64>().is_ok() || is_missing(cell)
}

/// Whether the text has the form of a matrix: the first column repeats the names of the header, and all other cells are numbers or
/// missing. Headers of votes may be names of competitors, e.g. `a` and `b`.
pub(super) fn is_named_matrix(cells: &Cells) -> bool {
    let matrix_with_names = matrix(cells).filter(|(names, _)| cells.header.get(1..) == Some(names));
    let corner = cells.header.first().map(|corner| super::headers::plain(corner)).unwrap_or_default();
    !super::headers::is_known(&corner)
        && matrix_with_names.is_some_and(|(_, rows)| rows.iter().all(|(_, row)| row.iter().all(|cell| is_count(cell))))
}

/// Refuses a matrix with the names of its header in the first column, but in another order: winners and losers would be
/// swapped.
pub(super) fn check_order(cells: &Cells) -> Result<(), ReadError> {
    let Some(names) = cells.header.get(1..).filter(|names| names.len() >= 2 && names.len() == cells.rows.len()) else {
        return Ok(());
    };
    let of_rows = || cells.rows.iter().map(|(_, row)| &row[0]);
    let in_order = of_rows().zip(names).all(|(row, column)| row == column);
    let are_same = of_rows().collect::<BTreeSet<_>>() == names.iter().collect::<BTreeSet<_>>();
    if !in_order && are_same && cells.rows.iter().all(|(_, row)| row[1..].iter().all(|cell| is_count(cell))) {
        return Err(ReadError::of_table(
            "the rows of the matrix name the competitors in another order than its columns; bring both into one order",
        ));
    }
    Ok(())
}

/// The cells of a square matrix with the names of its competitors, if the text is one: only numbers, or names in the first row
/// and the first column.
pub(super) fn matrix(cells: &Cells) -> Option<Matrix> {
    let size = cells.header.len();
    let names_match = || cells.header[1..].iter().zip(&cells.rows).all(|(name, (_, row))| *name == row[0]);
    if size >= 3 && cells.rows.len() == size - 1 && names_match() {
        let rows = cells.rows.iter().map(|(line, row)| (*line, row[1..].to_vec())).collect();
        return Some((cells.header[1..].to_vec(), rows));
    }
    let all_cells = || cells.header.iter().chain(cells.rows.iter().flat_map(|(_, row)| row));
    if size >= 2 && cells.rows.len() == size - 1 && all_cells().all(|cell| is_count(cell)) {
        let mut rows = vec![(1, cells.header.clone())];
        rows.extend(cells.rows.iter().cloned());
        return Some(((0..size).map(|arm| arm.to_string()).collect(), rows));
    }
    None
}

/// Numbers between spaces as cells, if the text holds nothing else.
pub(super) fn parse_spaced_matrix(bytes: &[u8]) -> Option<Cells> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut rows: Vec<(u64, Vec<String>)> = lines
        .map(|(index, line)| (index as u64 + 1, line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()))
        .collect();
    // The number of competitors may be on a line of its own.
    if rows.len() >= 2 && rows[0].1.len() == 1 && rows[0].1[0] == (rows.len() - 1).to_string() {
        rows.remove(0);
    }
    let size = rows.first()?.1.len();
    if size < 2 || !rows.iter().all(|(_, row)| row.len() == size && row.iter().all(|cell| is_count(cell))) {
        return None;
    }
    Some(Cells { header: rows.remove(0).1, rows, short_rows: Vec::new() })
}

/// The judgements of a matrix: its entry in row i and column j counts the wins of i over j, with half a win to both for a tie.
pub(super) fn table_of_matrix(names: Vec<String>, rows: &[(u64, Vec<String>)]) -> Result<Table, ReadError> {
    let mut halves: Vec<Vec<u64>> = Vec::new();
    let (mut probabilities, mut fault) = (true, None);
    for (place, (line, row)) in rows.iter().enumerate() {
        let mut counts = Vec::new();
        for (column, cell) in row.iter().enumerate() {
            if place == column {
                counts.push(0);
                continue;
            }
            if is_missing(cell) {
                counts.push(0);
                continue;
            }
            let count: f64 = cell.parse().map_err(|_| {
                ReadError::in_row(
                    *line,
                    format!(
                        "column {}: found {}, expected a count of wins{}",
                        column + 1,
                        quoted(cell),
                        decimal_comma(cell)
                    ),
                )
            })?;
            probabilities &= (0.0..=1.0).contains(&count);
            let half_points = 2.0 * count;
            if !(count >= 0.0 && half_points.fract() == 0.0 && half_points < 2.0 * MAX_COUNT as f64) {
                let cell_text = quoted(cell);
                let message =
                    format!("column {}: found {cell_text}, expected a count of wins, with .5 for a tie", column + 1);
                fault = fault.or(Some(ReadError::in_row(*line, message)));
            }
            counts.push(half_points as u64);
        }
        halves.push(counts);
    }
    let sums_to_one = || {
        rows.iter().enumerate().all(|(i, (_, row))| {
            (0..i).all(|j| (row[j].parse().unwrap_or(0.0) + rows[j].1[i].parse().unwrap_or(0.0) - 1.0_f64).abs() < 1e-6)
        })
    };
    if probabilities && sums_to_one() {
        return Err(ReadError::of_table(
            "these are probabilities of winning, without counts: nothing is known of their errors; see `analyse --matrix`",
        ));
    }
    if let Some(fault) = fault {
        return Err(fault);
    }
    let mut pairs = Vec::new();
    for i in 0..names.len() {
        for j in i + 1..names.len() {
            let (row, [won, lost]) = (rows[i].0, [halves[i][j], halves[j][i]]);
            if won % 2 != lost % 2 {
                return Err(ReadError::in_row(
                    row,
                    format!(
                        "{} and {}: half a win on one side alone; a tie is half a win for both",
                        quoted(&names[i]),
                        quoted(&names[j])
                    ),
                ));
            }
            pairs.push(PairTotals { row, first: i as u32, second: j as u32, counts: [won / 2, lost / 2, won % 2] });
        }
    }
    let judgements = judgements(&pairs);
    Ok(Table { names, items: vec![], judges: vec![], judgements, order: Order::Unknown, covariates: vec![] })
}

/// The counts of a pair.
pub(super) struct PairTotals {
    pub(super) row: u64,
    pub(super) first: u32,
    pub(super) second: u32,
    /// Wins of the first, wins of the second, ties.
    pub(super) counts: [u64; 3],
}

/// One row for the wins of each side and one for the ties, which count as often as they were counted: rows that count have no
/// order among each other.
pub(super) fn judgements(pairs: &[PairTotals]) -> Vec<Judgement> {
    let mut rows = Vec::new();
    for pair in pairs {
        for (count, verdict) in pair.counts.into_iter().zip([Answer::First, Answer::Second, Answer::Tie]) {
            if count > 0 {
                let PairTotals { row, first, second, .. } = *pair;
                let weight = count as f64;
                rows.push(Judgement { first, second, verdict, item: None, judge: None, weight, row });
            }
        }
    }
    rows
}
