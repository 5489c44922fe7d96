//! The algorithms, one file each, grouped in folders where several share code. What is used by different families has
//! rooms of its own:
//!
//! | for | use |
//! |---|---|
//! | wins of every pair, the Copeland winner of the counts | `counts::PairCounts` |
//! | any other value per pair | `counts::PairTable` |
//! | the arms counted least so far | `counts::LeastCounts` |
//! | evidence that an arm loses to another, from wins | `confidence::Evidence` |
//! | the arms whose upper bounds are all at least 1/2 | `confidence::Candidates` |
//! | the opponent with the highest upper bound | `confidence::Challengers` |
//! | ln t at every step | `confidence::LogTime` |
//! | how long an arm plays alone | `confidence::last_step_below` |
//! | tournaments sampled from Beta posteriors | `thompson::Sampler` |
//! | bandits of single arms (UCB, Thompson sampling, Exp3, Exp3.S, Tsallis-INF) | [`singleton`](crate::singleton) |
//! | uniform draws, coins, shuffles, ties at random | `random::{below, coin, shuffle, argmax, best_arm}` |
//! | which of many Beta or normal draws is the largest | `random::Largest` |
//! | Beta, normal and weighted draws | `random::{preference, Beta, Normals, WeightTree}` |
//! | rules that parameters share, with their errors | `algorithm::{positive, probability, countable, countable_pairs, horizon_known}` |

pub mod borda;
pub mod bradley_terry;
pub mod bradley_terry_pairs;
pub mod btm;
pub mod ccb;
pub mod changing;
pub mod dts;
pub mod identification;
pub mod interleaved_filter;
pub mod mdb;
pub mod merge_dts;
pub mod merge_rucb;
mod guard;
mod merging;
pub mod multi_rucb;
pub mod random;
pub mod rcs;
pub mod reductions;
pub mod rmed;
pub mod rts;
pub mod rucb;
pub mod savage;
pub mod scb;
pub mod winner_stays;

pub use reductions::{doubler, multi_sbm, rex3, self_sparring, sparring, sparring_exp3, sparring_ts, versatile};
pub use rmed::{ecw_rmed, rmed1, rmed2};
