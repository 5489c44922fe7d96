//! Upper confidence bounds of all pairs, updated incrementally: which arms remain candidates, which opponent has
//! the highest bound, and until which step nothing changes. Posterior sampling is in `thompson`.

mod arm_bits;
mod candidates;
mod challengers;
mod evidence;
pub(crate) mod lanes;
mod leaders;
mod lines;
mod log_time;
mod pair_bounds;
mod pair_estimate;
mod projected;
mod reciprocals;
mod rounded;

pub(crate) use candidates::Candidates;
pub(crate) use challengers::Challengers;
pub(crate) use evidence::{Evidence, largest};
pub(crate) use log_time::{LogTime, last_step_below};
pub(crate) use pair_bounds::{DuelCounts, PairBounds};
pub(crate) use pair_estimate::PairEstimate;
pub(crate) use projected::ProjectedEvidence;
pub(crate) use reciprocals::Reciprocals;
