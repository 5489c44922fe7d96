//! One-line errors about logs.

use std::fmt;
use std::path::{Path, PathBuf};

use ranktypes::text::escaped;

/// An error in reading or crediting logs.
///
/// `Display` is one line: the place (`file:line` or `file:line:column`, both from 1; `file: row 7 (row group 2)` in Parquet), what was found, what was expected
/// and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogError {
    path: Option<PathBuf>,
    line: Option<u64>,
    column: Option<u64>,
    /// For tables: lines are rows, and users cannot look up columns by number.
    row_group: Option<u64>,
    /// For errors of the file system.
    io: Option<std::io::ErrorKind>,
    message: String,
}

impl LogError {
    /// An error without a place.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: None, line: None, column: None, row_group: None, io: None, message: message.into() }
    }

    /// An error while doing `what` with the file at `path`.
    #[must_use]
    pub fn io(path: &Path, what: &str, error: &std::io::Error) -> Self {
        Self { io: Some(error.kind()), ..Self::new(format!("{what}: {error}")) }.in_file(path)
    }

    /// The same error in the file at `path`.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.path = Some(path.to_path_buf());
        self
    }

    /// The error of a line; the line counts from 1.
    #[must_use]
    pub fn at_line(malformed: LineError, line: u64) -> Self {
        let LineError { column, message } = malformed;
        Self { line: Some(line), column, ..Self::new(message) }
    }

    /// The error of a row of a table; the row and its row group count from 1.
    #[must_use]
    pub fn at_row(malformed: LineError, row: u64, row_group: u64) -> Self {
        Self { line: Some(row), row_group: Some(row_group), ..Self::new(malformed.message) }
    }

    /// The kind of the failed file system operation, if one failed.
    #[must_use]
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        self.io
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// The message without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}:", escaped(&path.display().to_string()))?;
            if let (Some(row), Some(group)) = (self.line, self.row_group) {
                return write!(f, " row {row} (row group {group}): {}", escaped(&self.message));
            }
            for place in [self.line, self.column].into_iter().flatten() {
                write!(f, "{place}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&escaped(&self.message))
    }
}

impl std::error::Error for LogError {}

/// An error in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// The column in bytes, from 1, where it is known.
    pub column: Option<u64>,
    /// What was found, what was expected and what to do.
    pub message: String,
}

impl LineError {
    /// A message about the line.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { column: None, message: message.into() }
    }

    /// An error of JSON: its column, and its message without the place.
    #[must_use]
    pub fn json(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
        let remedy = if error.is_eof() {
            "; the line is cut off: read the complete file, or set such lines aside with --malformed set-aside"
        } else if error.is_syntax() {
            "; expected one JSON object per line (`jq -c .` writes them)"
        } else {
            ""
        };
        Self { column: Some(error.column() as u64), message: format!("{message}{remedy}") }
    }
}
