//! Chores of this repository, one module a command; `main.rs` dispatches.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "talks to a person")]

pub mod bench;
pub mod fetch_datasets;
