//! Knockout: a knock-out of random pairs, with matches that become more accurate from round to round. With probability
//! 1 - delta the arm that is left loses to no other with a probability above 1/2 + epsilon.
//!
//! With epsilon(i) = (2^(1/3) - 1) epsilon / (gamma 2^(i/3)), delta(i) = delta / 2^i and, after r duels, c(r) =
//! sqrt(ln(4 r^2 / delta(i)) / 2 r), in round i = 1, 2, ...:
//!
//! 1. the arms that are left are paired at random; one that is left over goes through;
//! 2. two arms meet as long as the share p of duels that one of them won is within c(r) - epsilon(i) of 1/2 and r is at most
//!    ln(2 / delta(i)) / (2 epsilon(i)^2); the first goes through if p > 1/2, otherwise the second;
//! 3. the last arm plays alone for ever.
//!
//! ## References
//!
//! M. Falahatgar, A. Orlitsky, V. Pichapati, A. T. Suresh, "Maximum Selection and Ranking under Noisy Comparisons", ICML
//! 2017, <https://proceedings.mlr.press/v70/falahatgar17a.html>, algorithms 1 to 3.
//!
//! ## Notes
//!
//! * It needs a matrix that is strongly stochastically transitive (relaxed by `gamma`, at least 1) with the stochastic triangle
//!   inequality, as utilities have: among real rankers the best one may fall to a match that it would rather not have
//!   played.
//! * It takes O(K / epsilon^2 ln(1 / delta)) duels, whatever the gaps: the price of epsilon, not of near-ties.
//! * The paper plays with epsilon = .05 and delta = .1; delta = .05 here, as elsewhere in this crate.

use super::{Bracket, PairByPair, PairRule};
use crate::algorithm::papers;
use crate::{Arm, Generator, config, state};

config! {
    /// Knockout's parameters.
    pub struct KnockoutConfig {
        /// By how much another arm may beat the one that is left, in (0, 1).
        epsilon: f64 = 0.05, "how much worse than the best is good enough" [probability];
        /// The probability of failing, in (0, 1).
        delta: f64 = 0.05, "probability of failing" [probability];
        /// By what factor stochastic transitivity is relaxed, at least 1.
        gamma: f64 = 1.0, "of relaxed stochastic transitivity, at least 1"
            [at least 1 and finite because "1 is strong stochastic transitivity, and nothing is stronger"];
    }

    policy PairByPair<Knockout> {
        name: "knockout",
        summary: "a knock-out with a guarantee (Falahatgar et al., ICML 2017)",
        paper: papers::FALAHATGAR_ICML_2017,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<Knockout> {
        let bracket = Bracket::new(arms, 0);
        PairByPair::new(Knockout { config: self.clone(), bracket, margin: 0.0, delta: 0.0, most: 0.0 })
    }
}

/// Knockout.
#[derive(Debug, Clone)]
pub struct Knockout {
    config: KnockoutConfig,
    bracket: Bracket,
    /// epsilon(i), delta(i) and the most duels of a match.
    margin: f64,
    delta: f64,
    most: f64,
}

state!(Knockout { bracket, margin, delta, most } but { config });

impl PairRule for Knockout {
    fn arms(&self) -> usize {
        self.bracket.arms()
    }

    fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        let pair = self.bracket.next(generator);
        let round = f64::from(self.bracket.round());
        let factor = libm::cbrt(2.0) - 1.0;
        self.margin = factor * self.config.epsilon / (self.config.gamma * libm::exp2(round / 3.0));
        self.delta = self.config.delta / libm::exp2(round);
        self.most = libm::log(2.0 / self.delta) / (2.0 * self.margin * self.margin);
        pair
    }

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let [won, lost] = wins.map(f64::from);
        let duels = won + lost;
        let radius = (libm::log(4.0 * duels * duels / self.delta) / (2.0 * duels)).sqrt();
        let undecided = (won / duels - 0.5).abs() <= radius - self.margin && duels <= self.most;
        (!undecided).then_some(won > lost)
    }

    fn decided(&mut self, better: Arm, _worse: Arm) {
        self.bracket.goes_through(better);
    }

    fn last(&self) -> Arm {
        self.bracket.winner()
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.bracket.leader(generator)
    }
}
