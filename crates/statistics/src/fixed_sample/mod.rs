//! Tests for samples of a size that was fixed in advance, with one look at the end. For more looks, use
//! [`anytime`](crate::anytime).

mod agreement;
mod bootstrap;
mod correction;
mod correlation;
mod line;
mod nemenyi;
mod prediction_powered;
mod randomization;
mod rank_sum;
mod ranks;
mod sign;
mod student;
mod wilcoxon;

pub use agreement::{kappa, sign_agreement};
pub use bootstrap::{Bootstrap, paired_bootstrap, two_sample_bootstrap};
pub use correction::{PValueCorrection, benjamini_hochberg, holm};
pub use correlation::{Correlation, correlation};
pub use line::{Line, Prediction, weighted_line};
pub use nemenyi::critical_difference;
pub(crate) use prediction_powered::tuned_lambda;
pub use prediction_powered::{Estimate, LabelledSample, PartlyLabelled, PredictionPoweredMeans};
pub use randomization::paired_randomization;
pub use rank_sum::{RankSum, rank_sum};
pub use ranks::{kendall, mid_ranks};
pub use sign::{exact_interval, sign_test};
pub use student::{PairedT, paired_t_test};
pub use wilcoxon::{SignedRank, wilcoxon_signed_rank};
