//! The line above a table that names its columns, as `DataFrame.to_csv` of pandas and `write.table` of R write it, and
//! the column of names beside it.

use std::collections::BTreeMap;

use super::MatrixError;
use super::cells::{Delimiter, parse_number as number_in};

/// The first line of a table.
#[derive(Debug)]
pub(super) struct Header {
    delimiter: Delimiter,
    names: Vec<String>,
    /// Whether the first cell of each row is its name.
    indexed: bool,
}

impl Header {
    /// The header in `first` (its line number and text), if it is one: if not all of its cells are numbers, or if it
    /// numbers the columns of the `following` lines from 0.
    pub(super) fn of(first: (usize, &str), following: &[(usize, &str)]) -> Result<Option<Self>, MatrixError> {
        let (line, text) = first;
        let delimiter = Delimiter::of(text);
        let cells = delimiter.cells(text, 0);
        let textual = cells.iter().any(|cell| number_in(cell).is_none());
        let numbered = match cells.split_first() {
            Some((corner, columns)) if corner.is_empty() => !columns.is_empty() && count_up(columns),
            _ => cells.len() > 1 && cells.len() == following.len() && count_up(&cells),
        };
        if !textual && !numbered {
            return Ok(None);
        }
        let Some(&(second, row)) = following.first() else {
            return Err(MatrixError::HeaderRows { named: cells.len(), rows: 0 });
        };
        let row = delimiter.cells(row, cells.len());
        // In tables of R, nothing stands above the names of rows.
        let cornerless = row.len() == cells.len() + 1;
        if row.len() != cells.len() && !cornerless {
            return Err(MatrixError::HeaderCells { line: second, cells: row.len(), expected: cells.len() });
        }
        // An empty first cell is a name only where there is one cell more than arms.
        let one_more = cells.len() == following.len() + 1;
        let names_row =
            || cells[0].is_empty() || number_in(&row[0]).is_none() || (one_more && matches!(&*row[0], "0" | ""));
        let indexed = cornerless || names_row();
        let skipped = usize::from(indexed && !cornerless);
        let names: Vec<String> = cells[skipped..].iter().map(|name| name.clone().into_owned()).collect();
        check_names(&names, line, skipped)?;
        if names.len() != following.len() {
            return Err(MatrixError::HeaderRows { named: names.len(), rows: following.len() });
        }
        Ok(Some(Self { delimiter, names, indexed }))
    }

    /// The numbers of row `number` (from 0), which stands on `line`.
    pub(super) fn row(&self, number: usize, (line, text): (usize, &str)) -> Result<Vec<f64>, MatrixError> {
        let before = usize::from(self.indexed);
        let expected = self.names.len() + before;
        let cells = self.delimiter.cells(text, expected);
        if cells.len() != expected {
            return Err(MatrixError::HeaderCells { line, cells: cells.len(), expected });
        }
        if self.indexed && cells[0] != self.names[number] && cells[0] != number.to_string() {
            let found = shortened(&cells[0]);
            return Err(MatrixError::RowName { line, found, expected: shortened(&self.names[number]) });
        }
        (before + 1..)
            .zip(&cells[before..])
            .map(|(word, found)| {
                number_in(found).ok_or_else(|| MatrixError::NotANumber { line, word, found: shortened(found) })
            })
            .collect()
    }

    /// The names of the arms; `None` if they are only numbered.
    pub(super) fn into_names(self) -> Option<Vec<String>> {
        (!count_up(&self.names)).then_some(self.names)
    }
}

/// Refuses names that are empty, repeated or no text of one line. The first is in the word after `skipped`.
fn check_names(names: &[String], line: usize, skipped: usize) -> Result<(), MatrixError> {
    let mut places = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        let fail = |fault: String| Err(MatrixError::Name { line, word: at + skipped + 1, fault });
        if name.is_empty() {
            return fail("expected a name, found nothing".to_owned());
        }
        if let Some(control) = name.chars().find(|character| character.is_control()) {
            return fail(format!("the name contains the control character {}", control.escape_default()));
        }
        if let Some(first) = places.insert(name, at) {
            let word = first + skipped + 1;
            return fail(format!("`{}` is already word {word}; expected distinct names", shortened(name)));
        }
    }
    Ok(())
}

/// Whether cells number the columns from 0, as pandas does where they have no names.
fn count_up<S: AsRef<str>>(cells: &[S]) -> bool {
    cells.iter().enumerate().all(|(at, cell)| cell.as_ref() == at.to_string())
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
