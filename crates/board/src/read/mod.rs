//! Tables of judgements, read from what people have: CSV, JSON Lines, frames, matrices of wins.
//!
//! | columns | written by |
//! |---|---|
//! | `first, second, winner` and optionally `item, judge, weight` | this project |
//! | `model_a, model_b, winner`; `model_a, model_b, winner_model_a, winner_model_b, winner_tie` | LMArena |
//! | `left, right, winner`; `item_x, item_y, winner` | Evalica |
//! | `worker, left, right, label` | crowds |
//! | `a, b, winner`, and other pairs of headers | |
//! | `winner, loser` | choix, BradleyTerry2 |
//! | `first, second, wins, losses, ties` | counts per pair |
//! | a square matrix of wins, with names or without | counts per pair |
//!
//! The winner is a name, a side (`first`, `left`, `a`, `model_a`), `tie`, `both bad`, or a score from 0 to 1. Ambiguous input is
//! refused, with its line and the option that resolves it.

mod cells;
mod columns;
mod counts;
mod covariates;
mod error;
mod guess;
mod headers;
mod names;
mod notes;
mod winner;

pub use cells::Cells;
pub use columns::Columns;
pub use covariates::CovariateColumns;
pub use error::ReadError;
pub use names::nearly_equal;
pub use winner::{WinnerIs, WinnerValue};

use self::columns::{DetectedColumns, WinnerColumns};
use self::counts::PairTotals;
use self::error::{decimal_comma, quoted};
use self::names::Numbering;
use self::winner::Values;
use crate::{Answer, Categories, Judgement, Order, Split, Table};

/// Options for reading a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Columns by their names, where the usual headers do not find them.
    pub columns: Columns,
    /// The meaning of the column of winners.
    pub winner_is: WinnerIs,
    /// Values in the column of winners that mean what is said here, whatever else they could mean.
    pub winner_values: Vec<WinnerValue>,
    /// The columns of competitors are not the order in which the judge saw the answers.
    pub order_unknown: bool,
    /// The covariates for which strengths are adjusted.
    pub covariates: Vec<CovariateColumns>,
    /// The column that boards are split by.
    pub by: Option<Split>,
}

impl Options {
    /// Refuses options that only single judgements have.
    fn check_counted(&self) -> Result<(), ReadError> {
        if !self.winner_values.is_empty() {
            return Err(ReadError::of_table(NO_WINNERS));
        }
        match self.covariates.iter().map(|one| &one.name).chain(self.by.iter().map(|by| &by.column)).next() {
            None => Ok(()),
            Some(name) => Err(ReadError::of_table(format!(
                "the table counts judgements per pair: it has no {} of single ones; expected one row per judgement",
                quoted(name)
            ))),
        }
    }
}

/// Why values of winners are refused.
const NO_WINNERS: &str = "values of winners were given, but no column holds one winner per row";

/// A table, and notes on how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The judgements.
    pub table: Table,
    /// Sentences, most important first.
    pub notes: Vec<String>,
    /// The categories of the judgements, if requested.
    pub categories: Option<Categories>,
}

/// Reads a file of judgements: CSV, JSON Lines or JSON, or a matrix of wins; plain or gzip.
///
/// # Errors
/// If the text is none of these, a column is missing, or a row cannot be read for sure.
pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Reading, ReadError> {
    let unpacked = cells::unpacked(bytes)?;
    match counts::parse_spaced_matrix(&unpacked) {
        Some(cells) => from_cells(&cells, options),
        None => from_cells(&cells::read(&unpacked)?, options),
    }
}

