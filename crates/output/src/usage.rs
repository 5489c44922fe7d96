//! The error for wrong usage, as opposed to failures.

use std::fmt;

/// Something that was asked for wrongly: flags, or the content of a file that is written as configuration (an
/// experiment, `rankduel.toml`), invalid in itself or for the data and results given. `rankduel` exits with code 2 for these
/// errors, and with code 1 for all others: data that are missing or damaged, and a machine that lacks memory or disk
/// space or denies access.
#[derive(Debug)]
pub struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error of wrong usage with this `message`.
#[must_use]
pub fn usage(message: impl fmt::Display) -> anyhow::Error {
    UsageError(message.to_string()).into()
}
