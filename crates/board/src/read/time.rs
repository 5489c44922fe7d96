//! Judgements in the order of time.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cells::Cells;
use crate::Judgement;

/// Sorts judgements by the column of times, those of the same time at random: the table itself may be sorted by winner. A ticket
/// of `rankduel next` is a time, the number before its hyphen. Returns a note if the times cannot be compared: then nothing is
/// sorted.
pub(super) fn sort(judgements: &mut [Judgement], cells: &Cells, column: usize) -> Result<(), String> {
    let ticket = super::columns::plain(&cells.header[column]) == super::columns::TICKET;
    let at = |row: u64| {
        let place = cells.rows.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        let text = cells.rows[place].1[column].as_str();
        Some(if ticket { text.split('-').next().unwrap_or_default() } else { text })
    };
    let texts: Vec<&str> = judgements.iter().filter_map(|judgement| at(judgement.row)).collect();
    let numbers: Option<Vec<f64>> =
        texts.iter().map(|text| text.parse().ok().filter(|time: &f64| time.is_finite())).collect();
    // Texts like 2026-11-26T06:53:17Z sort as they stand, if all are written alike.
    let like =
        |text: &str| text.chars().map(|found| if found.is_ascii_digit() { '0' } else { found }).collect::<String>();
    let alike = texts.first().is_some_and(|first| {
        like(first).starts_with("0000-00-00") && texts.iter().all(|text| like(text) == like(first))
    });
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(0x7469_6d65));
    match numbers {
        Some(numbers) if numbers.len() == judgements.len() => {
            order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        }
        _ if alike && texts.len() == judgements.len() => order.sort_by_key(|place| texts[*place]),
        _ => {
            return Err(format!(
                "{}: neither numbers nor written alike as 2026-01-31T12:00:00, so that the order of judgements is unknown",
                super::quoted(&cells.header[column])
            ));
        }
    }
    let sorted: Vec<Judgement> = order.into_iter().map(|place| judgements[place]).collect();
    judgements.copy_from_slice(&sorted);
    Ok(())
}
