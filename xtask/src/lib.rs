//! Maintenance tasks of this repository, one module per command; `main.rs` dispatches.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "talks to a person")]

pub mod bench;
pub mod compare_results;
pub mod fetch_datasets;
