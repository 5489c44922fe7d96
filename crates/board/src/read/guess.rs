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
pub(super) fn columns(cells: &Cells) -> Option<String> {
    let headers: Vec<String> = cells.header.iter().map(|header| plain(header)).collect();
    let (first, second) = by_stems(&headers).or_else(|| by_values(cells))?;
    let called = |lists: &[&[&str]]| {
        let is_called = |place: &usize| lists.iter().any(|list| list.contains(&headers[*place].as_str()));
        (0..headers.len()).filter(|place| *place != first && *place != second).find(is_called)
    };
    let winner = called(&[&WINNERS]).or_else(|| winner_by_values(cells, first, second))?;
    let free = |place: &usize| *place != winner;
    let all = [
        ("first", Some(first)),
        ("second", Some(second)),
        ("winner", Some(winner)),
        ("item", called(&[&ITEMS, &MORE_ITEMS]).filter(free)),
        ("judge", called(&[&JUDGES, &MORE_JUDGES]).filter(free)),
    ];
    let parts: Vec<String> =
        all.iter().filter_map(|(what, place)| Some(format!("{what}={}", cells.header[(*place)?]))).collect();
    // A value that a shell or the list would split cannot be shown on one line.
    let is_plain = |part: &String| !part.contains(['"', '$', '`', '\\', ',', '!']);
    parts.iter().all(is_plain).then(|| format!("--columns \"{}\"", parts.join(",")))
}

/// Two headers that differ only in their ends: `Antwort A` and `Antwort B`, `text1` and `text2`.
fn by_stems(headers: &[String]) -> Option<(usize, usize)> {
    let place = |first: &str, second: &str| {
        let ends = |header: &String| header.strip_suffix(first).filter(|stem| !stem.is_empty()).map(str::to_owned);
        headers.iter().enumerate().find_map(|(at, header)| {
            let other = ends(header)? + second;
            Some((at, headers.iter().position(|found| *found == other)?))
        })
    };
    [("_a", "_b"), ("_1", "_2"), ("1", "2"), ("_links", "_rechts"), ("_left", "_right"), ("_x", "_y")]
        .iter()
        .find_map(|(first, second)| place(first, second))
}

/// The names in a column, if they may be those of competitors: several, and each more than once on average.
fn names(cells: &Cells, column: usize) -> Option<BTreeSet<&str>> {
    let all: BTreeSet<&str> =
        cells.rows.iter().map(|(_, row)| row[column].as_str()).filter(|cell| !cell.is_empty()).collect();
    (all.len() > 1 && 2 * all.len() <= cells.rows.len()).then_some(all)
}

/// Two columns with mostly the same names, which never stand side by side.
fn by_values(cells: &Cells) -> Option<(usize, usize)> {
    let all: Vec<_> = (0..cells.header.len()).map(|column| names(cells, column)).collect();
    let alike = |i: usize, j: usize| {
        let (Some(one), Some(other)) = (&all[i], &all[j]) else { return false };
        let both = one.intersection(other).count();
        2 * both > one.len().max(other.len()) && cells.rows.iter().all(|(_, row)| row[i] != row[j] || row[i].is_empty())
    };
    (0..all.len()).flat_map(|i| (i + 1..all.len()).map(move |j| (i, j))).find(|(i, j)| alike(*i, *j))
}

/// The column in which nearly all rows name one of their two competitors.
fn winner_by_values(cells: &Cells, first: usize, second: usize) -> Option<usize> {
    let share = |column: usize| {
        let names = |(_, row): &&(u64, Vec<String>)| row[column] == row[first] || row[column] == row[second];
        cells.rows.iter().filter(names).count() as f64 / cells.rows.len().max(1) as f64
    };
    (0..cells.header.len()).filter(|column| *column != first && *column != second).find(|column| share(*column) > 0.5)
}
