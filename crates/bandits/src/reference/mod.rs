//! The algorithms as their papers print them, with everything recomputed at every step. Tests
//! compare the fast forms with them, choice by choice for the same draws, and benchmarks measure them.

mod btm;
mod ccb;
mod interleaved_filter;
mod mdb;
mod merge_dts;
mod merge_rucb;
mod merge_rucb_parallel;
mod parwis;
mod rcs;
mod rmed;
mod rmed2;
mod rucb;
mod savage;
mod thompson;

pub use btm::ReferenceBtm;
pub use ccb::ReferenceCcb;
pub use interleaved_filter::ReferenceInterleavedFilter;
pub use mdb::ReferenceMdb;
pub use merge_dts::ReferenceMergeDts;
pub use merge_rucb::ReferenceMergeRucb;
pub use merge_rucb_parallel::ReferenceMergeRucbParallel;
pub use parwis::ReferenceParwis;
pub use rcs::ReferenceRcs;
pub use rmed::ReferenceRmed1;
pub use rmed2::ReferenceRmed2;
pub use rucb::ReferenceRucb;
pub use savage::ReferenceSavage;
pub use thompson::{ReferenceBradleyTerry, ReferenceDoubleThompson, ReferenceForgetfulDts, ReferenceSelfSparring};

use crate::counts::PairCounts;

/// mu(i, j) + sqrt(time / n(i, j)), or `unseen` where n = 0; 1/2 on the diagonal.
fn upper(wins: &PairCounts, i: usize, j: usize, time: f64, unseen: f64) -> f64 {
    let count = f64::from(wins.met(i, j));
    if i == j {
        0.5
    } else if count == 0.0 {
        unseen
    } else {
        f64::from(wins[(i, j)]) / count + (time / count).sqrt()
    }
}
