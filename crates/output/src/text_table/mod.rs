//! Tables for the terminal: a header, one rule below it, and rows that wrap instead of exceeding the terminal.

pub mod annotated;

use std::fmt;

/// The alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text; only such columns are wrapped.
    Left,
    /// Numbers.
    Right,
}

/// The number of spaces between two columns.
const GAP: usize = 2;
/// No column is wrapped to fewer characters.
const MIN_WIDTH: usize = 8;

/// A table of text. [`Display`](fmt::Display) fits it to the terminal; written anywhere else, every row is one line.
#[derive(Debug, Clone)]
pub struct TextTable {
    header: Vec<String>,
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table without rows; its columns have these headings.
    #[must_use]
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let (header, align) = columns.into_iter().map(|(name, align)| (name.to_owned(), align)).unzip();
        Self { header, align, rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells.into_iter().collect();
        row.resize(self.header.len(), String::new());
        self.rows.push(row);
    }

    /// The table in at most `width` characters per line, if its words are short enough. `None` for any width.
    #[must_use]
    pub fn fitted(&self, width: Option<usize>) -> String {
        let all_rows = || std::iter::once(&self.header).chain(&self.rows);
        let widest = |column: usize| all_rows().map(|row| length(&row[column])).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..self.header.len()).map(widest).collect();
        if let Some(width) = width {
            self.narrow_columns(&mut widths, width);
        }
        let mut lines = Vec::new();
        for (number, row) in all_rows().enumerate() {
            let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| wrapped(cell, width)).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for line_index in 0..height {
                let line = cells.iter().enumerate().map(|(column, cell)| {
                    let text = cell.get(line_index).map_or("", String::as_str);
                    let space = " ".repeat(widths[column].saturating_sub(length(text)));
                    match self.align[column] {
                        Align::Left => format!("{text}{space}"),
                        Align::Right => format!("{space}{text}"),
                    }
                });
                lines.push(line.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned());
            }
            if number == 0 {
                let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
                lines.push("─".repeat(total));
            }
        }
        lines.join("\n")
    }

    /// Takes characters from the widest columns of text until all columns fit into `width`.
    fn narrow_columns(&self, widths: &mut [usize], width: usize) {
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > width {
            let text_columns = (0..widths.len()).filter(|&at| self.align[at] == Align::Left && widths[at] > MIN_WIDTH);
            let Some(widest) = text_columns.max_by_key(|&at| widths[at]) else { return };
            widths[widest] -= 1;
        }
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terminal = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
        f.write_str(&self.fitted(terminal))
    }
}

/// The number of characters.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// The words of `text` in lines of at most `width` characters; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if length(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| length(line) + 1 + length(word) <= width) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new([("algorithm", Align::Left), ("regret", Align::Right), ("shows", Align::Left)]);
        table.row(["rucb variant=lerot alpha=0.51", "18,400", "feature 106 (arm 14), 7/10"].map(str::to_owned));
        table.row(["dts", "643", "none"].map(str::to_owned));
        table
    }

    #[test]
    fn one_rule_and_one_line_per_row() {
        let expected = "\
algorithm                      regret  shows
─────────────────────────────────────────────────────────────────
rucb variant=lerot alpha=0.51  18,400  feature 106 (arm 14), 7/10
dts                               643  none";
        assert_eq!(table().fitted(None), expected);
        assert_eq!(table().fitted(Some(80)), expected);
    }

    #[test]
    fn text_wraps_where_the_terminal_is_narrow() {
        let expected = "\
algorithm              regret  shows
────────────────────────────────────────────────────
rucb variant=lerot     18,400  feature 106 (arm 14),
alpha=0.51                     7/10
dts                       643  none";
        assert_eq!(table().fitted(Some(52)), expected);
        for width in 32..70 {
            let fitted = table().fitted(Some(width));
            assert!(fitted.lines().all(|line| length(line) <= width), "{width}:\n{fitted}");
        }
    }
}
