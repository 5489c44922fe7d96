//! Relative minimum empirical divergence: RMED1, RMED2, RMED2FH and ECW-RMED, and their shared state.

pub(crate) mod divergences;
pub mod ecw_rmed;
mod least_sum;
mod passes;
pub mod rmed1;
pub mod rmed2;
mod row_minima;
mod rule;
mod unanswered;