/// Reads a table of text, e.g. a frame of Python.
///
/// # Errors
/// As for [`from_bytes`].
pub fn from_cells(cells: &Cells, options: &Options) -> Result<Reading, ReadError> {
    let cells = &*cells.composed();
    let is_matrix = counts::is_named_matrix(cells) || !columns::names_a_pair(&cells.header);
    if is_matrix
        && options.columns == Columns::default()
        && let Some((names, rows)) = counts::matrix(cells)
    {
        options.check_counted()?;
        let table = counts::table_of_matrix(check_distinct(names)?, &rows)?;
        let notes = vec![
            "read as a matrix of wins of the row over the column; who judged what in which order is not known"
                .to_owned(),
        ];
        return Ok(Reading { table, notes, categories: None });
    }
    if options.columns == Columns::default() {
        counts::check_order(cells)?;
    }
    let columns = columns::detect(cells, &options.columns)?;
    if cells.rows.is_empty() {
        return Err(ReadError::of_table("the table has a header and no rows; expected one row per judgement"));
    }
    if !options.winner_values.is_empty() && !matches!(columns.won, WinnerColumns::One(_)) {
        return Err(ReadError::of_table(NO_WINNERS));
    }
    let mut names = Numbering::default();
    let (mut items, mut judges) = (Numbering::default(), Numbering::default());
    let mut notes = Vec::new();
    let pair = |row: u64, cells: &[String], names: &mut Numbering| -> Result<[u32; 2], ReadError> {
        let mut number = |column: usize| {
            ranktypes::text::check_name(&cells[column])
                .map_err(|fault| ReadError::in_row(row, format!("a competitor's name {fault}")))?;
            Ok(names.number(&cells[column]))
        };
        Ok([number(columns.first)?, number(columns.second)?])
    };
    if let WinnerColumns::Counts(wins, ties) = columns.won {
        options.check_counted()?;
        let mut pair_totals = Vec::new();
        for (row, cells) in &cells.rows {
            let [first, second] = pair(*row, cells, &mut names)?;
            let count = |column: usize| {
                let cell = if cells[column].is_empty() { "0" } else { &cells[column] };
                cell.parse().ok().filter(|count: &u64| *count <= counts::MAX_COUNT).ok_or_else(|| {
                    ReadError::in_row(*row, format!("found {}, expected a count of judgements", quoted(&cells[column])))
                })
            };
            let ties = ties.map_or(Ok(0), count)?;
            pair_totals.push(PairTotals { row: *row, first, second, counts: [count(wins[0])?, count(wins[1])?, ties] });
        }
        let judgements = counts::judgements(&pair_totals);
        let (names, order) = (names.texts, Order::Unknown);
        let table = Table { names, items: vec![], judges: vec![], judgements, order, covariates: vec![] };
        notes.push("read as counts per pair; who judged what in which order is not known".to_owned());
        return Ok(Reading { table, notes, categories: None });
    }
    let values = winner_values(cells, &columns, &options.winner_values);
    let pair_of_headers = [columns.first, columns.second].map(|column| cells.header[column].as_str());
    let mut covariates = covariates::CovariateReader::new(&cells.header, &options.covariates, pair_of_headers)?;
    let category_column =
        options.by.as_ref().map(|split| columns::position(&cells.header, &split.column)).transpose()?;
    let (mut categories, mut category_of) = (Numbering::default(), Vec::new());
    let mut judgements = Vec::new();
    let (mut unanswered, mut skipped) = (0_u64, 0_u64);
    for (row, line) in &cells.rows {
        if let WinnerColumns::One(column) = columns.won
            && match winner::declared(&options.winner_values, &line[column]) {
                Some(value) => value.answer.is_none(),
                None => {
                    let pair = [columns.first, columns.second].map(|column| line[column].as_str());
                    winner::is_skipped(&line[column], pair)
                }
            }
        {
            skipped += 1;
            continue;
        }
        let Some(verdict) = verdict(*row, line, &columns, (options.winner_is, &options.winner_values), &values)? else {
            unanswered += 1;
            continue;
        };
        let [first, second] = pair(*row, line, &mut names)?;
        covariates.read(*row, &cells.header, line)?;
        if let Some(column) = category_column {
            ranktypes::text::check_name(&line[column]).map_err(|fault| {
                let header = quoted(&cells.header[column]);
                ReadError::in_row(*row, format!("column {header}: a category {fault}"))
            })?;
            category_of.push(categories.number(&line[column]));
        }
        let text = |column: Option<usize>| column.map(|column| line[column].as_str()).filter(|text| !text.is_empty());
        let weight = match text(columns.weight) {
            None => 1.0,
            Some(text) => {
                text.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight > 0.0).ok_or_else(|| {
                    ReadError::in_row(
                        *row,
                        format!("weight: found {}, expected a number above 0{}", quoted(text), decimal_comma(text)),
                    )
                })?
            }
        };
        judgements.push(Judgement {
            first,
            second,
            verdict,
            item: item_of(line, &columns.item).map(|text| items.number(&text)),
            judge: text(columns.judge).map(|text| judges.number(text)),
            weight,
            row: *row,
        });
    }
    if judgements.is_empty() {
        return Err(ReadError::of_table("no row has a winner; nothing was judged yet"));
    }
    // Notes that affect the answer most come first.
    notes.extend(names.typos(judgements.iter().flat_map(|judgement| [judgement.first, judgement.second])));
    notes.extend(judges.typos(judgements.iter().filter_map(|judgement| judgement.judge)));
    if unanswered > 0 {
        notes.push(format!("{unanswered} of {} rows have no winner: not judged, left out", cells.rows.len()));
    }
    notes.extend(notes::cut_off_note(cells, &columns));
    notes.extend(notes::unused_values_note(cells, &columns, &options.winner_values));
    if skipped > 0 {
        notes.push(format!("{skipped} of {} rows say that they were skipped: set aside", cells.rows.len()));
    }
    notes.extend(notes::contradictions_note(&judgements, cells, &columns));
    // Columns that were named need no remark.
    let guessed = [
        ("item", columns.item.as_slice(), options.columns.item.is_none()),
        ("judge", columns.judge.as_slice(), options.columns.judge.is_none()),
    ];
    for (role, column_indices, _) in guessed.into_iter().filter(|(.., is_guessed)| *is_guessed) {
        let headers: Vec<&String> = column_indices.iter().map(|column| &cells.header[*column]).collect();
        if let [first, ..] = headers[..]
            && (headers.len() > 1 || headers::plain(first) != role)
        {
            let names: Vec<String> = headers.into_iter().map(|header| quoted(header)).collect();
            notes.push(format!("{role}: column{} {}", if names.len() == 1 { "" } else { "s" }, names.join(" and ")));
        }
    }
    notes.extend(names.nearly_equal("competitors"));
    notes.extend(judges.nearly_equal("judges"));
    let categories = category_column.zip(options.by.as_ref()).map(|(index, split)| {
        let (column, mix) = (cells.header[index].clone(), split.mix.clone());
        Categories { column, names: categories.texts, of: category_of, mix }
    });
    let order =
        if options.order_unknown || columns.won == WinnerColumns::First { Order::Unknown } else { Order::Shown };
    if order == Order::Shown {
        not_winner_and_loser(&judgements)?;
    }
    let (names, items, judges, covariates) = (names.texts, items.texts, judges.texts, covariates.covariates);
    let table = Table { names, items, judges, judgements, order, covariates };
    Ok(Reading { table, notes, categories })
}

