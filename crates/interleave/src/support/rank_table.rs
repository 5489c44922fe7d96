//! A table of weights by rank, as large as ranks can be.

/// Weights by 0-based rank, 0 at [`UNLISTED`]. With this size, look-ups by a 16-bit rank need no bounds check.
pub(crate) type RankTable = [u64; 1 << 16];

/// Stands for the rank of a document that a ranker does not list; real ranks are below.
pub(crate) const UNLISTED: u16 = u16::MAX;
