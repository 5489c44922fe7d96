//! Evidence that stays valid however often it is looked at, and whenever one stops.

mod best;
mod bets;
mod crossing;
mod e_process;
mod fair_sum;
mod pair_test;
mod ratio;
mod running_mean;
mod shares;

pub use best::{ArmEvidence, BestArm};
pub use bets::ln_capital;
pub use crossing::Crossing;
pub use e_process::{EProcess, Prior};
pub use fair_sum::ln_evidence_against_fair;
pub use pair_test::{PairTest, TestState};
pub use ratio::{RatioSequence, RatioSums};
pub use running_mean::RunningMean;
pub use shares::{ShareSequence, share_interval};
