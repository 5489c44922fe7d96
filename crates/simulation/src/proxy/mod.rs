//! Proxy preference matrices: p_ij of every pair of rankers of a data set, estimated from simulated impressions in
//! rounds that can be interrupted and extended. Bandits then duel on the matrix by coin flips; the comparisons
//! themselves are in [`site`](crate::site).
//!
//! An impression draws a query and compares all pairs on it. Impressions are grouped into *rounds* of at most [`ROUND`],
//! sorted by query, so that the lists of a query are in the processor's cache. Rounds are cut into pieces of a few
//! milliseconds, each with random streams of its own, which the threads take in turn. Counts are integers, so the
//! result depends neither on the number of threads nor on interruptions ([`open_state`], [`State`]).
//!
//! The impressions of a pair are independent, and its estimate has the same distribution as in the papers. Pairs share
//! impressions: estimates of different pairs are correlated through their queries and, for methods that share random
//! draws, through lists and clicks. Standard errors are those of single pairs; statements about several pairs must not
//! assume independence (a union bound remains valid).
//!
//! A request for more impressions adds rounds. 200,000 impressions and then 200,000 more give the same bytes as 400,000
//! in one request, because both are multiples of [`ROUND`]; other numbers end in a shorter round, and an extension
//! starts a new one, which is as accurate but gives different bytes. Stratified impressions form one round per request.
//!
//! A request with a target standard error adds rounds for the pairs that have not reached it. The stopping rule depends
//! on the spread of the outcomes, not on their mean, so the estimates are unbiased to first order.
//!
//! # Inside
//!
//! `simulation::proxy` owns them. Work is cut twice: a request into *rounds* of at most 100,000 impressions (so that counts that are
//! multiples of it add up to the byte), a round into *pieces* of a few milliseconds with their own streams. Threads take pieces in
//! order and finish the ones they took, so the state is the totals, the sums of the current round, and one number: how many
//! pieces those sums include. It is saved every minute with a checksum, belongs to one seed, data set and way of clicking, and
//! refuses to continue with another. A `PairComparison` determines how an impression compares pairs: pair by pair through
//! `interleave::Interleaving::compare_pairs`, or all arms in one multileaved list.
//!
//! `P.json` beside `P.npy` is the matrix's account (`proxy::matrix_origin`): a reader of the matrix takes the features behind its
//! arms, the comparisons, the winner's z and whether the data are synthetic from there. It has a seal and the checksum of the matrix.
//! If either does not fit, a `Doubt` replaces it in every remark, table and figure, and JSON does not state whether the data are
//! synthetic; experiments refuse such a matrix.
//!
//! Experiments estimate their matrices with `simulation::pairwise::estimate_matrix`, in one uninterrupted call. Its draws differ
//! from those of `proxy`, and published results depend on them; that is why both exist.
//!
//! ## References
//! M. Zoghi, S. Whiteson and M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//! Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>: matrices of 400,000
//! interleaved comparisons per pair, for 136 rankers.

mod account;
mod build;
mod comparison;
mod estimates;
mod files;
mod origin;
mod play;
mod provenance;
mod round;
mod selection;
mod shard;
mod state;
mod strata;
#[cfg(test)]
mod tests;

pub use account::MatrixAccount;
pub use build::{EstimationContext, StartMode, open_state};
pub use comparison::{Counts, InterleavedComparison, MultileavedComparison, PairComparison, PreparedPairs};
pub use files::{Files, counts, write};
pub use origin::{Doubt, MatrixOrigin, matrix_origin};
pub use play::{identity, play};
pub use provenance::{Provenance, ReferenceAgreement, provenance, winner};
pub use round::{ROUND, Sampling};
pub use selection::{PairSelection, all_pairs, pair_count};
pub use shard::{ShardFiles, pieces_played, play_shard};
pub use state::{FinishedRound, Identity, Request, State};
