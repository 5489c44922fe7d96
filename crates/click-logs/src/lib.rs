//! Who won, from logs of impressions and clicks.
//!
//! [`join::credit`] reads files ([`read`]), joins clicks to the lists that were shown, credits each impression once by the
//! method that mixed it, and counts the outcomes per pair of rankers and day, by impressions and by units: users or
//! sessions. Everything that does not count is counted by its reason.
//!
//! # Inside
//!
//! `click_logs::join` has two ways to the same counts. In any order (`join::partitions`) there are two passes. Lines become records,
//! scattered over partitions by the hash of the impression's id; a partition's impressions fill a table, its clicks pass by, and each
//! impression becomes one outcome per pair of rankers, scattered again by the hash of its unit. Partitions beyond the memory go to
//! files (`join::spill`); one that exceeds the memory by itself is read several times. In the order of time (`join::sliding`),
//! impressions leave memory when their window is over, and only their id and time remain. Clicks that met no impression are settled
//! with these in the end, which also proves that no line was out of place: if one was, the log is joined again in partitions.
//!
//! Nearly all lines have the form in which programs write them: CSV without quotes, JSON without escapes and with our own names.
//! `read::fast_path` reads these without copying anything, and returns nothing for any other line, or one that is wrong in any way; the
//! complete readers take that line from its beginning, and say what is wrong. Property tests hold both readers to the same answer, so a
//! new field or check belongs into both. Rows of Arrow batches take the same way (`FrameJoin::impression_rows`).
//!
//! What a page displayed of a mixed list is found in one place for all formats and both readers (`model::displayed`), and receipts of either
//! format become one form there (`model::receipts`). The version of an experiment is part of a lineup, so that outcomes of two versions
//! never share a key: not in the join, not in Spark, and not in `verdicts`.
//!
//! Nothing depends on order, because a click's fate follows from the click and its impression alone, clicks are a bit per document,
//! and results are sums. Every line has exactly one fate (`join::tally`); tests add them up, compare both ways with the plainest
//! program for the same rules (`tests/all/oracle.rs`), and with the truth of simulated logs, which `Interleaving::compare` returns
//! while a user reads and no code of the join has touched. A unit enters once, on a day that its first impression fixes, and a bot
//! is one from the day on which it breaks a rule: what a day says never changes later, which is what the e-processes of `verdicts::decide`
//! need. Where outcomes chose the pairs (`verdicts::PairChoice::Steered`, by the settings, the log, or else the sets of rankers that met),
//! a unit enters with its very first impression alone; impressions in conflict are passed on as markers, because their unit has seen
//! them. `outcomes::warnings` owns what must be said before any verdict; it needs nothing but the summary, so that the command line,
//! Python and Spark say the same.
//!
//! `rankduel bandit --from-outcomes` reads the table by the crate's own reader, `outcomes::read`: `OpenPolicy::absorb` learns one closed day after the
//! other, from a pool that keeps what the policy has not asked for yet.

pub mod cli;
pub mod error;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
pub mod join;
pub mod measures;
pub mod model;
pub mod outcomes;
pub mod read;
pub mod simulate;
pub mod sql;
pub mod verdict;

pub use error::LogError;
