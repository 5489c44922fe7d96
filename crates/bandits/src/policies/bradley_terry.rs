//! Thompson sampling under a Bradley-Terry model: a leader meets a challenger that may be better.
//!
//! Each arm i has a utility u(i), and i beats j with probability 1 / (1 + exp(u(j) - u(i))). What is known of u(i) is
//! N(m(i), v(i)), at first N(0, prior^2). At each step:
//!
//! 1. the leader is the arm with the largest m;
//! 2. theta(i) ~ N(m(i), v(i)) is drawn for every arm i; the challenger is the arm with the largest;
//! 3. they meet; if they are the same arm, it plays alone;
//! 4. with p = 1 / (1 + exp(m(loser) - m(winner))), h = eta p (1 - p) and s = 1 + h (v(winner) + v(loser)):
//!    m(winner) += v(winner) eta (1 - p) / s, m(loser) -= v(loser) eta (1 - p) / s, and for both
//!    v -= v^2 h / s.
//!
//! ## References
//!
//! An algorithm of this project, made of known parts: the model of R. A. Bradley, M. E. Terry, "Rank Analysis of
//! Incomplete Block Designs: I. The Method of Paired Comparisons", Biometrika 39, 1952,
//! <https://doi.org/10.2307/2334029>; normal posteriors updated game by game, as in M. E. Glickman, "Parameter
//! Estimation in Large Dynamic Paired Comparison Experiments", Applied Statistics 48(3), 1999,
//! <https://doi.org/10.1111/1467-9876.00159>, here by one step of an extended Kalman filter without correlations; a
//! leader and a challenger from the posterior, as in D. Russo, "Simple Bayesian Algorithms for Best Arm
//! Identification", COLT 2016, <https://proceedings.mlr.press/v49/russo16.html>.
//!
//! ## Notes
//!
//! * Why: rankers are nearly in order, and [Self-Sparring](super::self_sparring) compares each with whatever met it. Under a
//!   model an arm that beats weak ones gains little, all arms are measured on one scale, and an arm that nobody needs to
//!   measure is not played against another such arm.
//! * Preferences that no utilities explain are still followed where it matters: almost all duels are the leader's, so
//!   that u(leader) - u(i) becomes what duels of the two say. There is no proof, and it does settle on wrong arms where a
//!   weak winner meets a cycle of strong arms, or where utilities are spread far more widely than `prior`; the README of the
//!   crate has an example of each. There `dts` is the safe choice.
//! * `eta` above 1 takes each duel for several. It explores less, and settles on a wrong arm in some runs.
//! * Before the first duel all m are 0: the leader is any arm.

use crate::algorithm::{countable, papers, parameters, positive, takes_late};
use crate::late::Late;
use crate::random::{Largest, NormalPosterior, below};
use crate::state::{state, stored};
use crate::{Arm, Choice, Convergence, Feedback, Generator, Memory, Paper, ParameterError, Policy, PolicyConfig};

/// Parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerryConfig {
    /// The standard deviation of utilities before anything is known of them, positive.
    pub prior: f64,
    /// How many duels each counts for, positive.
    pub eta: f64,
}

impl Default for BradleyTerryConfig {
    fn default() -> Self {
        Self { prior: 0.2, eta: 1.0 }
    }
}

impl PolicyConfig for BradleyTerryConfig {
    const NAME: &'static str = "bradley-terry";
    const SUMMARY: &'static str = "Thompson sampling of utilities, leader against challenger (this project)";
    const PREFER: &'static str = "if two arms meet at a time and preferences are those of an order at the scale of rankers, as those of MSLR: there the least regret of duels from 10^6 steps on; `bradley-terry-pairs` where arms differ more, `dts` where preferences have cycles";
    const PAPER: Option<Paper> = Some(papers::BRADLEY_TERRY_1952);
    const CONVERGENCE: Convergence = Convergence { condorcet: false, ..Convergence::USUAL };
    const MEMORY: Memory = Memory { per_pair: 0, per_arm: 100 };
    type Policy = BradleyTerry;

    parameters! {
        "prior" => prior, "standard deviation of utilities at first";
        "eta" => eta, "how many duels each counts for";
    }