/// The item named by these cells together; `None` if the first of them is empty.
fn item_of(line: &[String], columns: &[usize]) -> Option<String> {
    let cells: Vec<&str> = columns.iter().map(|place| line[*place].as_str()).collect();
    cells.first().is_some_and(|first| !first.is_empty()).then(|| cells.join("\u{1f}"))
}

/// Refuses rows in which one side always wins although names stand on both: real judgements are never like that, but people
/// write the winner first.
fn not_winner_and_loser(judgements: &[Judgement]) -> Result<(), ReadError> {
    const MIN_ROWS: usize = 20;
    let wins = |verdict| judgements.iter().filter(|judgement| judgement.verdict == verdict).count();
    let (side, count) = match (wins(Answer::First), wins(Answer::Second)) {
        (count, 0) => ("first", count),
        (0, count) => ("second", count),
        _ => return Ok(()),
    };
    let mut seconds: Vec<u32> = judgements.iter().map(|judgement| judgement.second).collect();
    seconds.sort_unstable();
    if count < MIN_ROWS || !judgements.iter().any(|judgement| seconds.binary_search(&judgement.first).is_ok()) {
        return Ok(());
    }
    Err(ReadError::of_table(format!(
        "the {side} of the two wins in all {count} rows that are decided; if the columns are the winner and the loser instead of the order shown, \
         add --order-unknown"
    )))
}

