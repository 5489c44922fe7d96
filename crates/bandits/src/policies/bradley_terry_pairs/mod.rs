//! Thompson sampling under a Bradley-Terry model with an effect of each pair, so that it notices where the model is wrong.
//!
//! Arm i beats j with probability 1 / (1 + exp(-x(i, j))), x(i, j) = u(i) - u(j) + e(i, j), with utilities u(i) ~ N(0, s^2) and effects
//! e(i, j) = -e(j, i) ~ N(0, r^2). At first s = `prior` and r = `pairs`.
//!
//! 1. Whenever the duels have become 1% more (and K / 8 more at least), the posterior is fitted to all of them: normal, at
//!    its mode; s and r by one step of expectation maximisation.
//! 2. With m(i, j) the mean of x(i, j), the leader is the arm l with the least sum over i of max(0, m(i, l)).
//! 3. At each step x(i, l) is drawn for all i together. If the largest is above 0, its arm meets the leader; otherwise the
//!    leader plays alone.
//!
//! ## References
//!
//! An algorithm of this project, made of known parts: the model of R. A. Bradley, M. E. Terry, "Rank Analysis of
//! Incomplete Block Designs: I. The Method of Paired Comparisons", Biometrika 39, 1952,
//! <https://doi.org/10.2307/2334029>; random effects fitted at the mode as in N. E. Breslow, D. G. Clayton, "Approximate
//! Inference in Generalized Linear Mixed Models", Journal of the American Statistical Association 88, 1993,
//! <https://doi.org/10.1080/01621459.1993.10594284>; a leader and a challenger from the posterior, as in D. Russo, "Simple
//! Bayesian Algorithms for Best Arm Identification", COLT 2016, <https://proceedings.mlr.press/v49/russo16.html>.
//!
//! ## Notes
//!
//! * Why: [`bradley-terry`](super::bradley_terry) believes its model, and may follow a wrong leader for long where preferences are
//!   not those of an order. Here the duels of a pair settle its own effect at last (as r > 0), and r grows with what utilities
//!   do not explain. It keeps the correlations of utilities, too.
//! * The rule of the leader sees cycles: an arm that loses to one arm clearly does not lead, whatever the model says of it.
//! * A fit costs about K^3 operations, a step with a challenger up to K^2 and one without none: where no challenger is likely, the steps
//!   until one may come are one choice, as likely as one by one (`challengers`).
//! * Before the first duel the leader is any arm. It recommends the leader.
//! * With late outcomes, the posterior is fitted to known outcomes. There is no proof.

mod challengers;
mod dense;
mod posterior;

use crate::algorithm::{countable_pairs, papers, parameters, positive, takes_late};
use crate::counts::PairCounts;
use crate::late::Late;
use crate::random::{Normals, below};
use crate::state::{state, stored};
use crate::{Arm, Choice, Feedback, Generator, Memory, Paper, ParameterError, Policy, PolicyConfig};
use challengers::Challengers;
use posterior::Posterior;

/// By which share of the duels there are more before the next fit: what a single duel changes matters less and less.
const GROWTH: f64 = 0.01;

/// Parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerryPairsConfig {
    /// The first guess of the standard deviation of utilities, positive.
    pub prior: f64,
    /// The first guess of the standard deviation of the effects of pairs, positive.
    pub pairs: f64,
}

impl Default for BradleyTerryPairsConfig {
    fn default() -> Self {
        Self { prior: 0.3, pairs: 0.02 }
    }
}

impl PolicyConfig for BradleyTerryPairsConfig {
    const NAME: &'static str = "bradley-terry-pairs";
    const SUMMARY: &'static str = "as `bradley-terry`, but it learns where its model is wrong (this project)";
    const PREFER: &'static str = "instead of `bradley-terry`, if arms may differ more than rankers do or the best nearly tie; `dts` where preferences have cycles";
    const PAPER: Option<Paper> = Some(papers::BRADLEY_TERRY_1952);
    const MEMORY: Memory = Memory { per_pair: 52, per_arm: 100 };
    type Policy = BradleyTerryPairs;

    parameters! {
        "prior" => prior, "standard deviation of utilities, first guess";
        "pairs" => pairs, "standard deviation of what utilities do not explain, first guess";
    }

