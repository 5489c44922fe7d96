//! POCOWISTA, potential Copeland winner stays: the arm that may still have the highest Copeland score meets the best of those
//! that it has not met. With probability 1 - delta the arm that is left is a Copeland winner.
//!
//! Each arm i has beaten b(i) of the m(i) others that it was compared with, so that its score is at least b(i) and at most
//! p(i) = b(i) + K - 1 - m(i):
//!
//! 1. if an arm i has b(i) >= p(j) for all other arms j, it is a Copeland winner and plays alone for ever;
//! 2. of the arms with the highest p, ties at random, one meets the arm with the highest b of those that it was not compared
//!    with, ties at random;
//! 3. they meet until the density of Beta(w + 1, l + 1) at 1/2, after w wins of one and l of the other, is at most d / 2, d = 2
//!    delta / (K (K - 1)); the arm that won more often is better.
//!
//! ## References
//!
//! V. Bengs, B. Haddenhorst, E. Hüllermeier, "Identifying Copeland Winners in Dueling Bandits with Indifferences", AISTATS
//! 2024, <https://proceedings.mlr.press/v238/bengs24a.html>, arXiv 2310.00750. The test is the prior-posterior ratio of I. Waudby-Smith and A.
//! Ramdas, "Confidence Sequences for Sampling without Replacement", NeurIPS 2020, <https://doi.org/10.48550/arXiv.2006.04347>: the inverse of
//! the density is an e-process, so that it may be looked at after every duel.
//!
//! ## Notes
//!
//! * The paper's duels may also end in indifference, which counts half. Feedback here has a winner, ties being decided by coins
//!   before: the rule keeps the paper's d / 2, which allows for three outcomes.
//! * The version for transitive preferences, which infers pairs from others, is not here: the code of its authors and its
//!   description differ.
//! * Pairs of equal arms are never decided.

use super::{PairByPair, PairRule};
use crate::algorithm::papers;
use crate::counts::PairTable;
use crate::random::{argmax, best_arm};
use crate::{Arm, Generator, config, state};

config! {
    /// POCOWISTA's parameters.
    pub struct PocowistaConfig {
        /// The probability that the arm that is left is not a Copeland winner, in (0, 1).
        delta: f64 = 0.05, "probability of an arm that is not a Copeland winner" [probability];
    }

    policy PairByPair<Pocowista> {
        name: "pocowista",
        summary: "the Copeland winner with a guarantee (Bengs et al., AISTATS 2024), pair by pair",
        paper: papers::BENGS_AISTATS_2024,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<Pocowista> {
        let pairs = (arms as f64 * (arms as f64 - 1.0) / 2.0).max(1.0);
        PairByPair::new(Pocowista {
            log_threshold: libm::log(self.delta / pairs / 2.0),
            compared: PairTable::new(arms, false),
            beaten: vec![0; arms],
            open: vec![arms.saturating_sub(1) as u32; arms],
            winner: None,
        })
    }
}

/// POCOWISTA.
#[derive(Debug, Clone)]
pub struct Pocowista {
    /// ln(d / 2).
    log_threshold: f64,
    compared: PairTable<bool>,
    /// b(i).
    beaten: Vec<u32>,
    /// K - 1 - m(i).
    open: Vec<u32>,
    winner: Option<Arm>,
}

state!(Pocowista { compared, beaten, open, winner } but { log_threshold });

impl Pocowista {
    /// p(i).
    fn potential(&self, arm: usize) -> u32 {
        self.beaten[arm] + self.open[arm]
    }

    /// An arm with a score that no other can exceed.
    fn find_winner(&self) -> Option<Arm> {
        let arms = 0..self.beaten.len();
        let best = arms.clone().max_by_key(|&arm| self.beaten[arm])?;
        let rival = arms.filter(|&arm| arm != best).map(|arm| self.potential(arm)).max().unwrap_or(0);
        (self.beaten[best] >= rival).then(|| Arm::at(best))
    }
}

impl PairRule for Pocowista {
    fn arms(&self) -> usize {
        self.beaten.len()
    }

    fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        self.winner = self.find_winner();
        if self.winner.is_some() {
            return None;
        }
        let arms = 0..self.beaten.len();
        let first = argmax(generator, arms.clone().map(|arm| self.potential(arm)))?;
        let unmet = |arm: usize| arm != first && !self.compared[(first, arm)];
        let second = argmax(generator, arms.map(|arm| unmet(arm).then_some(self.beaten[arm])))?;
        Some([Arm::at(first), Arm::at(second)])
    }

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let [won, lost] = wins.map(f64::from);
        // ln of 1 / B(w + 1, l + 1) / 2^(w + l).
        let log_density = libm::lgamma(won + lost + 2.0)
            - libm::lgamma(won + 1.0)
            - libm::lgamma(lost + 1.0)
            - (won + lost) * std::f64::consts::LN_2;
        (log_density <= self.log_threshold).then_some(won > lost)
    }

    fn decided(&mut self, better: Arm, worse: Arm) {
        self.compared[(better, worse)] = true;
        self.compared[(worse, better)] = true;
        self.beaten[better.index()] += 1;
        self.open[better.index()] -= 1;
        self.open[worse.index()] -= 1;
    }

    fn last(&self) -> Arm {
        self.winner.unwrap_or(Arm(0))
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.winner.is_some() || self.beaten.iter().all(|&beaten| beaten == 0) {
            return self.winner;
        }
        best_arm(generator, self.beaten.iter().copied())
    }
}
