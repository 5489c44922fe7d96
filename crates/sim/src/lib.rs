//! Simulated online ranker evaluation: everything between the libraries and the command line. Policies, interleaving
//! methods, click models and data readers are in crates of their own.
//!
//! | module | holds |
//! |---|---|
//! | [`simulation`] | sites (data, rankers and users), live arenas, runs, pairwise comparisons, the ground truth, seeds |
//! | [`proxy`] | preference matrices estimated from impressions in rounds that can be interrupted |
//! | [`analysis`] | live versus proxy, distortion, sensitivity, explore-then-exploit |
//! | [`results`] | tables, curves and figures of finished runs |
//! | [`experiment`] | the figures and tables of papers, from experiment files, with tests of their claims |
//! | [`figure`] | drawings of curves, panels and heat maps |
//! | [`output`] | files, caches, numbers, locks and progress: what every command needs for its output |
//! | [`cli`] | the command line |
//!
//! Dependencies between modules have one direction: `output` uses no other module, `figure` only `output`, and `cli` may
//! use all.

pub mod analysis;
pub mod cli;
pub mod experiment;
pub mod figure;
#[doc(hidden)]
pub mod fuzz;
pub mod output;
pub mod proxy;
pub mod results;
pub mod simulation;

pub use bandits::Generator;
