//! The store: one SQLite file with the logs of all experiments, what is personal apart from them, and the keys of callers.
//! Not here: what events mean.
//!
//! Each experiment has six tables for itself: `events` and `shown` grow at their ends, `units` knows each unit once, `marks` is
//! emptied as impressions are forgotten, and `snapshots` with `states` of units have what folds led to. One in which conversions count
//! has a seventh, `converted`, with what orders are called. Their rows have checksums,
//! which every read compares. `synchronous=FULL` with a write-ahead log: what was committed is on the disk.

mod access;
mod audit;
mod converted;
mod faults;
mod keys;
mod lock;
mod migrate;
mod read;
mod schema;
mod snapshots;
mod sum;
mod write;

pub use access::{Access, Rotated, Store, StoreError};
pub use audit::Audit;
pub(crate) use converted::ASKED;
pub use faults::{Faults, Operation};
pub use keys::{Key, KeyRow, Keys, Role};
pub use lock::{StoreLock, is_made};
pub use migrate::migrate;
pub use read::{Displayed, Kept, Problem, Shown, StoredEvent};
pub use schema::{FORMAT, Secrets, random};
pub use snapshots::{Head, UnitRow};
pub use write::Row;
