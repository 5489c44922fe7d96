//! The algorithms, one file each, grouped where several share helpers.

pub mod btm;
pub mod ccb;
pub mod dts;
pub mod interleaved_filter;
pub mod mdb;
pub mod merge_dts;
pub mod merge_rucb;
mod merging;
pub mod random;
pub mod rcs;
pub mod reductions;
pub mod rmed;
pub mod rts;
pub mod rucb;
pub mod savage;
pub mod scb;
pub mod winner_stays;

pub use reductions::{doubler, multi_sbm, rex3, self_sparring, sparring, sparring_exp3, sparring_ts};
pub use rmed::{rmed1, rmed2};
