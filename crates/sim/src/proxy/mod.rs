//! Proxy preference matrices: p_ij of every pair of a data set's rankers, estimated from simulated
//! impressions, to play bandits on coin flips.
//!
//! An impression takes a query and lets all pairs meet on it. Impressions come in *rounds* of at
//! most [`ROUND`], sorted by query, so that a query's lists are read while they are warm; rounds are
//! cut into pieces of some milliseconds, each with streams of chance of its own, and all threads
//! take pieces in turn. Whole numbers are added up, so the outcome is the same for any number of
//! threads and wherever the work was interrupted and taken up again ([`take_up`], [`State`]).
//!
//! Each pair's impressions are independent and its estimate has the law of the papers. Pairs share
//! impressions: estimates of different pairs are correlated through their queries and, as far as
//! the way of comparing shares draws, through lists and clicks. Standard errors are those of single
//! pairs; what is said of many pairs at once should not assume them independent (a union bound may
//! be used as ever).
//!
//! Asking for more adds rounds. 200,000 impressions and then 200,000 more are 400,000 to the byte,
//! because both are multiples of [`ROUND`]; other counts end in a shorter round of their own, and
//! what is added goes on with a new one: as good, but not the same bytes as all at once. Stratified
//! impressions make one round a request.
//!
//! Going on until standard errors are small enough adds rounds in which only the pairs that are not
//! there yet meet. When to stop is judged by the spread of the outcomes, not by where their mean
//! lies, so the estimates are not drawn to either side to first order.
//!
//! ## References
//! M. Zoghi, S. Whiteson and M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//! Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>: matrices of 400,000
//! interleaved comparisons a pair, for 136 rankers.

mod build;
mod choice;
mod comparison;
mod estimates;
mod files;
mod round;
mod state;
mod strata;
#[cfg(test)]
mod tests;

pub use build::{Begin, Work, take_up};
pub use choice::{Choice, all_pairs, pair_count};
pub use comparison::{Counts, Interleaved, Multileaved, Player, Ready};
pub use files::{Files, write};
pub use round::{ROUND, Sampling};
pub use state::{Identity, Played, Request, State};