    fn check(&self) -> Result<(), ParameterError> {
        positive("prior", self.prior)?;
        positive("pairs", self.pairs)
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<BradleyTerryPairs, ParameterError> {
        self.check()?;
        countable_pairs::<Self>(arms)?;
        Ok(BradleyTerryPairs {
            counts: PairCounts::new(arms, 0),
            posterior: Posterior::new(arms, self.prior, self.pairs),
            challengers: Challengers::default(),
            leader: None,
            duels: 0,
            next_fit: 0,
            due: None,
            normals: Normals::new(),
        })
    }

    takes_late!();
}

/// Thompson sampling under a Bradley-Terry model with effects of pairs.
#[derive(Debug, Clone)]
pub struct BradleyTerryPairs {
    counts: PairCounts,
    posterior: Posterior,
    /// Those of the leader, by the fit before.
    challengers: Challengers,
    /// From the first choice on.
    leader: Option<Arm>,
    duels: u64,
    /// The number of duels after which the posterior is fitted again.
    next_fit: u64,
    /// The next step that may have a challenger, if the steps before it have none.
    due: Option<u64>,
    normals: Normals,
}

state!(BradleyTerryPairs { counts, posterior, challengers, leader, duels, next_fit, due } but { normals });

impl BradleyTerryPairs {
    fn fit(&mut self, leader: Option<Arm>) -> Arm {
        let covariance = self.posterior.fit(&self.counts);
        let leader = leader.unwrap_or_else(|| self.least_beaten());
        self.challengers = Challengers::of(leader.index(), &self.posterior, &covariance, &self.counts);
        self.leader = Some(leader);
        self.due = None;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a hundredth of a number of duels")]
        let growth = (GROWTH * self.duels as f64) as u64;
        self.next_fit = self.duels + growth.max(self.arms() as u64 / 8).max(1);
        leader
    }

    /// The arm to which the means of others are above 0 by the least sum.
    fn least_beaten(&self) -> Arm {
        let arms = self.counts.arms();
        let loss = |l: usize| (0..arms).map(|i| self.posterior.mean(i, l).max(0.0)).sum::<f64>();
        let losses: Vec<f64> = (0..arms).map(loss).collect();
        let best = (0..arms).min_by(|&i, &j| losses[i].total_cmp(&losses[j]));
        Arm::at(best.expect("at least one arm"))
    }
}

impl Policy for BradleyTerryPairs {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let leader = match self.leader {
            Some(leader) => leader,
            None => self.fit(Some(Arm::at(below(generator, self.arms())))),
        };
        let challenger = if self.challengers.are_rare() {
            let due = match self.due {
                Some(due) => due,
                None => step.saturating_add(self.challengers.pause(generator)),
            };
            if step < due {
                self.due = Some(due);
                return Choice::Alone { arm: leader, until: due - 1 };
            }
            self.due = None;
            self.challengers.propose(self.normals, generator)
        } else {
            self.challengers.draw(self.normals, generator)
        };
        match challenger {
            Some(challenger) => Choice::Duel(leader, challenger),
            None => Choice::Alone { arm: leader, until: step },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        self.counts.record(winner.index(), loser.index());
        self.duels += 1;
        if self.duels >= self.next_fit {
            self.fit(None);
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        if self.arms() == 1 { Some(Arm(0)) } else { self.leader.filter(|_| self.duels > 0) }
    }

    stored!();
}

impl Late for BradleyTerryPairs {}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// Each arm of the cycle loses to one other; the arm that beats all of them, if by little, leads.
    #[test]
    fn a_cycle_of_three_does_not_lead() {
        let mut policy = BradleyTerryPairsConfig::default().policy(4, 0).expect("a policy");
        let _ = policy.choose(1, &mut Generator::seed_from_u64(1));
        for (winner, loser, wins) in [(0, 1, 90), (1, 2, 90), (2, 0, 90), (3, 0, 55), (3, 1, 55), (3, 2, 55)] {
            for duel in 0..100 {
                let feedback = Feedback::of_duel(Arm(winner), Arm(loser), duel < wins);
                policy.learn(2, feedback);
            }
        }
        assert_eq!(policy.recommend(&mut Generator::seed_from_u64(1)), Some(Arm(3)));
    }
}
