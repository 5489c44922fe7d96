//! The algorithms, one a file.

pub mod btm;
pub mod dts;
pub mod interleaved_filter;
pub mod mdb;
pub mod merge_dts;
pub mod merge_rucb;
pub mod random;
pub mod rcs;
pub mod rmed;
pub mod rts;
pub mod rucb;
pub mod savage;
