//! The structure of a preference matrix: how far it is from an order, how hard it is, and which bounds theory gives.
//! Winners themselves and the comparison of two matrices are in `matrix`.
//!
//! | question | answer |
//! |---|---|
//! | which arms beat which, cycles, total order or not, top cycle | [`Tournament`] |
//! | which cycles have the largest margins | [`clearest_cycles`] |
//! | which preferences are significant | [`established`] |
//! | the winner if no arm beats all others | [`von_neumann`] |
//! | how transitive the margins are | [`relaxed_transitivity`] |
//! | whether a few arms out of many have a winner, or an order | [`condorcet_probabilities`], [`total_order_probabilities`] |
//! | how close the race is | [`gaps()`] |
//! | the regret that is unavoidable | [`lower_bound()`] |
//! | the regret that theorems guarantee | [`theory`] |
//!
//! Condorcet, Copeland and Borda winners are in [`winners`](crate::winners), the comparison of two
//! matrices in [`agreement`](crate::matrix::agreement).

mod cycles;
mod established;
mod gaps;
mod lower_bound;
mod subsets;
#[cfg(test)]
mod testing;
pub mod theory;
mod tournament;
mod transitivity;
mod von_neumann;

pub use cycles::{Cycle, clearest_cycles};
pub use established::{ErrorRateError, established};
pub use gaps::{Gaps, gaps};
pub use lower_bound::{LowerBound, lower_bound};
pub use subsets::{Estimate, condorcet_probabilities, lowest_point, total_order_probabilities};
pub use tournament::{Tournament, TournamentOrder};
pub use transitivity::{RelaxedTransitivity, relaxed_transitivity};
pub use von_neumann::{VonNeumann, VonNeumannError, von_neumann};
