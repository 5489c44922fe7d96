//! A store in one SQLite file. `synchronous=FULL` with a write-ahead log: committed data is on the disk.
//!
//! Each experiment has six tables for itself: `events` and `shown` grow at their ends, `units` has one row per unit, `marks` is emptied as
//! impressions are forgotten, and `snapshots` with `states` of units hold the state of folds. An experiment that counts conversions has a
//! seventh, `converted`, with the names of orders.

mod audit;
mod error;
mod keys;
mod lock;
mod migrate;
mod names;
mod open;
mod read;
mod schema;
mod snapshots;
mod transfer;
mod write;

pub use lock::StoreLock;
pub(super) use lock::is_made;
pub use migrate::migrate;
pub(super) use open::SqliteStore;
pub use schema::FORMAT;
pub(super) use schema::FORMATS_BEFORE;
