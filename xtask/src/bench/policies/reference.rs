//! The reference forms, as the papers print them, of the policies that also have a faster form.

use bandits::policies::{interleaved_filter, rmed2, rts};
use bandits::reference::{
    ReferenceBtm, ReferenceCcb, ReferenceDoubleThompson, ReferenceInterleavedFilter, ReferenceMdb, ReferenceMergeDts,
    ReferenceMergeRucb, ReferenceMergeRucbParallel, ReferenceRcs, ReferenceRmed1, ReferenceRmed2, ReferenceRucb,
    ReferenceSavage,
};
use bandits::registry::PolicyVisitor as _;

use super::{HORIZON, TimedPolicy};

/// Nanoseconds per step; `None` where the algorithm has only one form.
pub(super) fn time(name: &str, arms: usize, timed: TimedPolicy<'_>) -> Option<f64> {
    Some(match name {
        "if1" => timed.visit(ReferenceInterleavedFilter::new(&interleaved_filter::If1Config::default(), arms, HORIZON)),
        "if2" => timed.visit(ReferenceInterleavedFilter::new(&interleaved_filter::If2Config::default(), arms, HORIZON)),
        "btm" => timed.visit(ReferenceBtm::new(&Default::default(), arms, HORIZON)),
        "savage" => timed.visit(ReferenceSavage::new(&Default::default(), arms, HORIZON)),
        "rucb" => timed.visit(ReferenceRucb::new(&Default::default(), arms)),
        "mergerucb" => timed.visit(ReferenceMergeRucb::new(&Default::default(), arms)),
        "mergerucb-parallel" => timed.visit(ReferenceMergeRucbParallel::new(&Default::default(), arms)),
        "mergedts" => timed.visit(ReferenceMergeDts::new(&Default::default(), arms)),
        "rcs" => timed.visit(ReferenceRcs::new(&Default::default(), arms)),
        "rts" => timed.visit(ReferenceDoubleThompson::rts(&rts::RtsConfig {}, arms)),
        "dts" => timed.visit(ReferenceDoubleThompson::new::<false>(&Default::default(), arms)),
        "dts-plus" => timed.visit(ReferenceDoubleThompson::new::<true>(&Default::default(), arms)),
        "rmed1" => timed.visit(ReferenceRmed1::new(&Default::default(), arms)),
        "rmed2" => timed.visit(ReferenceRmed2::new(rmed2::Rmed2Config::default().reference_rule(arms), arms, None)),
        "rmed2fh" => {
            timed.visit(ReferenceRmed2::new(rmed2::Rmed2FhConfig::default().reference_rule(arms), arms, Some(HORIZON)))
        }
        "mdb" => timed.visit(ReferenceMdb::new(&Default::default(), arms)),
        "ccb" => timed.visit(ReferenceCcb::new(0.51, arms)),
        _ => return None,
    })
}
