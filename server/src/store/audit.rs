//! Actions that no experiment's log has, and their authors: deletions, exports, keys, secrets, keys that were refused.

/// An action. The user concerned is never recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// The author: a key, `local` where none is needed, or `command` on this machine.
    pub who: String,
    /// What, in a word.
    pub what: String,
    /// More about it.
    pub detail: String,
}
