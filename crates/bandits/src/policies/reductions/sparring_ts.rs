//! Sparring with Thompson sampling: as [Sparring](super::sparring), but each side [picks an arm
//! with the probability that it is the best](crate::singleton::Thompson).
//!
//! At each step each side draws theta(i) ~ Beta(wins(i) + 1, losses(i) + 1) for every arm i and
//! sends the arm with the largest; the two meet, and each side counts a win or a loss.
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, ICML 2014, <https://proceedings.mlr.press/v32/ailon14.html>:
//! algorithm 3 leaves the bandits open; with Thompson sampling it is a rival in C. Li, I.
//! Markov, M. de Rijke, M. Zoghi, "MergeDTS", ACM TOIS 38(4), 2020,
//! <https://doi.org/10.1145/3411753>.
//!
//! ## Notes
//!
//! * An arm may meet itself: a fair coin, from which both sides learn.
//! * The arm recommended is the one picked most often by both sides together; in MergeDTS's
//!   experiments it is the highest mean of either side.

use super::sparring::Sparring;
use crate::algorithm::papers;
use crate::singleton::Thompson;
use crate::{config, takes_late};

config! {
    /// No parameters.
    pub struct SparringTsConfig {}

    policy Sparring<Thompson> {
        name: "sparring-ts",
        summary: "two Thompson samplers against each other (Ailon et al., ICML 2014)",
        paper: papers::AILON_ICML_2014,
        revision: 2,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Sparring<Thompson> {
        Sparring::new(Thompson::new(arms))
    }

    takes_late!();
}
