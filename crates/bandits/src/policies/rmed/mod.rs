//! Relative minimum empirical divergence: RMED1, RMED2 and RMED2FH, and their shared state.

pub(crate) mod divergences;
mod passes;
pub mod rmed1;
pub mod rmed2;
mod row_minima;
mod rule;
mod unanswered;
