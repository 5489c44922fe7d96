//! The command line of online ranker evaluation, and what it is made of beyond the simulation itself, which is crate
//! `simulation`. Files and folders are written with crate `output`, figures are drawn by crate `figures`.
//!
//! Most users call the program; [`cli`] calls the same commands from a test or another program, and returns what they print:
//!
//! ```
//! let printed = sim::cli::captured(["sim", "algorithms", "rucb"])?;
//! assert!(printed.contains("relative upper confidence bound"));
//! // Errors are one line, and say what was expected.
//! let error = sim::cli::captured(["sim", "bandit", "--problem", "nosuch"]).unwrap_err();
//! assert_eq!(error.exit_code, 2);
//! # Ok::<(), sim::cli::Failure>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | the command line: its commands, and checks of arguments |
//! | [`results`] | tables, curves and figures of finished runs, and the bytes of their files |
//! | [`analysis`] | live versus proxy, distortion, sensitivity, explore-then-exploit |
//! | [`experiment`] | the figures and tables of papers, from experiment files, with tests of their claims |
//!
//! Dependencies between modules have one direction: `results` uses only the reader of archives, and `cli` may use all.
//!
//! # How to add a command
//!
//! 1. A file in `src/cli/` with its arguments and a function that runs it; shared flags are in `src/cli/args/`.
//! 2. A line in the list of commands in `src/cli/mod.rs`, and examples in `src/cli/help/examples.rs`.
//! 3. What it measures goes to [`analysis`], what it writes to [`results`] or beside the command.
//! 4. The test `help` lists the flags of every command; `UPDATE_SNAPSHOTS=1` writes them again.

pub mod cli;
mod drawing;
pub mod experiment;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
