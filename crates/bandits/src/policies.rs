//! The algorithms, one a file.

pub mod btm;
pub mod ccb;
pub mod doubler;
pub mod dts;
pub mod interleaved_filter;
pub mod mdb;
pub mod merge_dts;
pub mod merge_rucb;
pub mod merge_rucb_squared;
pub(crate) mod merging;
pub mod multi_sbm;
pub mod random;
pub mod rcs;
pub mod rex3;
pub mod rmed;
pub mod rmed2;
mod rmed_state;
pub mod rts;
pub mod rucb;
pub mod savage;
pub mod scb;
pub mod self_sparring;
pub mod sparring;
pub mod sparring_exp3;
pub mod sparring_ts;
pub mod winner_stays;
