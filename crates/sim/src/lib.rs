//! The command line of online ranker evaluation, and what it is made of beyond the simulation itself, which is crate
//! `simulation`. Files and folders are written with crate `output`, figures are drawn by crate `figures`.
//!
//! | module | holds |
//! |---|---|
//! | [`analysis`] | live versus proxy, distortion, sensitivity, explore-then-exploit |
//! | [`results`] | tables, curves and figures of finished runs |
//! | [`experiment`] | the figures and tables of papers, from experiment files, with tests of their claims |
//! | `drawing` | figures of finished results for papers |
//! | [`cli`] | the command line |
//!
//! Dependencies between modules have one direction: `results` uses no other module, and `cli` may use all.

pub mod analysis;
pub mod cli;
mod drawing;
pub mod experiment;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
pub mod results;
