//! Preference matrices as text: one row per line, cells separated by blanks, tabs, commas or semicolons.

use std::fmt::Write as _;
use std::ops::Range;

use super::cells::{Delimiter, parse_number};
use super::header::Header;
use super::{MatrixError, PreferenceMatrix};

/// The cells of a line without quotation marks: between commas, or between blanks where there is no comma between them;
/// between semicolons, or between tabs, if commas are those of numbers. With them, whether the last one is the empty one
/// behind a delimiter.
fn split_cells(line: &str) -> (Vec<&str>, bool) {
    let line = line.trim_matches([' ', '\r']);
    match Delimiter::of(line) {
        Delimiter::Character(delimiter @ (';' | '\t')) if line.contains([',', ';']) => {
            (line.split(delimiter).map(str::trim).collect(), line.ends_with(delimiter))
        }
        _ => {
            let line = line.trim();
            // `split_whitespace` finds no cell at all in an empty part.
            let parts = line.split(',').map(str::trim);
            let cells = parts.flat_map(|part| {
                let words = part.split([' ', '\t', '\r']).filter(|word| !word.is_empty());
                words.chain(part.is_empty().then_some(""))
            });
            (cells.collect(), line.ends_with(','))
        }
    }
}

/// A square table of numbers, read from text, with the names in its header.
///
/// ```
/// use bandits::SquareTable;
///
/// let table = SquareTable::parse(",bm25,ltr\nbm25,0.5,0.7\nltr,0.3,0.5\n")?;
/// assert_eq!((table.size, table.entries), (2, vec![0.5, 0.7, 0.3, 0.5]));
/// assert_eq!(table.names.unwrap(), ["bm25", "ltr"]);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SquareTable {
    /// The number of rows and columns.
    pub size: usize,
    /// All entries, row by row.
    pub entries: Vec<f64>,
    /// The names of the columns, which are also those of the rows: trimmed, not empty, and distinct.
    pub names: Option<Vec<String>>,
}

impl SquareTable {
    /// Reads text: one row per line, cells separated by blanks, tabs, commas or semicolons; blank lines and lines
    /// that begin with `#` do not count. An empty cell, `nan`, `NA` or `-` is NaN; between semicolons or tabs, numbers may
    /// have a comma for the point. A first line with nothing but the number of arms is
    /// understood, and one with the names of the columns, as `DataFrame.to_csv` of pandas and `write.table` of R write
    /// it, with or without a first column of the same names. Names may stand in quotation marks.
    ///
    /// # Errors
    /// If a word is not a number, the table is not square, or names are not distinct or not those of the rows.
    pub fn parse(text: &str) -> Result<Self, MatrixError> {
        let lines: Vec<(usize, &str)> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
            .collect();
        let Some((&first, following)) = lines.split_first() else { return Err(MatrixError::Empty) };
        let announced = first.1.trim().parse::<usize>().ok().filter(|_| lines.len() > 1);
        if announced.is_none()
            && let Some(header) = Header::of(first, following)?
        {
            let size = following.len();
            let mut entries = Vec::new();
            for (number, &line) in following.iter().enumerate() {
                entries.append(&mut header.row(number, line)?);
            }
            return Ok(Self { size, entries, names: header.into_names() });
        }
        let mut entries = Vec::new();
        let mut rows = 0;
        let mut expected = announced;
        for &(line, content) in if announced.is_some() { following } else { &lines } {
            let (mut words, open) = split_cells(content);
            // A delimiter at the end begins a cell only where one is missing.
            if open && words.len() != lines.len() - usize::from(announced.is_some()) {
                words.pop();
            }
            for (word, &found) in (1..).zip(&words) {
                let number = parse_number(found).ok_or_else(|| MatrixError::NotANumber {
                    line,
                    word,
                    found: found.chars().take(40).collect(),
                })?;
                entries.push(number);
            }
            let cells = words.len();
            let expected = *expected.get_or_insert(cells);
            if cells != expected {
                return Err(MatrixError::NotSquare { row: rows, cells, expected });
            }
            rows += 1;
        }
        let size = expected.unwrap_or(0);
        if rows != size {
            return Err(match announced {
                Some(announced) => MatrixError::Rows { announced, rows },
                None => MatrixError::NotSquare { row: 0, cells: size, expected: rows },
            });
        }
        Ok(Self { size, entries, names: None })
    }
}

impl PreferenceMatrix {
    /// Reads text in the forms that [`SquareTable::parse`] understands, leaving out names.
    ///
    /// # Errors
    /// If the text is not a square table, or its numbers are not a preference matrix.
    pub fn parse(text: &str) -> Result<Self, MatrixError> {
        let SquareTable { size, entries, .. } = SquareTable::parse(text)?;
        Self::from_table(size, entries).map(|read| read.matrix)
    }

