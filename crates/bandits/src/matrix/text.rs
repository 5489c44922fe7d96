//! Preference matrices as text: one row per line, cells separated by blanks, tabs or commas.

use std::fmt::Write as _;
use std::ops::Range;

use super::{MatrixError, PreferenceMatrix};

/// The cells of a line: between commas, or between blanks where there is no comma between them. A comma at the end
/// begins no cell.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim();
    let parts = line.strip_suffix(',').unwrap_or(line).split(',').map(str::trim);
    parts.flat_map(|part| {
        // `split_whitespace` finds no cell at all in an empty part.
        let words = part.split([' ', '\t', '\r']).filter(|word| !word.is_empty());
        words.chain(part.is_empty().then_some(""))
    })
}

impl PreferenceMatrix {
    /// Reads text: one row per line, cells separated by blanks, tabs or commas; blank lines and lines
    /// that begin with `#` do not count. A first line with nothing but the number of arms is
    /// understood.
    ///
    /// # Errors
    /// If a word is not a number, or the numbers are not a preference matrix.
    pub fn parse(text: &str) -> Result<Self, MatrixError> {
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
            .peekable();
        let announced = lines.peek().and_then(|(_, line)| line.trim().parse::<usize>().ok());
        let several = lines.clone().nth(1).is_some();
        let announced = announced.filter(|_| several);
        if announced.is_some() {
            lines.next();
        }

        let mut entries = Vec::new();
        let mut rows = 0;
        let mut expected = announced;
        for (line, content) in lines {
            let before = entries.len();
            for (word, found) in (1..).zip(cells(content)) {
                if found.is_empty() {
                    return Err(MatrixError::EmptyCell { line, word });
                }
                let number = found.parse::<f64>().map_err(|_| MatrixError::NotANumber {
                    line,
                    word,
                    found: found.chars().take(40).collect(),
                })?;
                entries.push(number);
            }
            let cells = entries.len() - before;
            let expected = *expected.get_or_insert(cells);
            if cells != expected {
                return Err(MatrixError::NotSquare { row: rows, cells, expected });
            }
            rows += 1;
        }
        let Some(arms) = expected else {
            return Err(MatrixError::Empty);
        };
        if rows != arms {
            return Err(match announced {
                Some(announced) => MatrixError::Rows { announced, rows },
                None => MatrixError::NotSquare { row: 0, cells: arms, expected: rows },
            });
        }
        Self::new(arms, entries)
    }

    /// Writes text that [`parse`](Self::parse) reads back to the same bits.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.rows_to_text(0..self.arms)
    }

    /// Writes the lines of these rows of [`to_text`](Self::to_text), the text of all rows of which may take gigabytes.
    ///
    /// # Panics
    /// If the matrix has fewer rows.
    #[must_use]
    pub fn rows_to_text(&self, rows: Range<usize>) -> String {
        let entries = &self.entries[rows.start * self.arms..rows.end * self.arms];
        let mut text = String::with_capacity(entries.len() * 20);
        for row in entries.chunks_exact(self.arms) {
            for (column, entry) in row.iter().enumerate() {
                let separator = if column == 0 { "" } else { " " };
                // Writing into a string cannot fail.
                let _ = write!(text, "{separator}{entry}");
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_headers_and_comments() {
        let plain = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").expect("plain");
        for text in [
            "0.5\t0.7\r\n0.3\t0.5\r\n",
            "0.5,0.7\n0.3,0.5\n",
            "2\n0.5, 0.7\n 0.3,  0.5\n\n",
            "0.5,0.7,\n0.3 ,0.5, \n",
            "# p\n\n5e-1 .7\n0.3 0.5",
        ] {
            assert_eq!(PreferenceMatrix::parse(text).as_ref(), Ok(&plain), "{text:?}");
        }
        assert_eq!(PreferenceMatrix::parse("0.5").map(|m| m.arms()), Ok(1));
        assert_eq!(PreferenceMatrix::parse("1\n0.5").map(|m| m.arms()), Ok(1));
        assert_eq!(PreferenceMatrix::parse(&plain.to_text()), Ok(plain));
    }

    #[test]
    fn errors_say_where() {
        let message = |text| PreferenceMatrix::parse(text).expect_err(text).to_string();
        assert_eq!(message(" \n"), "the matrix is empty; expected at least one row");
        assert_eq!(
            message("0.5,,0.7\n0.5,0.5,0.5\n0.3,0.5,0.5"),
            "line 1, word 2: expected a number, found nothing between two commas"
        );
        assert_eq!(message("0.5 0.7\n, 0.5"), "line 2, word 1: expected a number, found nothing before the comma");
        assert_eq!(message("0.5,0.7, ,\n"), "line 1, word 3: expected a number, found nothing between two commas");
        assert_eq!(
            message("0.5 0.5\n\n0.5 x"),
            "line 3, word 2: expected a number, found `x`; rows hold numbers alone, without names"
        );
        assert_eq!(message("0.5 0.5\n0.5"), "row 1 has 1 cells, expected 2; a preference matrix is square");
        assert_eq!(message("0.5 0.5 0.5\n0.5 0.5 0.5"), "row 0 has 3 cells, expected 2; a preference matrix is square");
        assert_eq!(message("3\n0.5 0.5\n0.5 0.5"), "row 0 has 2 cells, expected 3; a preference matrix is square");
        assert_eq!(message("2\n0.5 0.5"), "the first line announces 2 arms, but 1 rows follow");
        assert_eq!(message("nan"), "row 0, column 0: expected a probability from 0 to 1, found NaN");
        assert_eq!(message("7"), "row 0, column 0: expected a probability from 0 to 1, found 7");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_end_in_a_matrix_or_an_error(bytes: Vec<u8>) {
            let _ = PreferenceMatrix::from_bytes(&bytes);
        }
    }
}