/// The answer in a row; `None` if it has none yet.
fn verdict(
    row: u64,
    cells: &[String],
    columns: &DetectedColumns,
    (is, declared): (WinnerIs, &[WinnerValue]),
    values: &Values,
) -> Result<Option<Answer>, ReadError> {
    let [first, second] = [columns.first, columns.second].map(|place| cells[place].as_str());
    let is_set = |place: usize| match cells[place].to_lowercase().as_str() {
        "1" | "1.0" | "true" => Some(true),
        "0" | "0.0" | "false" | "" => Some(false),
        _ => None,
    };
    match columns.won {
        WinnerColumns::One(place) if columns.tie.is_some_and(|tie| is_set(tie) != Some(false)) => {
            match columns.tie.and_then(is_set) {
                Some(true) if winner::is_missing(&cells[place], [first, second]) => Ok(Some(Answer::Tie)),
                Some(true) => {
                    let winner = quoted(&cells[place]);
                    Err(ReadError::in_row(row, format!("winner: found {winner}, but the row is also said to be a tie")))
                }
                _ => Err(ReadError::in_row(row, "tie: expected true or false")),
            }
        }
        WinnerColumns::One(place) if winner::declared(declared, &cells[place]).is_some() => {
            Ok(winner::declared(declared, &cells[place]).and_then(|value| value.answer))
        }
        WinnerColumns::One(place) if winner::is_missing(&cells[place], [first, second]) => Ok(None),
        WinnerColumns::One(place) => winner::read(&cells[place], [first, second], is, values)
            .map(Some)
            .map_err(|message| ReadError::in_row(row, format!("winner: {message}"))),
        WinnerColumns::OneHot(places) => match places.map(is_set) {
            [Some(true), Some(false), Some(false)] => Ok(Some(Answer::First)),
            [Some(false), Some(true), Some(false)] => Ok(Some(Answer::Second)),
            [Some(false), Some(false), Some(true)] => Ok(Some(Answer::Tie)),
            [Some(false), Some(false), Some(false)] => Ok(None),
            _ => Err(ReadError::in_row(row, "winner: expected 1 in one of three columns and 0 in the others")),
        },
        WinnerColumns::First => Ok(Some(Answer::First)),
        // Read before.
        WinnerColumns::Counts(..) => Ok(None),
    }
}

/// Properties of the whole column of winners that show its meaning.
fn winner_values(cells: &Cells, columns: &DetectedColumns, declared: &[WinnerValue]) -> Values {
    let WinnerColumns::One(column) = columns.won else { return Values::default() };
    let undeclared = || {
        let winners = cells.rows.iter().map(|(_, row)| row[column].as_str());
        winners.filter(|cell| winner::declared(declared, cell).is_none())
    };
    let is_fraction = |cell: &str| cell.parse::<f64>().is_ok_and(|score| score > 0.0 && score < 1.0);
    // `a` of `model_a`.
    let distinct_words = |column: usize| {
        let header = headers::plain(&cells.header[column]);
        let letter = header.rsplit('_').next().filter(|last| last.len() == 1 && last.parse::<u8>().is_err());
        letter.map(str::to_owned).into_iter().chain([header.clone()]).collect()
    };
    Values {
        sides: [distinct_words(columns.first), distinct_words(columns.second)],
        has_fractions: undeclared().any(is_fraction),
        are_sides: winner::are_sides(
            undeclared(),
            cells.rows.iter().flat_map(|(_, row)| [row[columns.first].as_str(), row[columns.second].as_str()]),
        ),
        called_score: headers::plain(&cells.header[column]) == "score",
    }
}

/// The names of a matrix, each once.
fn check_distinct(names: Vec<String>) -> Result<Vec<String>, ReadError> {
    for (name_index, name) in names.iter().enumerate() {
        ranktypes::text::check_name(name)
            .map_err(|fault| ReadError::of_table(format!("name {}: {fault}", name_index + 1)))?;
        if names[..name_index].contains(name) {
            return Err(ReadError::of_table(format!("{} names two competitors of the matrix", quoted(name))));
        }
    }
    Ok(names)
}
