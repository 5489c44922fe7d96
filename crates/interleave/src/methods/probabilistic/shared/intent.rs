//! The user's intended actions, as bits: both forms read them.

/// The user's intended actions at each turn of a sequence, as bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Intent {
    pub(super) clicked: u64,
    /// Where the user leaves.
    pub(super) abandoned: u64,
}
