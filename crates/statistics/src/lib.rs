//! Inference from pairwise outcomes: who wins, how sure that is, and how many units it takes.
//!
//! The crate is independent of documents and bandits: it starts from outcomes of pairs, wins, losses and ties, and it never
//! breaks a tie. Three decisions are the reader's, and change everything:
//!
//! 1. **What is independent?** Impressions of one user resemble each other. [`units::Units`] collects the impressions
//!    of a session or a user into one outcome.
//! 2. **Will anyone look before the end?** Then use [`anytime`]: its tests and intervals hold at all looks together,
//!    under optional stopping and under any adaptive choice of pairs. Looking again and again at a classical test finds
//!    differences between equal sides.
//! 3. **How many units will it take?** [`power`] predicts that before a user has seen a list.
//!
//! ```
//! use statistics::{Preference, anytime::{PairTest, TestState, share_interval}};
//!
//! // One outcome per session, as it closes; the test may be looked at each time.
//! let mut test = PairTest::new(0.05)?;
//! for session in 0..2_000 {
//!     let outcome = if session % 5 < 2 { Preference::Second } else { Preference::First };
//!     if test.record(outcome) != TestState::Open {
//!         break;
//!     }
//! }
//! assert_eq!(test.verdict(), TestState::FirstWins);
//! let (low, high) = share_interval(test.counts(), 0.05)?;
//! assert!(low >= 0.5 && high > 0.6);
//! # Ok::<(), statistics::StatisticsError>(())
//! ```
//!
//! | question | answer |
//! |---|---|
//! | does one side win more? | [`anytime::PairTest`]; with a single look: [`fixed_sample::sign_test`] |
//! | which of many arms is the best, or no worse than the best by more than a margin? | [`anytime::BestArm`] |
//! | were coins fair that should be, whatever their stakes? | [`anytime::ln_evidence_against_fair`] |
//! | how large is the difference? | [`anytime::ShareSequence`], in agreement with the test; if it drifts: [`anytime::RunningMean`] |
//! | how much more of something, per impression? | [`anytime::RatioSequence`] |
//! | do two rankers differ in a measure per query? | [`fixed_sample::paired_t_test`], [`fixed_sample::wilcoxon_signed_rank`], [`fixed_sample::paired_bootstrap`] |
//! | what is a mean that people labelled in part and a model everywhere? | [`fixed_sample::PredictionPoweredMeans`] |
//! | do two samples without pairs differ, e.g. runs of two algorithms? | [`fixed_sample::rank_sum`], [`fixed_sample::two_sample_bootstrap`] |
//! | do two measurements of the same things agree, and what does one predict of the other? | [`fixed_sample::sign_agreement`], [`fixed_sample::correlation`], [`fixed_sample::weighted_line`] |
//! | are some of many differences real? | [`fixed_sample::holm`], [`fixed_sample::benjamini_hochberg`] |
//! | how many units until a decision? | [`power::StoppingTime`], [`power::fixed_sample`]; in an A/B test: [`power::two_groups`] |
//! | one number per arm from all pairs? | [`BradleyTerry`] |
//!
//! Logarithms and exponentials come from `libm`: results have the same bits on every platform.

mod error;
mod outcome;
mod special_functions;

pub mod anytime;
pub mod bradley_terry;
pub mod fixed_sample;
pub mod matrix;
pub mod power;
pub mod units;

pub use bradley_terry::{BradleyTerry, ErrorEstimator};
pub use error::StatisticsError;
pub use outcome::Counts;
pub use ranktypes::Preference;
pub use special_functions::{
    Normals, binomial_at_least, normal_above, normal_quantile, student_outside, student_quantile,
};

/// The example of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
