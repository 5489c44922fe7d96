//! Wrong usage, told apart from failures.

use std::fmt;

/// Flags that no data could suit, or that do not suit those given. The command line ends with code 2
/// for it and with 1 for everything else.
#[derive(Debug)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Wrong usage, in the words of `message`.
#[must_use]
pub fn usage(message: impl fmt::Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}
