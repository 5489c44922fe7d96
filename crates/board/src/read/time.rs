//! Judgements in the order of time.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use times::{DayOrder, Written};

use super::cells::Cells;
use crate::Judgement;

/// Sorts judgements by the column of times, those of the same time at random: the table itself may be sorted by winner. A ticket
/// of `rankduel next` is a time, the number before its hyphen. Instants are compared, not texts: zones count. Returns a note if the times
/// cannot be compared: then nothing is sorted.
pub(super) fn sort(
    judgements: &mut [Judgement],
    cells: &Cells,
    column: usize,
    dates: Option<DayOrder>,
) -> Result<(), String> {
    let ticket = super::columns::plain(&cells.header[column]) == super::columns::TICKET;
    let at = |row: u64| {
        let place = cells.rows.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        let text = cells.rows[place].1[column].as_str();
        Some(if ticket { text.split('-').next().unwrap_or_default() } else { text })
    };
    let texts: Vec<&str> = judgements.iter().filter_map(|judgement| at(judgement.row)).collect();
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(0x7469_6d65));
    let header = super::quoted(&cells.header[column]);
    match numbers(&texts).unwrap_or_else(|| instants(&texts, dates)) {
        Ok(times) if times.len() == judgements.len() => order.sort_by(|a, b| times[*a].total_cmp(&times[*b])),
        Ok(_) => return Err(format!("{header}: some rows have no time, so that the order of judgements is unknown")),
        Err(why) => return Err(format!("{header}: {why}, so that the order of judgements is unknown")),
    }
    let sorted: Vec<Judgement> = order.into_iter().map(|place| judgements[place]).collect();
    judgements.copy_from_slice(&sorted);
    Ok(())
}

/// Texts as numbers, if they are: in milliseconds if all are times since 1970, in whatever unit, and as they are if none is. A
/// missing time is often written as 0.
fn numbers(texts: &[&str]) -> Option<Result<Vec<f64>, String>> {
    let numbers: Vec<f64> =
        texts.iter().map(|text| text.parse().ok().filter(|time: &f64| time.is_finite())).collect::<Option<_>>()?;
    let times: Vec<f64> =
        numbers.iter().filter_map(|number| times::of_number(*number)).map(|time| time as f64).collect();
    Some(match times.len() {
        0 => Ok(numbers),
        all if all == numbers.len() => Ok(times),
        _ => {
            let other = texts.iter().zip(&numbers).find(|(_, number)| times::of_number(**number).is_none());
            let (text, number) = other.expect("fewer times than numbers");
            Err(format!("other rows have times since 1970, but {}", times::not_a_time(*number, &super::quoted(text))))
        }
    })
}

/// Texts as instants, or the time that one clock showed if no text has a zone, in milliseconds.
fn instants(texts: &[&str], dates: Option<DayOrder>) -> Result<Vec<f64>, String> {
    let by_numbers = |wanted| texts.iter().any(|text| Written::day_order(text) == Some(wanted));
    let order = match (by_numbers(DayOrder::DayFirst), by_numbers(DayOrder::MonthFirst)) {
        _ if dates.is_some() => dates,
        (true, false) => Some(DayOrder::DayFirst),
        (false, true) => Some(DayOrder::MonthFirst),
        _ => None,
    };
    let mut times = Vec::with_capacity(texts.len());
    for text in texts {
        times.push(Written::parse(text, order).ok_or_else(|| {
            let either = [DayOrder::DayFirst, DayOrder::MonthFirst].map(|order| Written::parse(text, Some(order)));
            let hint = match either {
                [Some(_), Some(_)] => "may have the day or the month first; say --dates=dmy or --dates=mdy",
                _ => "is neither a number nor a time such as 2026-01-31T12:00:00Z",
            };
            format!("{} {hint}", super::quoted(text))
        })?);
    }
    let zones = times.iter().filter(|time| time.ahead.is_some()).count();
    if zones > 0 && zones < times.len() {
        return Err("some times have a zone and others have none".to_owned());
    }
    Ok(times.into_iter().map(|Written { local, ahead }| (local - ahead.unwrap_or(0)) as f64).collect())
}
