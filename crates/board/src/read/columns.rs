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
        let listed: Vec<String> = header.iter().map(|name| quoted(name)).collect();
        ReadError::whole(format!("no column {}; the table has {}", quoted(name), listed.join(", ")))
    })
}

pub(super) fn find(cells: &Cells, named: &Columns) -> Result<DetectedColumns, ReadError> {
    let header = &cells.header[..];
    let all: Vec<String> = header.iter().map(|name| plain(name)).collect();
    let listed = || header.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    if let Some((place, name)) =
        all.iter().enumerate().find(|(place, name)| !name.is_empty() && all[..*place].contains(name))
    {
        return Err(ReadError::whole(format!("column {}: {} is there twice; rename one", place + 1, quoted(name))));
    }
    let at = |name: &str| all.iter().position(|found| found == name);
    let exactly = |name: &Option<String>| name.as_ref().map(|name| position(header, name)).transpose();
    let usual = |names: &[&str]| names.iter().find_map(|name| at(name));
    let winner_and_loser = || Some((at("winner")?, at("loser")?));
    let (first, second) = match (exactly(&named.first)?, exactly(&named.second)?) {
        (Some(first), Some(second)) if first == second => {
            return Err(ReadError::whole("first and second are the same column; name two"));
        }
        (Some(first), Some(second)) => (first, second),
        (None, None) => {
            let pairs: Vec<_> = PAIRS.iter().filter_map(|(first, second)| Some((at(first)?, at(second)?))).collect();
            match pairs[..] {
                [pair] => pair,
                [] if winner_and_loser().is_some() => winner_and_loser().unwrap_or_default(),
                [] => {
                    return Err(ReadError::whole(format!(
                        "found no columns of competitors, e.g. `first` and `second`, `model_a` and `model_b`, or `left` and `right`; \
                         the table has {}; say which with {}",
                        listed(),
                        guess::columns(cells).map_or_else(
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
                    return Err(ReadError::whole(format!(
                        "the competitors may be {}; say which with --columns first=…,second=…",
                        pairs.join(", or ")
                    )));
                }
            }
        }
        _ => return Err(ReadError::whole("name the columns of both competitors: first=… and second=…")),
    };
    let won = match exactly(&named.winner)? {
        Some(place) => WinnerColumns::One(place),
        None if winner_and_loser() == Some((first, second)) => WinnerColumns::First,
        None => usual_winner(&at).ok_or_else(|| {
            ReadError::whole(format!(
                "found no column `winner`, and none that counts wins; the table has {}; say which with --columns winner=…",
                listed()
            ))
        })?,
    };
    // A column that names a competitor is not an item: `prompt` may be either.
    let taken = |place: &usize| *place != first && *place != second && WinnerColumns::One(*place) != won;
    let item = match &named.item {
        Some(name) if header.iter().any(|found| found == name) => vec![exactly(&named.item)?],
        Some(names) => names.split('+').map(|name| exactly(&Some(name.trim().to_owned()))).collect::<Result<_, _>>()?,
        None => {
            let item = usual(&ITEMS).filter(taken);
            let parts =
                PARTS_OF_ITEMS.iter().filter_map(|name| at(name)).filter(|place| taken(place) && item.is_some());
            std::iter::once(item).chain(parts.map(Some)).collect()
        }
    };
    Ok(DetectedColumns {
        first,
        second,
        won,
        tie: usual(&TIES).filter(taken),
        item: item.into_iter().flatten().collect(),
        judge: exactly(&named.judge)?.or_else(|| usual(&JUDGES)).filter(taken),
        weight: exactly(&named.weight)?.or_else(|| usual(&WEIGHTS)).filter(taken),
    })
}

fn usual_winner(at: &dyn Fn(&str) -> Option<usize>) -> Option<WinnerColumns> {
    if let (Some(first), Some(second), Some(tie)) = (at("winner_model_a"), at("winner_model_b"), at("winner_tie")) {
        return Some(WinnerColumns::OneHot([first, second, tie]));
    }
    if let Some(place) = WINNERS.iter().find_map(|name| at(name)).or_else(|| at("score")) {
        return Some(WinnerColumns::One(place));
    }
    let ties = at("ties").or_else(|| at("draws"));
    let pairs =
        [("wins", "losses"), ("wins_first", "wins_second"), ("wins_a", "wins_b"), ("win1", "win2"), ("wins1", "wins2")];
    pairs.iter().find_map(|(first, second)| Some(WinnerColumns::Counts([at(first)?, at(second)?], ties)))
}
