//! Why a log could not be joined in the order of time: set by the loop and its end, read by the choice of the order.

use crate::error::LogError;

/// Why a log was not joined in the order of time.
pub(in crate::join) enum StopReason {
    /// It cannot be joined at all.
    Failed(LogError),
    /// It is not in the order of time, for this reason.
    OutOfOrder(String),
    /// Its files begin in another order.
    NeverBegun,
}

impl From<LogError> for StopReason {
    fn from(error: LogError) -> Self {
        Self::Failed(error)
    }
}
