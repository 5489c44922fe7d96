//! The command line of online ranker evaluation, and its parts beyond the simulation itself, which is crate `simulation`. Files and folders
//! are written with crate `output`, figures are drawn by crate `figures`.
//!
//! Most users call the program; [`cli`] calls the same commands from a test or another program, and returns their output:
//!
//! ```
//! let printed = sim::cli::run_captured(["rankduel", "algorithms", "rucb"])?;
//! assert!(printed.contains("relative upper confidence bound"));
//! // Errors are one line, and say what was expected.
//! let error = sim::cli::run_captured(["rankduel", "bandit", "--problem", "nosuch"]).unwrap_err();
//! assert_eq!(error.exit_code, 2);
//! # Ok::<(), sim::cli::Failure>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | the command line: its commands, and checks of arguments |
//! | [`experiment`] | the figures and tables of papers, from experiment files, with tests of their claims |
//!
//! The computations of long commands are in crate `studies`: here are flags and output.
//!
//! # How to add a command
//!
//! A study of a site needs one line in the list of commands in `src/cli/mod.rs`: the front page of crate `studies` has an example.
//! Any other command:
//!
//! 1. A file in `src/cli/` with its arguments and a function `run`; shared flags are in `src/cli/args/`. If it computes for long, what
//!    it computes is a `studies::Study`, and `cli::study::StudyLauncher` carries it out.
//! 2. A line in the list of commands in `src/cli/mod.rs`, and examples in `src/cli/help/examples.rs`.
//! 3. The test `help` lists the flags of every command; `UPDATE=1` writes them again.

/// The examples of the page on Rust, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/pages/reference/rust.md")]
struct RustPage;

pub mod cli;
mod drawing;
pub mod experiment;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
