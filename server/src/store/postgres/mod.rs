//! A store in PostgreSQL. Only the leading node reads and writes it: [`Node`] determines which one that is, and every commit is fenced by
//! its epoch.
//!
//! Each answer of the database costs a wait, so the writes of a transaction are kept (`pending`) and sent at its end, one statement per
//! table, whatever the number of rows: `commit` waits twice, for the fence and for the commit. Reads look at the pending writes first. They
//! need no transaction, because no other server writes these experiments while the fence holds.

mod failures;
mod keys;
mod node;
mod open;
mod pending;
mod read;
mod recent;
mod session;
mod snapshots;
mod tls;
mod transfer;
mod write;

pub use node::{Node, NodeRow, Role as NodeRole};
pub(super) use open::{PostgresStore, is_made};
pub(crate) use session::{Command, Session};

/// The version of the tables that this build reads and writes: each has a file in `sql/tables`.
pub(super) const TABLES: &[&str] = &[include_str!("sql/tables/1.sql"), include_str!("sql/tables/2.sql")];
