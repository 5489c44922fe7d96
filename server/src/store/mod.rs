//! The store: the logs of all experiments, personal data apart from them, and the keys of callers. Rows have checksums, which every read
//! compares. Not here: the meaning of events.
//!
//! [`Store`] is the common interface and defines each operation; `sqlite` keeps everything in a file, `postgres` in a database.

mod access;
mod audit;
mod backend;
mod error;
mod faults;
mod keys;
mod location;
pub(crate) mod postgres;
mod rows;
mod secrets;
mod sign_ins;
mod sqlite;
mod sum;
mod transfer;

pub use access::{Access, RotatedSecret};
pub use audit::Audit;
pub use backend::Store;
pub use error::StoreError;
pub use faults::{Faults, Operation};
pub use keys::{Key, KeyRow, Keys, Role};
pub use location::{Database, Location};
pub use postgres::{Node, NodeRole, NodeRow};
pub(crate) use rows::ASKED_KIND;
pub use rows::{DisplayedPage, NewEvent, Problem, ShownDocuments, SnapshotHead, StoredEvent, StoredPage, UnitRow};
pub use secrets::{Secrets, random};
pub use sign_ins::{SignIn, SignIns};
pub use sqlite::{FORMAT, StoreLock, migrate};