    fn check(&self) -> Result<(), ParameterError> {
        positive("prior", self.prior)?;
        positive("eta", self.eta)
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<BradleyTerry, ParameterError> {
        self.check()?;
        countable(arms)?;
        let utilities = Largest::new(arms, NormalPosterior { mean: 0.0, deviation: self.prior });
        Ok(BradleyTerry { eta: self.eta, utilities, leader: None })
    }

    takes_late!();
}

/// Thompson sampling under a Bradley-Terry model.
#[derive(Debug, Clone)]
pub struct BradleyTerry {
    eta: f64,
    utilities: Largest<NormalPosterior>,
    /// The arm with the largest mean, once there was a duel.
    leader: Option<Arm>,
}

state!(BradleyTerry { utilities, leader } but { eta });

impl BradleyTerry {
    fn mean(&self, arm: Arm) -> f64 {
        self.utilities.all()[arm.index()].mean
    }
}

/// What a duel says of two utilities, those of winner and loser.
#[inline]
fn after_duel(winner: NormalPosterior, loser: NormalPosterior, eta: f64) -> [NormalPosterior; 2] {
    let surprise = 1.0 / (1.0 + libm::exp(winner.mean - loser.mean));
    let information = eta * surprise * (1.0 - surprise);
    let [of_winner, of_loser] = [winner, loser].map(|arm| arm.deviation * arm.deviation);
    let scale = 1.0 + information * (of_winner + of_loser);
    let step = eta * surprise / scale;
    let deviation = |variance: f64| (variance - variance * variance * information / scale).sqrt();
    [
        NormalPosterior { mean: winner.mean + of_winner * step, deviation: deviation(of_winner) },
        NormalPosterior { mean: loser.mean - of_loser * step, deviation: deviation(of_loser) },
    ]
}

impl Policy for BradleyTerry {
    fn arms(&self) -> usize {
        self.utilities.all().len()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let leader = self.leader.unwrap_or_else(|| Arm::at(below(generator, self.arms())));
        let challenger = Arm::at(self.utilities.draw(generator));
        if leader == challenger {
            return Choice::Alone { arm: leader, until: step };
        }
        Choice::Duel(leader, challenger)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let all = self.utilities.all();
        let [one, other] = after_duel(all[winner.index()], all[loser.index()], self.eta);
        self.utilities.set(winner.index(), one);
        self.utilities.set(loser.index(), other);
        self.leader = match self.leader {
            Some(leader) if leader != loser && one.mean <= self.mean(leader) => Some(leader),
            _ => (0..self.arms()).map(Arm::at).max_by(|&i, &j| self.mean(i).total_cmp(&self.mean(j))),
        };
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        if self.arms() == 1 { Some(Arm(0)) } else { self.leader }
    }

    stored!();
}

impl Late for BradleyTerry {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duel_moves_means_by_what_it_surprises() {
        let even = NormalPosterior { mean: 0.0, deviation: 1.0 };
        // p = 1/2, h = 1/4, s = 1 + 2/4: each mean moves by 1/2 / s, each variance falls by 1/4 / s.
        let [winner, loser] = after_duel(even, even, 1.0);
        assert!((winner.mean - 1.0 / 3.0).abs() < 1e-12 && (loser.mean + 1.0 / 3.0).abs() < 1e-12);
        assert!((winner.deviation.powi(2) - 5.0 / 6.0).abs() < 1e-12);
        assert_eq!(winner.deviation, loser.deviation);
        // What was certain says little, and an arm well known hardly moves.
        let strong = NormalPosterior { mean: 5.0, deviation: 0.1 };
        let [expected, _] = after_duel(strong, even, 1.0);
        let [_, upset] = after_duel(even, strong, 1.0);
        assert!(expected.mean - strong.mean < 1e-4 && strong.mean - upset.mean > 9e-3);
        // One duel that counts for two is about as two in turn.
        let weak = NormalPosterior { mean: 0.3, deviation: 0.05 };
        let [once, other] = after_duel(weak, weak, 1.0);
        let [twice, _] = after_duel(once, other, 1.0);
        let [both, _] = after_duel(weak, weak, 2.0);
        assert!((twice.mean - both.mean).abs() < 1e-5 && (twice.deviation - both.deviation).abs() < 1e-5);
    }

    /// The filter's mean and deviation of a difference, and those of the exact posterior by quadrature.
    #[test]
    fn two_arms_have_about_the_exact_posterior() {
        let prior = 0.3;
        let (won, lost) = (70, 50);
        let mut arms = [NormalPosterior { mean: 0.0, deviation: prior }; 2];
        for duel in 0..won + lost {
            // Spread evenly.
            if (duel + 1) * won / (won + lost) > duel * won / (won + lost) {
                arms = after_duel(arms[0], arms[1], 1.0);
            } else {
                let [second, first] = after_duel(arms[1], arms[0], 1.0);
                arms = [first, second];
            }
        }
        let variance = 2.0 * prior * prior;
        let moments = (-4000..4000).map(|place| f64::from(place) * 5e-4).fold([0.0; 3], |sums: [f64; 3], d| {
            let log = |x: f64| -libm::log1p(libm::exp(-x));
            let density =
                libm::exp(f64::from(won) * log(d) + f64::from(lost) * log(-d) - d * d / (2.0 * variance) + 80.0);
            [sums[0] + density, sums[1] + density * d, sums[2] + density * d * d]
        });
        let (mean, square) = (moments[1] / moments[0], moments[2] / moments[0]);
        let difference = arms[0].mean - arms[1].mean;
        // Without correlations the variances do not add up to that of the difference: they fall too slowly at most by a half.
        let spread = arms.iter().map(|arm| arm.deviation.powi(2)).sum::<f64>();
        assert!((difference - mean).abs() < 0.25 * mean, "{difference}, exactly {mean}");
        let ratio = spread / (square - mean * mean);
        assert!(ratio > 0.95 && ratio < 2.0, "{ratio}");
    }
}
