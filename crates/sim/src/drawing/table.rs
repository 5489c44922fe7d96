//! Tables of results in CSV: columns by name, and errors with line, column, value and expected value.

use anyhow::{Context, Result, anyhow};
use ranktypes::text::escaped;

/// A table, read row by row.
pub(super) struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    header: csv::StringRecord,
    record: csv::StringRecord,
}

/// A row of a table.
pub(super) struct Row<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
    /// Its line in the file, from 1.
    pub(super) line: u64,
}

impl<'a> Table<'a> {
    /// # Errors
    /// If there is no header.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().context("line 1: expected the names of columns")?.clone();
        Ok(Self { reader, header, record: csv::StringRecord::new() })
    }

    /// The place of a column, if it is there.
    pub(super) fn find_column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// The place of a column.
    ///
    /// # Errors
    /// If it is not there.
    pub(super) fn column(&self, name: &str) -> Result<usize> {
        self.find_column(name).with_context(|| {
            let columns = self.header.iter().collect::<Vec<_>>().join(",");
            format!("line 1: expected a column {name}, found {}", escaped(&columns))
        })
    }

    /// The next row, if there is one.
    ///
    /// # Errors
    /// If it has more or fewer columns than the header.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>> {
        let Self { reader, header, record } = self;
        let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line);
        let is_row = reader
            .read_record(record)
            .map_err(|error| anyhow!("line {}: expected {} columns", line(error.position()), header.len()))?;
        Ok(is_row.then(|| Row { line: line(record.position()), header, record }))
    }
}

impl Row<'_> {
    /// The text in a column.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default()
    }

    /// Parses the text in a column by `parse`.
    ///
    /// # Errors
    /// If `parse` returns nothing; the message has `expected`.
    pub(super) fn value<T>(&self, column: usize, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
        parse(self.cell(column)).with_context(|| {
            let name = self.header.get(column).unwrap_or_default();
            let (line, text) = (self.line, escaped(self.cell(column)));
            format!("line {line}, column {name}: expected {expected}, found `{text}`")
        })
    }
}
