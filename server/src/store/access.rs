//! The ways to open a store, and its replaceable secrets.

/// A secret that can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotatedSecret {
    /// The secret of ids.
    Ids,
    /// The secret of hashes.
    Hashes,
}

impl RotatedSecret {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::Hashes => "hashes",
        }
    }
}

/// The purpose for which a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The server: creates what is missing. It must hold the [lock](super::StoreLock).
    Serve,
    /// A command that changes keys while a server may run.
    Change,
    /// A command, or an export of the server: reads alone.
    Read,
}
