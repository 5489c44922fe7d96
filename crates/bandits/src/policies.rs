//! The algorithms, one a file.

pub mod mdb;
pub mod merge_rucb;
pub mod random;
pub mod rcs;
pub mod rmed;
pub mod rucb;
