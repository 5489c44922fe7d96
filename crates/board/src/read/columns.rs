//! The columns of a table: as named by the user, or by common headers.

use super::cells::Cells;
use super::error::{ReadError, quoted};
use super::guess;
use super::headers::{ITEMS, JUDGES, PAIRS, PARTS_OF_ITEMS, TIES, WEIGHTS, WINNERS, plain};

/// The columns of a table by their names; those without one are found by the usual headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The competitor shown first.
    pub first: Option<String>,
    /// The competitor shown second.
    pub second: Option<String>,
    /// The judge's answer.
    pub winner: Option<String>,
    /// The item that both answered; several columns that name it together are joined by `+`, as in `question_id+turn`.
    pub item: Option<String>,
    /// The judge.
    pub judge: Option<String>,
    /// The weight of the row.
    pub weight: Option<String>,
}

/// The columns with the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WinnerColumns {
    /// In one column.
    One(usize),
    /// In columns of zeros and ones: the first won, the second won, a tie (LMSYS at Kaggle).
    OneHot([usize; 3]),
    /// The columns of competitors are the winner and the loser.
    First,
    /// In counts per row: won by the first, by the second, ties if there is such a column.
    Counts([usize; 2], Option<usize>),
}

/// The columns found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetectedColumns {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) won: WinnerColumns,
    /// Marks a row as a tie; the winner is then ignored.
    pub(super) tie: Option<usize>,
    /// The columns that name the item together; none without items.
    pub(super) item: Vec<usize>,
    pub(super) judge: Option<usize>,
    pub(super) weight: Option<usize>,
}

/// Whether the header names two competitors by known names.
pub(super) fn names_a_pair(header: &[String]) -> bool {
    let header: Vec<String> = header.iter().map(|name| plain(name)).collect();
    PAIRS.iter().any(|(first, second)| [first, second].iter().all(|name| header.iter().any(|found| found == *name)))
}

/// The place of a column that was named: as written, or else without case.
pub(super) fn position(header: &[String], name: &str) -> Result<usize, ReadError> {
    let exactly = header.iter().position(|found| found == name);
    exactly.or_else(|| header.iter().position(|found| plain(found) == plain(name))).ok_or_else(|| {
        let column_list: Vec<String> = header.iter().map(|name| quoted(name)).collect();
        ReadError::of_table(format!("no column {}; the table has {}", quoted(name), column_list.join(", ")))
    })
}

pub(super) fn detect(cells: &Cells, chosen: &Columns) -> Result<DetectedColumns, ReadError> {
    let header = &cells.header[..];
    let plain_names: Vec<String> = header.iter().map(|name| plain(name)).collect();
    let column_list = || header.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    if let Some((index, name)) =
        plain_names.iter().enumerate().find(|(index, name)| !name.is_empty() && plain_names[..*index].contains(name))
    {
        return Err(ReadError::of_table(format!("column {}: {} is there twice; rename one", index + 1, quoted(name))));
    }
    let index_of = |name: &str| plain_names.iter().position(|plain_name| plain_name == name);
    let exactly = |name: &Option<String>| name.as_ref().map(|name| position(header, name)).transpose();
    let first_known = |names: &[&str]| names.iter().find_map(|name| index_of(name));
    let winner_and_loser = || Some((index_of("winner")?, index_of("loser")?));
    let (first, second) = match (exactly(&chosen.first)?, exactly(&chosen.second)?) {
        (Some(first), Some(second)) if first == second => {
            return Err(ReadError::of_table("first and second are the same column; name two"));
        }
        (Some(first), Some(second)) => (first, second),
        (None, None) => {
            let pairs: Vec<_> =
                PAIRS.iter().filter_map(|(first, second)| Some((index_of(first)?, index_of(second)?))).collect();
            match pairs[..] {
                [pair] => pair,
                [] if winner_and_loser().is_some() => winner_and_loser().unwrap_or_default(),
                [] => {
                    return Err(ReadError::of_table(format!(
                        "found no columns of competitors, e.g. `first` and `second`, `model_a` and `model_b`, or `left` and `right`; \
                         the table has {}; say which with {}",
                        column_list(),
                        guess::guess_columns(cells).map_or_else(
                            || "--columns first=…,second=…,winner=…".to_owned(),
                            |line| format!("--columns, perhaps: {line}")
                        )
                    )));
                }
                _ => {
                    let pairs: Vec<String> = pairs
                        .iter()
                        .map(|(i, j)| format!("{} and {}", quoted(&header[*i]), quoted(&header[*j])))
                        .collect();
                    return Err(ReadError::of_table(format!(
                        "the competitors may be {}; say which with --columns first=…,second=…",
                        pairs.join(", or ")
                    )));
                }
            }
        }
        _ => return Err(ReadError::of_table("name the columns of both competitors: first=… and second=…")),
    };
    let won = match exactly(&chosen.winner)? {
        Some(index) => WinnerColumns::One(index),
        None if winner_and_loser() == Some((first, second)) => WinnerColumns::First,
        None => known_winner_columns(&index_of).ok_or_else(|| {
            ReadError::of_table(format!(
                "found no column `winner`, and none that counts wins; the table has {}; say which with --columns winner=…",
                column_list()
            ))
        })?,
    };
    // A column that names a competitor is not an item: `prompt` may be either.
    let is_other = |index: &usize| *index != first && *index != second && WinnerColumns::One(*index) != won;
    let item = match &chosen.item {
        Some(name) if header.iter().any(|heading| heading == name) => vec![exactly(&chosen.item)?],
        Some(names) => names.split('+').map(|name| exactly(&Some(name.trim().to_owned()))).collect::<Result<_, _>>()?,
        None => {
            let item = first_known(&ITEMS).filter(is_other);
            let descriptions = PARTS_OF_ITEMS
                .iter()
                .filter_map(|name| index_of(name))
                .filter(|index| is_other(index) && item.is_some());
            std::iter::once(item).chain(descriptions.map(Some)).collect()
        }
    };
    Ok(DetectedColumns {
        first,
        second,
        won,
        tie: first_known(&TIES).filter(is_other),
        item: item.into_iter().flatten().collect(),
        judge: exactly(&chosen.judge)?.or_else(|| first_known(&JUDGES)).filter(is_other),
        weight: exactly(&chosen.weight)?.or_else(|| first_known(&WEIGHTS)).filter(is_other),
    })
}

fn known_winner_columns(index_of: &dyn Fn(&str) -> Option<usize>) -> Option<WinnerColumns> {
    if let (Some(first), Some(second), Some(tie)) =
        (index_of("winner_model_a"), index_of("winner_model_b"), index_of("winner_tie"))
    {
        return Some(WinnerColumns::OneHot([first, second, tie]));
    }
    if let Some(index) = WINNERS.iter().find_map(|name| index_of(name)).or_else(|| index_of("score")) {
        return Some(WinnerColumns::One(index));
    }
    let ties = index_of("ties").or_else(|| index_of("draws"));
    let pairs =
        [("wins", "losses"), ("wins_first", "wins_second"), ("wins_a", "wins_b"), ("win1", "win2"), ("wins1", "wins2")];
    pairs.iter().find_map(|(first, second)| Some(WinnerColumns::Counts([index_of(first)?, index_of(second)?], ties)))
}
