//! Why a command stops.

use std::error::Error;
use std::fmt;
use std::io;

use output::memory::NoRoomError;
use output::usage::UsageError;
use ranktypes::text::escaped;

/// The exit code for failures.
pub const FAILED: u8 = 1;
/// The exit code for wrong usage, the same as clap's.
pub const WRONG_USAGE: u8 = 2;

/// The kind of failure that ended a command, for front ends with an error type for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Something was asked wrongly.
    Usage,
    /// A file or data set is not there.
    NotFound,
    /// A file may not be read or written.
    Permission,
    /// A file could not be read or written for another reason.
    Io,
    /// There is not enough memory.
    Memory,
    /// The content of a file or table is wrong.
    Content,
    /// Anything else.
    Other,
}

impl FailureKind {
    /// The kind of an error of the file system.
    #[must_use]
    pub fn of_io(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::PermissionDenied => Self::Permission,
            _ => Self::Io,
        }
    }

    /// The kind of one cause in a chain; `library_failure` classifies the program's own errors, beside those of `output`.
    fn of(
        cause: &(dyn Error + 'static),
        library_failure: impl Fn(&(dyn Error + 'static)) -> Option<Self>,
    ) -> Option<Self> {
        if cause.is::<NoRoomError>() {
            return Some(Self::Memory);
        }
        if cause.is::<UsageError>() {
            return Some(Self::Usage);
        }
        cause.downcast_ref().map(|error: &io::Error| Self::of_io(error.kind())).or_else(|| library_failure(cause))
    }
}

/// Why a command stops: one line for the user, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// [`WRONG_USAGE`] or [`FAILED`].
    pub exit_code: u8,
    /// The line, without `error: `.
    pub message: String,
}

impl Failure {
    /// The failure of a command. `library_failure` gives the kind of an error that is neither of the file system nor from `output`; wrong usage ends
    /// with its own exit code.
    #[must_use]
    pub fn of(error: &anyhow::Error, library_failure: impl Fn(&(dyn Error + 'static)) -> Option<FailureKind>) -> Self {
        let kinds: Vec<FailureKind> =
            error.chain().filter_map(|cause| FailureKind::of(cause, &library_failure)).collect();
        let usage = kinds.contains(&FailureKind::Usage);
        // The most specific of all causes: a wrong name may name a missing file.
        let specific = [FailureKind::Memory, FailureKind::NotFound, FailureKind::Permission, FailureKind::Usage];
        let kind = { specific.into_iter() }.find(|kind| kinds.contains(kind));
        let kind = kind.or_else(|| kinds.first().copied()).unwrap_or(FailureKind::Other);
        // One line, whatever names of files and data the message quotes.
        let message = escaped(&format!("{error:#}")).into_owned();
        Self { kind, exit_code: if usage { WRONG_USAGE } else { FAILED }, message }
    }

    /// Wrong usage, with this message.
    #[must_use]
    pub fn usage(message: &str) -> Self {
        Self { kind: FailureKind::Usage, exit_code: WRONG_USAGE, message: escaped(message).into_owned() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}

impl Error for Failure {}

#[cfg(test)]
mod tests {
    use output::usage::usage;

    use super::*;

    #[test]
    fn the_most_specific_cause_gives_the_kind_and_usage_the_exit_code() {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let nothing = |_: &(dyn Error + 'static)| None;
        let of = |error: &anyhow::Error| {
            let failure = Failure::of(error, nothing);
            (failure.kind, failure.exit_code)
        };
        let full = anyhow::Error::from(io::Error::from(io::ErrorKind::StorageFull)).context("no room");
        assert_eq!(of(&full), (FailureKind::Io, FAILED));
        assert_eq!(of(&anyhow::Error::from(missing()).context("x")), (FailureKind::NotFound, FAILED));
        assert_eq!(of(&usage("x")), (FailureKind::Usage, WRONG_USAGE));
        assert_eq!(of(&anyhow::anyhow!("x")), (FailureKind::Other, FAILED));
        let known = |cause: &(dyn Error + 'static)| cause.is::<fmt::Error>().then_some(FailureKind::Content);
        assert_eq!(Failure::of(&fmt::Error.into(), known).kind, FailureKind::Content);
        assert_eq!(Failure::of(&anyhow::anyhow!("a\nb\u{1b}[2J"), nothing).to_string(), "error: a\\nb\\u{1b}[2J");
    }
}
