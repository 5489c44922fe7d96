//! Upper confidence bounds of all pairs, updated incrementally: which arms remain candidates, which opponent has
//! the highest bound, and until which step nothing changes. Posterior sampling is in `thompson`.

mod candidates;
mod challengers;
mod evidence;
pub(crate) mod lanes;
mod leaders;
mod lines;
mod log_time;
mod pair_bounds;
mod places;
mod projected;
mod rough;
mod shares;
mod standing;

pub(crate) use candidates::Candidates;
pub(crate) use challengers::Challengers;
pub(crate) use evidence::{Evidence, largest};
pub(crate) use log_time::{LogTime, last_step_below};
pub(crate) use pair_bounds::{Duels, PairBounds};
pub(crate) use projected::ProjectedEvidence;
pub(crate) use shares::Shares;
pub(crate) use standing::Standing;
