//! One-line errors about data sets.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a data set could not be read.
///
/// `Display` is one line: the place (`file:line:column`; lines and byte columns count from 1), what was found,
/// what was expected, and what to do.
pub struct Error(Box<ErrorDetails>);

struct ErrorDetails {
    kind: ErrorKind,
    io: Option<std::io::ErrorKind>,
    path: Option<PathBuf>,
    position: Option<Position>,
    message: String,
}

/// A place in a text file. Both count from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file system operation failed.
    Io,
    /// The file does not contain rows of text: an archive, a binary file, damaged gzip, or an empty file.
    Format,
    /// A row does not have the form `label qid:id feature:value ...`.
    Syntax,
    /// A label is out of range.
    Label,
    /// A feature number is 0, repeated, descending or beyond the limit.
    Feature,
    /// A value is NULL, NaN or infinite.
    Value,
    /// A query id is missing, too long or not text, or group sizes do not match the rows.
    QueryId,
    /// A query id occurs in two places, or runs and qrels have none in common.
    SameQuery,
    /// A document occurs twice in the list or the judgments of a query.
    Document,
    /// A name of a run or of scores is given twice, or cannot be one.
    Name,
    /// A size exceeds its limit.
    Limit,
    /// The name is neither registered nor a file.
    Unknown,
    /// The data set is registered, but its files are not on this machine.
    Missing,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorDetails { kind, io: None, path: None, position: None, message: message.into() }))
    }

    pub(crate) fn io(path: &Path, what: &str, error: &std::io::Error) -> Self {
        let mut this = Self::new(ErrorKind::Io, format!("{what}: {error}")).in_file(path);
        this.0.io = Some(error.kind());
        this
    }

    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_path_buf());
        self
    }

    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        self.0.position = Some(Position { line, column });
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The kind of the file system's error, if one of its operations failed.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        self.0.io
    }

    /// The file concerned.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<u64> {
        self.0.position.map(|position| position.line)
    }

    /// The column in bytes, from 1.
    pub fn column(&self) -> Option<u64> {
        self.0.position.map(|position| position.column)
    }

    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}:", path.display())?;
            if let Some(Position { line, column }) = self.0.position {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, \"{self}\")", self.0.kind)
    }
}

impl std::error::Error for Error {}

/// Bytes of a file for an error message: quoted, escaped, and truncated.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const MAX_SHOWN: usize = 32;
    let shown = bytes[..bytes.len().min(MAX_SHOWN)].escape_ascii();
    let dots = if bytes.len() > MAX_SHOWN { "..." } else { "" };
    format!("`{shown}{dots}`")
}
