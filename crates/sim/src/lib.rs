//! Online ranker evaluation, simulated: everything between the libraries and a person.
//!
//! | module | holds |
//! |---|---|
//! | [`simulation`] | a site (data, rankers and users), live arenas, runs, comparisons of pairs, the truth, seeds |
//! | [`proxy`] | preference matrices estimated from impressions, in rounds that can be interrupted |
//! | [`analysis`] | live against proxy, distortion, sensitivity, explore then exploit |
//! | [`results`] | tables, curves and figures of finished runs |
//! | [`experiment`] | the figures and tables of the papers, from files, with their claims tested |
//! | [`figure`] | drawing: curves, panels, heat maps |
//! | [`output`] | files, numbers, locks and progress: what every command needs to write anything |
//! | [`cli`] | the command line |
//!
//! The modules use each other in one direction only: `output` and `figure` know no other, `cli` knows all.

pub mod analysis;
pub mod cli;
pub mod experiment;
pub mod figure;
pub mod output;
pub mod proxy;
pub mod results;
pub mod simulation;

pub use bandits::Generator;
