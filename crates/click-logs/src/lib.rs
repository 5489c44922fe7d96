//! Decides who won, from logs of impressions and clicks.
//!
//! [`join::credit`] reads files ([`read`]), joins clicks to the lists that were shown, credits each impression once by the
//! method that mixed it, and counts the outcomes per pair of rankers and day, by impressions and by units: users or
//! sessions. Whatever does not count is tallied by reason.
//!
//! # Inside
//!
//! `click_logs::join` has two ways to the same counts. In any order (`join::partitions`) there are two passes. Lines become records,
//! scattered over partitions by the hash of the impression's id; a partition's impressions fill a table, its clicks are looked up in
//! it, and each impression becomes one outcome per pair of rankers, scattered again by the hash of its unit. Partitions beyond the
//! memory go to files (`join::spill`); one that exceeds the memory by itself is read several times. In the order of time
//! (`join::sliding`), impressions leave memory when their window is over, and only their id and time remain. Clicks that met no
//! impression are matched with these at the end, which also shows whether a line was out of place: if one was, the log is joined
//! again in partitions.
//!
//! Nearly all lines have a simple form: CSV without quotes, JSON without escapes and with our own names. `read::fast_path` reads these
//! without copying anything, and returns nothing for any other line, or a faulty one; the complete readers then read that line from its
//! beginning, and report faults. Property tests compare both readers, so a new field or check belongs in both. Rows of Arrow batches
//! take the same way (`FrameJoin::impression_rows`).
//!
//! One place finds what a page displayed of a mixed list, for all formats and both readers (`model::displayed`); receipts of both formats
//! become one form (`model::receipts`). The version of an experiment is part of a lineup, so that outcomes of two versions never share a
//! key: not in the join, not in Spark, and not in `verdicts`.
//!
//! The order of lines does not matter, because a click's fate follows from the click and its impression alone, clicks are a bit per
//! document, and results are sums. Every line has exactly one fate (`join::tally`); tests add them up, compare both ways with the simplest
//! program for the same rules (`tests/all/oracle.rs`), and with the truth of simulated logs, which `Interleaving::compare` returns while a
//! user reads and no code of the join has touched. A unit is counted once, on a day that its first impression fixes, and a bot counts as
//! one from the day on which it breaks a rule: the counts of a day never change later, as the e-processes of `verdicts::decide` require.
//! Where outcomes chose the pairs (`verdicts::PairChoice::Steered`, by the settings, the log, or else the sets of rankers that met), a
//! unit is counted by its very first impression alone; impressions in conflict are passed on as markers, because their unit has seen them.
//! `outcomes::warnings` has the warnings that precede any verdict; it needs only the summary, so that the command line, Python and Spark
//! give the same warnings.
//!
//! `rankduel bandit --from-outcomes` reads the table with the crate's own reader, `outcomes::read`: `OpenPolicy::absorb` learns one closed
//! day after another, from a pool that keeps what the policy has not asked for yet.

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
