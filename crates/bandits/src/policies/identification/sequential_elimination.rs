//! Sequential elimination: an anchor meets the other arms one by one, and the better of two is the anchor from then on. With
//! probability 1 - delta the arm that is left loses to no other with a probability above 1/2 + epsilon.
//!
//! The anchor is a random arm at first. The others come in random order. With c(t) = sqrt(ln(4 t^2 / d) / 2 t) and d = delta /
//! K, after t duels,
//!
//! 1. the challenger and the anchor meet as long as the challenger's share p of their duels is within c(t) of 1/2 + epsilon / 2,
//!    and t is below 2 ln(2 / d) / epsilon^2;
//! 2. the challenger is the anchor from now on if p > 1/2 + epsilon / 2, and is out otherwise, as is an anchor that lost.
//!
//! The last anchor plays alone for ever.
//!
//! ## References
//!
//! M. Falahatgar, Y. Hao, A. Orlitsky, V. Pichapati, V. Ravindrakumar, "Maxing and Ranking with Few Assumptions", NeurIPS 2017,
//! <https://proceedings.neurips.cc/paper/2017/hash/db98dc0dbafde48e8f74c0de001d35e4-Abstract.html>.
//!
//! ## Notes
//!
//! * It needs a matrix that is strongly stochastically transitive, but no triangle inequality, which
//!   [`knockout`](super::knockout) needs as well. The reason: an arm is the anchor only if it beats the one before, so that
//!   an arm that did not beat an earlier anchor by epsilon does not beat the last one by epsilon either.
//! * Each of the K - 1 comparisons errs with probability at most delta / K. It takes O(K / epsilon^2 ln(K / delta)) duels, which is
//!   optimal for delta up to 1 / K.
//! * A challenger that is better by less than epsilon / 2 usually goes: the promise is epsilon, not the best arm.
//! * The paper's OPT-MAXIMIZE, which takes O(K / epsilon^2 ln(1 / delta)), is not here: its constants differ between accounts.
//! * delta = .05 here, as elsewhere in this crate.

use super::{ChampionTest, OneByOne, PairByPair};
use crate::algorithm::papers;
use crate::{config, state};

config! {
    /// The parameters of sequential elimination.
    pub struct SequentialEliminationConfig {
        /// By how much another arm may beat the one that is left, in (0, 1).
        epsilon: f64 = 0.05, "how much worse than the best is good enough" [probability];
        /// The probability of failing, in (0, 1).
        delta: f64 = 0.05, "probability of failing" [probability];
    }

    policy PairByPair<OneByOne<SequentialElimination>> {
        name: "sequential-elimination",
        summary: "the better of two stays, with a guarantee (Falahatgar et al., NeurIPS 2017)",
        paper: papers::FALAHATGAR_NEURIPS_2017,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<OneByOne<SequentialElimination>> {
        let delta = self.delta / arms as f64;
        let max_duels = 2.0 * libm::log(2.0 / delta) / (self.epsilon * self.epsilon);
        PairByPair::new(OneByOne::new(arms, SequentialElimination { half: self.epsilon / 2.0, delta, max_duels }))
    }
}

/// Sequential elimination's test of an anchor, the champion, and a challenger.
#[derive(Debug, Clone)]
pub struct SequentialElimination {
    /// epsilon / 2.
    half: f64,
    /// d.
    delta: f64,
    /// The most duels of a pair.
    max_duels: f64,
}

state!(SequentialElimination {} but { half, delta, max_duels });

impl ChampionTest for SequentialElimination {
    const CHALLENGER_FIRST: bool = true;

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let [won, lost] = wins.map(f64::from);
        let duels = won + lost;
        let above = won / duels - 0.5 - self.half;
        let radius = (libm::log(4.0 * duels * duels / self.delta) / (2.0 * duels)).sqrt();
        let undecided = above.abs() <= radius && duels < self.max_duels;
        (!undecided).then_some(above > 0.0)
    }
}
