//! Optimized interleaving (OI) and multileaving (OM): a linear program gives the lists that could be shown
//! probabilities under which random clicks favour no ranker, and under which one impression is as informative
//! as possible.
//!
//! | | two rankers ([`OptimizedInterleave`]) | many ([`OptimizedMultileave`]) |
//! |---|---|---|
//! | lists | all lists with every top a union of tops of the two | a sample of such lists |
//! | credit of a click | [`PairCredit`] | [`RankCredit`] |
//! | constraints | at each position, the mean credit is 0 | at each position, the mean credit is the same for all rankers |
//! | objective | greatest sensitivity | least variance between rankers |
//!
//! The program is solved by the simplex method (`microlp`), which detects cycling and checks its
//! answer. Where no probabilities meet the constraints, or the solver fails, those with the least sum of squared
//! violations are used instead, found by Wolfe's method in at most 1,000 steps. So a draw always ends with a
//! list, and its receipt records which case it was ([`LpFit`]).
//!
//! ## References
//!
//! - F. Radlinski, N. Craswell. *Optimized interleaving for online retrieval evaluation.* WSDM 2013.
//!   <https://doi.org/10.1145/2433396.2433429>
//! - A. Schuth, F. Sietsma, S. Whiteson, D. Lefortier, M. de Rijke. *Multileaved comparisons for
//!   fast online evaluation.* CIKM 2014. <https://doi.org/10.1145/2661829.2661952>
//! - A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke. *Lerot: an online learning to rank framework.*
//!   LivingLab 2013. <https://doi.org/10.1145/2513150.2513162>
//!
//! ## Notes
//!
//! - A document that a ranker does not list has the rank below the end of the longest list, so that no ranker gains by
//!   retrieving less. No probabilities make random clicks fair to a ranker that lists fewer documents: [`LpFit::Relaxed`].
//! - The constraints hold for each position, which is the same as holding for each top.
//! - Tied documents are ordered at random, for each ranker in each impression; lists and credit use
//!   the same order.
//! - The whole list is drawn whether or not the user examines it.

mod absent;
mod credit;
mod interleave;
mod multileave;
mod program;
mod walk;

pub use credit::{PairCredit, RankCredit};
pub use interleave::{OptimizedInterleave, OptimizedInterleaveReceipt, OptimizedInterleaveScratch};
pub use multileave::{OptimizedMultileave, OptimizedMultileaveReceipt, OptimizedMultileaveScratch};

use rand::Rng;

use crate::Generator;

/// How well the probabilities of the lists meet the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LpFit {
    /// Exactly.
    #[default]
    Exact,
    /// As closely as these lists allow: random clicks may favour some ranker.
    Relaxed,
}

impl LpFit {
    /// A length and whether it was exact, from the one number that receipts pack them into.
    fn with_length(number: usize) -> (usize, Self) {
        (number / 2, if number.is_multiple_of(2) { Self::Exact } else { Self::Relaxed })
    }
}

/// Draws an index with these probabilities.
fn choose(chances: &[f64], generator: &mut Generator) -> usize {
    let mut luck = (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let last = chances.iter().rposition(|&chance| chance > 0.0).unwrap_or(0);
    for (index, chance) in chances[..last].iter().enumerate() {
        if luck < *chance {
            return index;
        }
        luck -= chance;
    }
    last
}
