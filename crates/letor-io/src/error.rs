//! What can go wrong with a data set, in one line.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a data set could not be read: one line that says where (file, line and byte column, from 1),
/// what was found, what was expected, and what to do.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    position: Option<Position>,
    message: String,
}

/// A place in a text file; both count from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// What sort of [`Error`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file system said no.
    Io,
    /// The file is not text with rows: an archive, a binary file, damaged gzip, nothing at all.
    Format,
    /// A row does not read as `label qid:id feature:value ...`.
    Syntax,
    /// A label is out of range.
    Label,
    /// A feature number is 0, repeated, descending or beyond the limit.
    Feature,
    /// A value is NULL, NaN or infinite.
    Value,
    /// A query id is missing, too long or not text; or a side file of group sizes does not fit.
    QueryId,
    /// A query id was met again in another place.
    SameQuery,
    /// Something is larger than it may be.
    Limit,
    /// No data set of this name is registered, and there is no such file.
    Unknown,
    /// The data set is registered but its files are not here.
    Missing,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            path: None,
            position: None,
            message: message.into(),
        }))
    }

    pub(crate) fn io(path: &Path, what: &str, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("{what}: {error}")).in_file(path)
    }

    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_path_buf());
        self
    }

    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        self.0.position = Some(Position { line, column });
        self
    }

    /// What sort of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file it is about.
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

    /// The message without its place.
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

/// Bytes of a file as an error shows them: quoted, escaped, and cut where they go on for long.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 32;
    let shown = bytes[..bytes.len().min(SHOWN)].escape_ascii();
    let dots = if bytes.len() > SHOWN { "..." } else { "" };
    format!("`{shown}{dots}`")
}
