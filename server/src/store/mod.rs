//! The store: one SQLite file with the logs of all experiments, what is personal apart from them, and the keys of callers.
//! Not here: what events mean.
//!
//! Two tables grow at their ends, `events` and `shown`; `units` knows each unit once. `synchronous=FULL` with a write-ahead
//! log: what was committed is on the disk.

mod access;
mod faults;
mod keys;
mod lock;
mod read;
mod schema;
mod write;

pub use access::{Access, Store, StoreError};
pub use faults::{Faults, Operation};
pub use keys::{Key, KeyRow, Keys, Role};
pub use lock::StoreLock;
pub use read::{Displayed, Problem, Shown, StoredEvent};
pub use schema::{FORMAT, Secrets, random};
pub use write::Row;