    /// Writes text that [`parse`](Self::parse) reads back to the same bits.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.rows_to_text(0..self.arms)
    }

    /// Writes the lines of these rows of [`to_text`](Self::to_text); the whole text may take gigabytes.
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
            "row 0, column 1: expected a probability, found nothing; give counts of wins, 0 and 0 for a pair that never met, \
             or 0.5 to call it a tie"
        );
        assert!(message("0.5 0.7\n, 0.5").starts_with("row 1, column 0: expected a probability, found nothing"));
        assert_eq!(message("0.5,0.7, ,\n"), "row 0 has 3 cells, expected 1; a preference matrix is square");
        assert_eq!(
            message("0.5 0.5\n\n0.5 x"),
            "line 3, word 2: expected a number, found `x`; names stand in a first line, above the columns"
        );
        assert_eq!(message("0.5 0.5\n0.5"), "row 1 has 1 cells, expected 2; a preference matrix is square");
        assert_eq!(message("0.5 0.5 0.5\n0.5 0.5 0.5"), "row 0 has 3 cells, expected 2; a preference matrix is square");
        assert_eq!(message("3\n0.5 0.5\n0.5 0.5"), "row 0 has 2 cells, expected 3; a preference matrix is square");
        assert_eq!(message("2\n0.5 0.5"), "the first line announces 2 arms, but 1 rows follow");
        assert_eq!(message("nan"), "row 0, column 0: expected a probability from 0 to 1, found NaN");
        assert_eq!(message("7"), "row 0, column 0: expected a probability from 0 to 1, found 7");
    }

    #[test]
    fn headers_name_the_arms() {
        let plain = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").expect("plain");
        let names = |text: &str| {
            let table = SquareTable::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(PreferenceMatrix::new(table.size, table.entries).as_ref(), Ok(&plain), "{text:?}");
            table.names.map(|names| names.join("|"))
        };
        for text in [
            // pandas: with and without its index, which may have a name or be numbers.
            ",bm25,ltr\nbm25,0.5,0.7\nltr,0.3,0.5\n",
            "ranker,bm25,ltr\r\nbm25,0.5,0.7\r\nltr,0.3,0.5\r\n",
            "bm25,ltr\n0.5,0.7\n0.3,0.5\n",
            ",bm25,ltr\n0,0.5,0.7\n1,0.3,0.5\n",
            "i,bm25,ltr\n0,0.5,0.7\n1,0.3,0.5\n",
            "\tbm25\tltr\nbm25\t0.5\t0.7\nltr\t0.3\t0.5\n",
            // R: quotation marks, and nothing above the names of rows.
            "\"bm25\" \"ltr\"\n\"bm25\" 0.5 0.7\n\"ltr\" 0.3 0.5\n",
            "\"\",\"bm25\",\"ltr\"\n\"bm25\",0.5,0.7\n\"ltr\",0.3,0.5\n",
            "# p\n bm25 , ltr \n0.5, 0.7,\n 0.3 ,0.5,\n",
        ] {
            assert_eq!(names(text).as_deref(), Some("bm25|ltr"), "{text:?}");
        }
        let odd = ",\"a, b\",\"say \"\"x\"\"\"\n\"a, b\",0.5,0.7\n\"say \"\"x\"\"\",0.3,0.5\n";
        assert_eq!(names(odd).as_deref(), Some("a, b|say \"x\""));
        assert_eq!(names("run a\tnaïve 検索\n0.5\t0.7\n0.3\t0.5").as_deref(), Some("run a|naïve 検索"));
        // As pandas writes columns without names.
        for text in [",0,1\n0,0.5,0.7\n1,0.3,0.5\n", "0,1\n0.5,0.7\n0.3,0.5\n"] {
            assert_eq!(names(text), None, "{text:?}");
        }
        assert_eq!(names("17,4\n0.5,0.7\n0.3,0.5\n".replace("17", "m17").as_str()).as_deref(), Some("m17|4"));
    }

    #[test]
    fn malformed_headers_are_refused_by_line_and_word() {
        let message = |text| SquareTable::parse(text).expect_err(text).to_string();
        for (text, expected) in [
            ("a,b\n", "the header names 2 arms, but 0 rows follow"),
            ("a,b\n0.5,0.7\n", "the header names 2 arms, but 1 rows follow"),
            ("a,b,c\n0.5,0.7\n0.3,0.5\n", "line 2 has 2 cells, expected 3 as in the header"),
            (",a,b\na,0.5,0.7\nb,0.3\n", "line 3 has 2 cells, expected 3 as in the header"),
            ("a,,c\n0.5,0.7,1\n0.3,0.5,1\n0,0,0.5", "line 1, word 2: expected a name, found nothing"),
            (",a,a\na,0.5,0.7\na,0.3,0.5\n", "line 1, word 3: `a` is already word 2; expected distinct names"),
            (
                ",a,b\nb,0.5,0.7\na,0.3,0.5\n",
                "line 2, word 1: expected `a`, found `b`; rows and columns name the same arms in the same order",
            ),
            (
                ",a,b\na,0.5,x\nb,0.3,0.5\n",
                "line 2, word 3: expected a number, found `x`; names stand in a first line, above the columns",
            ),
            (",a,b\na,0.5\nb,0.3,0.5\n", "line 2 has 2 cells, expected 3 as in the header"),
            ("\na\u{1b},b\n0.5,0.7\n0.3,0.5\n", "line 2, word 1: the name contains the control character \\u{1b}"),
        ] {
            assert_eq!(message(text), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn names_in_quotation_marks_are_read_back(names in proptest::collection::btree_set("[a-z\"é, ]{0,3}z", 2)) {
            let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
            proptest::prop_assume!(names[0] != names[1]);
            let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
            for delimiter in [",", "\t", " "] {
                let text = format!(
                    "{}\n{}\n{}",
                    names.iter().map(quoted).collect::<Vec<_>>().join(delimiter),
                    [quoted(&names[0]), "0.5".into(), "0.7".into()].join(delimiter),
                    [quoted(&names[1]), "0.3".into(), "0.5".into()].join(delimiter),
                );
                let table = SquareTable::parse(&text);
                proptest::prop_assert_eq!(table.map(|table| table.names), Ok(Some(names.clone())), "{}", text);
            }
        }


        #[test]
        fn any_bytes_end_in_a_matrix_or_an_error(bytes: Vec<u8>) {
            let _ = PreferenceMatrix::from_bytes(&bytes);
        }
    }
}
