//! Errors of reading a table.

use std::fmt;

/// The reason why a table was refused: where, what was found there, what was expected, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The line of the file, or the row of the frame, from 1. `None` for errors of the whole table.
    pub row: Option<u64>,
    /// What was found, what was expected, and what to do.
    pub message: String,
}

impl ReadError {
    pub(super) fn in_row(row: u64, message: impl Into<String>) -> Self {
        Self { row: Some(row), message: message.into() }
    }

    pub(super) fn of_table(message: impl Into<String>) -> Self {
        Self { row: None, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "line {row}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// A hint for a message about a number with a decimal comma.
pub(super) fn decimal_comma(text: &str) -> &'static str {
    let is_number = text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok();
    if is_number { "; write decimals with a point, as in 0.5" } else { "" }
}

/// A text as it may be quoted in a message: without control characters, and short.
pub(super) fn quoted(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let escaped: String = text.chars().take(MAX_CHARS).flat_map(|found| found.escape_debug()).collect();
    format!("`{escaped}{}`", if text.chars().nth(MAX_CHARS).is_some() { "…" } else { "" })
}
