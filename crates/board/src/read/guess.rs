//! Guesses the columns of a table for the message that asks for them: never used to read it.

use super::cells::Cells;
use super::headers::{ITEMS, JUDGES, WINNERS, plain};
use std::collections::BTreeSet;

/// Other names for the column of the item, in German, French, Spanish, Italian and Dutch.
const MORE_ITEMS: [&str; 9] =
    ["frage", "aufgabe", "anfrage", "beispiel", "pregunta", "domanda", "vraag", "tâche", "text"];
/// Other names for the column of the judge.
const MORE_JUDGES: [&str; 12] = [
    "prüfer",
    "prüferin",
    "bewerter",
    "gutachter",
    "person",
    "name",
    "juge",
    "juez",
    "giudice",
    "beoordelaar",
    "évaluateur",
    "reviewer",
];

/// A line of `--columns` that names two competitors, and other likely columns; `None` without a likely pair.
pub(super) fn guess_columns(cells: &Cells) -> Option<String> {
    let headers: Vec<String> = cells.header.iter().map(|header| plain(header)).collect();
    let (first, second) = pair_by_stems(&headers).or_else(|| pair_by_values(cells))?;
    let index_called = |lists: &[&[&str]]| {
        let is_called = |place: &usize| lists.iter().any(|list| list.contains(&headers[*place].as_str()));
        (0..headers.len()).filter(|place| *place != first && *place != second).find(is_called)
    };
    let winner = index_called(&[&WINNERS]).or_else(|| winner_by_values(cells, first, second))?;
    let is_free = |place: &usize| *place != winner;
    let candidates = [
        ("first", Some(first)),
        ("second", Some(second)),
        ("winner", Some(winner)),
        ("item", index_called(&[&ITEMS, &MORE_ITEMS]).filter(is_free)),
        ("judge", index_called(&[&JUDGES, &MORE_JUDGES]).filter(is_free)),
    ];
    let descriptions: Vec<String> =
        candidates.iter().filter_map(|(what, place)| Some(format!("{what}={}", cells.header[(*place)?]))).collect();
    // A value that a shell or the list would split cannot be shown on one line.
    let is_plain = |part: &String| !part.contains(['"', '$', '`', '\\', ',', '!']);
    descriptions.iter().all(is_plain).then(|| format!("--columns \"{}\"", descriptions.join(",")))
}

/// Two headers that differ only in their ends: `Antwort A` and `Antwort B`, `text1` and `text2`.
fn pair_by_stems(headers: &[String]) -> Option<(usize, usize)> {
    let index_of = |first: &str, second: &str| {
        let stem_of = |header: &String| header.strip_suffix(first).filter(|stem| !stem.is_empty()).map(str::to_owned);
        headers.iter().enumerate().find_map(|(at, header)| {
            let partner = stem_of(header)? + second;
            Some((at, headers.iter().position(|found| *found == partner)?))
        })
    };
    [("_a", "_b"), ("_1", "_2"), ("1", "2"), ("_links", "_rechts"), ("_left", "_right"), ("_x", "_y")]
        .iter()
        .find_map(|(first, second)| index_of(first, second))
}

/// The names in a column, if they may be those of competitors: several, and each more than once on average.
fn names_in_column(cells: &Cells, column: usize) -> Option<BTreeSet<&str>> {
    let distinct: BTreeSet<&str> =
        cells.rows.iter().map(|(_, row)| row[column].as_str()).filter(|cell| !cell.is_empty()).collect();
    (distinct.len() > 1 && 2 * distinct.len() <= cells.rows.len()).then_some(distinct)
}

/// Two columns with mostly the same names, which never stand side by side.
fn pair_by_values(cells: &Cells) -> Option<(usize, usize)> {
    let names_of_columns: Vec<_> = (0..cells.header.len()).map(|column| names_in_column(cells, column)).collect();
    let alike = |i: usize, j: usize| {
        let (Some(names_a), Some(names_b)) = (&names_of_columns[i], &names_of_columns[j]) else { return false };
        let common = names_a.intersection(names_b).count();
        2 * common > names_a.len().max(names_b.len())
            && cells.rows.iter().all(|(_, row)| row[i] != row[j] || row[i].is_empty())
    };
    (0..names_of_columns.len())
        .flat_map(|i| (i + 1..names_of_columns.len()).map(move |j| (i, j)))
        .find(|(i, j)| alike(*i, *j))
}

/// The column in which nearly all rows name one of their two competitors.
fn winner_by_values(cells: &Cells, first: usize, second: usize) -> Option<usize> {
    let share = |column: usize| {
        let names = |(_, row): &&(u64, Vec<String>)| row[column] == row[first] || row[column] == row[second];
        cells.rows.iter().filter(names).count() as f64 / cells.rows.len().max(1) as f64
    };
    (0..cells.header.len()).filter(|column| *column != first && *column != second).find(|column| share(*column) > 0.5)
}
