//! Judgements in the order of time.

use std::cmp::Ordering;

use super::cells::Cells;
use crate::Judgement;

/// Sorts judgements by the column of times, those of the same time in the order of the table. Returns a note if the times cannot
/// be compared: then the order of the table stays.
pub(super) fn sort(judgements: &mut [Judgement], cells: &Cells, column: usize) -> Option<String> {
    let at = |row: u64| {
        cells.rows.binary_search_by_key(&row, |(row, _)| *row).ok().map(|place| &cells.rows[place].1[column])
    };
    let texts: Vec<&String> = judgements.iter().filter_map(|judgement| at(judgement.row)).collect();
    let numbers: Option<Vec<f64>> =
        texts.iter().map(|text| text.parse().ok().filter(|time: &f64| time.is_finite())).collect();
    // Texts like 2026-11-26T06:53:17Z sort as they stand, if all are written alike.
    let like =
        |text: &str| text.chars().map(|found| if found.is_ascii_digit() { '0' } else { found }).collect::<String>();
    let alike = texts.first().is_some_and(|first| {
        like(first).starts_with("0000-00-00") && texts.iter().all(|text| like(text) == like(first))
    });
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    match numbers {
        Some(numbers) if numbers.len() == judgements.len() => {
            order.sort_by(|a, b| numbers[*a].partial_cmp(&numbers[*b]).unwrap_or(Ordering::Equal));
        }
        _ if alike && texts.len() == judgements.len() => order.sort_by_key(|place| texts[*place]),
        _ => return Some(
            "times are neither numbers nor written alike as 2026-01-31T12:00:00; rows count in the order of the table"
                .to_owned(),
        ),
    }
    let sorted: Vec<Judgement> = order.into_iter().map(|place| judgements[place]).collect();
    judgements.copy_from_slice(&sorted);
    None
}
