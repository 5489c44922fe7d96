//! The plain forms, as the papers print them, of the policies that have a faster one.

use bandits::plain::{
    PlainBtm, PlainCcb, PlainDoubleThompson, PlainInterleavedFilter, PlainMdb, PlainMergeDts, PlainMergeRucb,
    PlainMergeRucbParallel, PlainRcs, PlainRmed1, PlainRmed2, PlainRucb, PlainSavage,
};
use bandits::policies::{interleaved_filter, rmed2, rts};
use bandits::registry::PolicyVisitor as _;

use super::{HORIZON, Timed};

/// Nanoseconds a step; nothing where the algorithm has no faster form than the one it is printed in.
pub(super) fn time(name: &str, arms: usize, timed: Timed<'_>) -> Option<f64> {
    Some(match name {
        "if1" => timed.visit(PlainInterleavedFilter::new(&interleaved_filter::If1::default(), arms, HORIZON)),
        "if2" => timed.visit(PlainInterleavedFilter::new(&interleaved_filter::If2::default(), arms, HORIZON)),
        "btm" => timed.visit(PlainBtm::new(&Default::default(), arms, HORIZON)),
        "savage" => timed.visit(PlainSavage::new(&Default::default(), arms, HORIZON)),
        "rucb" => timed.visit(PlainRucb::new(&Default::default(), arms)),
        "mergerucb" => timed.visit(PlainMergeRucb::new(&Default::default(), arms)),
        "mergerucb-parallel" => timed.visit(PlainMergeRucbParallel::new(&Default::default(), arms)),
        "mergedts" => timed.visit(PlainMergeDts::new(&Default::default(), arms)),
        "rcs" => timed.visit(PlainRcs::new(&Default::default(), arms)),
        "rts" => timed.visit(PlainDoubleThompson::rts(&rts::Config, arms)),
        "dts" => timed.visit(PlainDoubleThompson::new::<false>(&Default::default(), arms)),
        "dts-plus" => timed.visit(PlainDoubleThompson::new::<true>(&Default::default(), arms)),
        "rmed1" => timed.visit(PlainRmed1::new(&Default::default(), arms)),
        "rmed2" => timed.visit(PlainRmed2::new(rmed2::Rmed2Config::default().plain_rule(arms), arms, None)),
        "rmed2fh" => {
            timed.visit(PlainRmed2::new(rmed2::Rmed2FhConfig::default().plain_rule(arms), arms, Some(HORIZON)))
        }
        "mdb" => timed.visit(PlainMdb::new(&Default::default(), arms)),
        "ccb" => timed.visit(PlainCcb::new(0.51, arms)),
        _ => return None,
    })
}
