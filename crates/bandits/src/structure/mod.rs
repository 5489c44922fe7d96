//! What a preference matrix is like: how far from an order, how hard, and what theory says of it.
//!
//! | question | answer |
//! |---|---|
//! | who beats whom, circles, total order or not, top cycle | [`Tournament`] |
//! | which circles are the clearest | [`clearest_cycles`] |
//! | which of it do the data establish | [`established`] |
//! | who wins where nobody beats everyone | [`von_neumann`] |
//! | how transitive are margins | [`relaxed_transitivity`] |
//! | have a few arms of many a winner, or an order | [`condorcet_probabilities`], [`total_order_probabilities`] |
//! | how close is the race | [`gaps()`] |
//! | what regret is unavoidable | [`lower_bound()`] |
//! | what regret do theorems promise | [`theory`] |
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
pub use subsets::{Estimate, condorcet_probabilities, lowest, total_order_probabilities};
pub use tournament::{Order, Tournament};
pub use transitivity::{RelaxedTransitivity, relaxed_transitivity};
pub use von_neumann::{VonNeumann, VonNeumannError, von_neumann};
