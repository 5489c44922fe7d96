//! Who opens a store, and which of its secrets can be replaced.

/// A secret that can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotated {
    /// That of ids.
    Ids,
    /// That of hashes.
    Hashes,
}

impl Rotated {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::Hashes => "hashes",
        }
    }
}

/// Who opens a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The server: creates what is missing. It must hold the [lock](super::StoreLock).
    Serve,
    /// A command that changes keys while a server may run.
    Change,
    /// A command, or an export of the server: reads alone.
    Read,
}
