//! Failures on demand, for tests: a disk that is full or broken cannot be had otherwise.

use std::sync::Arc;

use super::StoreError;

/// The operations of a store that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// A file is opened.
    Open,
    /// A transaction begins.
    Begin,
    /// A row is written.
    Insert,
    /// A transaction is about to be committed.
    Commit,
    /// A transaction was committed, but its caller gets an error.
    Committed,
    /// Rows are read.
    Read,
}

/// Decides which operations fail.
pub trait Faults: Send + Sync {
    /// Whether this operation, the next of its kind, fails.
    fn fails(&self, operation: Operation) -> bool;
}

impl std::fmt::Debug for dyn Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faults")
    }
}

/// As a store holds it; in use there is none.
pub(super) type Injected = Option<Arc<dyn Faults>>;

/// Fails if the operation is to fail.
pub(super) fn inject(faults: &Injected, operation: Operation) -> Result<(), StoreError> {
    match faults {
        Some(faults) if faults.fails(operation) => Err(StoreError::Sqlite(format!("{operation:?} failed on demand"))),
        _ => Ok(()),
    }
}
