//! The line above a table that names its columns, as `DataFrame.to_csv` of pandas and `write.table` of R write it, and
//! the column of names beside it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::MatrixError;

/// How the cells of a table with a header are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    /// By a comma or a tab.
    Character(char),
    /// By blanks.
    Blanks,
}

/// What the first line of a table says.
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
        let cells = delimiter.cells(text);
        let textual = cells.iter().any(|cell| !cell.is_empty() && cell.parse::<f64>().is_err());
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
        let row = delimiter.cells(row);
        // In tables of R, nothing stands above the names of rows.
        let cornerless = row.len() == cells.len() + 1;
        if row.len() != cells.len() && !cornerless {
            return Err(MatrixError::HeaderCells { line: second, cells: row.len(), expected: cells.len() });
        }
        let is_number = |cell: &Cow<'_, str>| cell.parse::<f64>().is_ok();
        let names_row =
            || cells[0].is_empty() || !is_number(&row[0]) || (cells.len() == following.len() + 1 && row[0] == "0");
        let indexed = cornerless || names_row();
        let skipped = usize::from(indexed && !cornerless);
        let names: Vec<String> = cells[skipped..].iter().map(|name| name.clone().into_owned()).collect();
        check(&names, line, skipped)?;
        if names.len() != following.len() {
            return Err(MatrixError::HeaderRows { named: names.len(), rows: following.len() });
        }
        Ok(Some(Self { delimiter, names, indexed }))
    }

    /// The numbers of row `number` (from 0), which stands on `line`.
    pub(super) fn row(&self, number: usize, (line, text): (usize, &str)) -> Result<Vec<f64>, MatrixError> {
        let cells = self.delimiter.cells(text);
        let before = usize::from(self.indexed);
        let expected = self.names.len() + before;
        if cells.len() != expected {
            return Err(MatrixError::HeaderCells { line, cells: cells.len(), expected });
        }
        if self.indexed && cells[0] != self.names[number] && cells[0] != number.to_string() {
            let found = shortened(&cells[0]);
            return Err(MatrixError::RowName { line, found, expected: shortened(&self.names[number]) });
        }
        (before + 1..)
            .zip(&cells[before..])
            .map(|(word, found)| match found.parse() {
                Ok(number) => Ok(number),
                Err(_) if found.is_empty() => Err(MatrixError::EmptyCell { line, word }),
                Err(_) => Err(MatrixError::NotANumber { line, word, found: shortened(found) }),
            })
            .collect()
    }

    /// The names of the arms; `None` if they are only numbered.
    pub(super) fn into_names(self) -> Option<Vec<String>> {
        (!count_up(&self.names)).then_some(self.names)
    }
}

/// Refuses names that are empty, repeated or no text of one line. The first is in the word after `skipped`.
fn check(names: &[String], line: usize, skipped: usize) -> Result<(), MatrixError> {
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

impl Delimiter {
    /// The delimiter of a line: a comma outside quotation marks if there is one, else a tab, else blanks.
    fn of(line: &str) -> Self {
        let mut quoted = false;
        let outside = |character: &char| {
            quoted ^= *character == '"';
            !quoted
        };
        let plain: String = line.chars().filter(outside).collect();
        match [',', '\t'].into_iter().find(|delimiter| plain.contains(*delimiter)) {
            Some(delimiter) => Self::Character(delimiter),
            None => Self::Blanks,
        }
    }

    /// The cells of a line, without the quotation marks around them. A delimiter at the end begins no cell.
    fn cells(self, line: &str) -> Vec<Cow<'_, str>> {
        let is_delimiter = |character: char| match self {
            Self::Character(delimiter) => character == delimiter,
            Self::Blanks => character == ' ' || character == '\t',
        };
        let mut cells = Vec::new();
        // A tab before the first cell of a line separates an empty corner from it.
        let mut rest = line.trim_end_matches(['\r', ' ']);
        loop {
            rest = rest.trim_start_matches(' ');
            if self == Self::Blanks {
                rest = rest.trim_start();
            }
            if rest.is_empty() {
                return cells;
            }
            let (cell, end) = match quoted(rest, is_delimiter) {
                Some((cell, end)) => (cell, end),
                None => {
                    let end = rest.find(is_delimiter).unwrap_or(rest.len());
                    (Cow::Borrowed(rest[..end].trim()), end)
                }
            };
            cells.push(cell);
            let mut after = rest[end..].chars();
            after.next();
            rest = after.as_str();
        }
    }
}

/// The text in the quotation marks that `rest` begins with, in which doubled ones stand for one, and where the delimiter
/// after it is.
fn quoted(rest: &str, is_delimiter: impl Fn(char) -> bool) -> Option<(Cow<'_, str>, usize)> {
    let mut text = String::new();
    let mut characters = rest.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        if character != '"' {
            text.push(character);
            continue;
        }
        let after = &rest[at + 2..];
        if after.starts_with('"') {
            text.push('"');
            characters.next();
            continue;
        }
        let blanks = after.len() - after.trim_start_matches(' ').len();
        let end = at + 2 + blanks;
        let ends =
            rest[end..].is_empty() || rest[end..].starts_with(&is_delimiter) || (blanks > 0 && is_delimiter(' '));
        let end = if is_delimiter(' ') { at + 2 } else { end };
        return ends.then(|| (Cow::Owned(text.trim().to_owned()), end));
    }
    None
}
