//! Thompson sampling under a Bradley-Terry model with an effect of each pair, so that it notices where the model is wrong.
//!
//! Arm i beats j with probability 1 / (1 + exp(-x(i, j))), x(i, j) = u(i) - u(j) + e(i, j), with utilities u(i) ~ N(0, s^2) and effects
//! e(i, j) = -e(j, i) ~ N(0, r^2). At first s = `prior` and r = `pairs`.
//!
//! 1. Whenever the duels have become 1% more (and K / 8 more at least), the posterior is fitted to all of them: normal, at
//!    its mode; s and r by one step of expectation maximisation.
//! 2. With m(i, j) the mean of x(i, j), the leader is, of the arms with the fewest proven losses, the arm l with the least sum over i of
//!    max(0, m(i, l)). It is found at each fit, which also comes when another arm has fewer losses than the leader.
//! 3. The guard may force a duel of the leader; if the leader has a proven loss, nothing else is played against it. Losses and guard
//!    are those of [`bradley-terry`](super::bradley_terry#the-guard).
//! 4. Otherwise x(i, l) is drawn for all i together. If the largest is above 0 and its pair with the leader is not decided, they
//!    meet; otherwise the leader plays alone.
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
//! * Why: it keeps the correlations of utilities, and the duels of a pair settle its own effect at last (as r > 0): r grows with what
//!   utilities do not explain. [`bradley-terry`](super::bradley_terry) has neither, and costs less time per step.
//! * A fit costs about K^3 operations, a step with a challenger up to K^2 and one without none: where no challenger is likely, the steps
//!   until one may come are one choice, as likely as one by one (`challengers`). So are the steps until a forced duel.
//! * Before the first duel the leader is any arm. It recommends the leader.
//! * With late outcomes, the posterior is fitted to known outcomes.
//! * Revision 1 had no guard: it settled on wrong arms where no order explains preferences.

mod challengers;
mod posterior;
mod square_matrix;

use crate::algorithm::papers;
use crate::random::{Normals, below, uniform};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};
use challengers::LogitChallengers;
use posterior::Posterior;

use super::guard::{DEFAULT_SHARE, Guard};

/// By which share of the duels there are more before the next fit: what a single duel changes matters less and less.
const REFIT_GROWTH: f64 = 0.01;

config! {
    /// Parameters.
    pub struct BradleyTerryPairsConfig {
        /// The first guess of the standard deviation of utilities, positive.
        prior: f64 = 0.3, "standard deviation of utilities, first guess" [positive];
        /// The first guess of the standard deviation of the effects of pairs, positive.
        pairs: f64 = 0.02, "standard deviation of what utilities do not explain, first guess" [positive];
        /// The share of steps for duels that the guard forces, in (0, 1).
        guard: f64 = DEFAULT_SHARE, "share of steps for duels that a wrong model would not ask for" [probability];
    }

    policy BradleyTerryPairs {
        name: "bradley-terry-pairs",
        summary: "as `bradley-terry`, but it learns where its model is wrong (this project)",
        paper: papers::BRADLEY_TERRY_1952,
        revision: 2,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> BradleyTerryPairs {
        BradleyTerryPairs::new(self, arms)
    }

    takes_late!();
}

/// Thompson sampling under a Bradley-Terry model with effects of pairs.
#[derive(Debug, Clone)]
pub struct BradleyTerryPairs {
    guard: Guard,
    posterior: Posterior,
    /// The challengers of the leader, by the fit before.
    challengers: LogitChallengers,
    /// From the first choice on.
    leader: Option<Arm>,
    duels: u64,
    /// The number of duels after which the posterior is fitted again.
    next_fit: u64,
    /// The next step that may have a challenger, if the steps before it have none.
    due: Option<u64>,
    /// The next step with a duel that the guard forces.
    forced: Option<u64>,
    normals: Normals,
}

state!(BradleyTerryPairs { guard, posterior, challengers, leader, duels, next_fit, due, forced } but { normals });

impl BradleyTerryPairs {
    fn new(config: &BradleyTerryPairsConfig, arms: usize) -> Self {
        Self {
            guard: Guard::new(arms, config.guard),
            posterior: Posterior::new(arms, config.prior, config.pairs),
            challengers: LogitChallengers::default(),
            leader: None,
            duels: 0,
            next_fit: 0,
            due: None,
            forced: None,
            normals: Normals::new(),
        }
    }

    fn fit(&mut self, leader: Option<Arm>) -> Arm {
        let covariance = self.posterior.fit(self.guard.counts());
        let leader = leader.unwrap_or_else(|| self.least_beaten());
        self.challengers = LogitChallengers::of(leader.index(), &self.posterior, &covariance, self.guard.counts());
        self.leader = Some(leader);
        self.guard.set_leader(leader);
        (self.due, self.forced) = (None, None);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a hundredth of a number of duels")]
        let growth = (REFIT_GROWTH * self.duels as f64) as u64;
        self.next_fit = self.duels + growth.max(self.arms() as u64 / 8).max(1);
        leader
    }

    /// Of the arms with the fewest proven losses, the one to which the means of others are above 0 by the least sum.
    fn least_beaten(&self) -> Arm {
        let arms = self.arms();
        let fewest = self.guard.fewest_losses();
        let loss = |l: usize| (0..arms).map(|i| self.posterior.mean(i, l).max(0.0)).sum::<f64>();
        let candidates = (0..arms).filter(|&arm| self.guard.losses(Arm::at(arm)) == fewest);
        let losses: Vec<(usize, f64)> = candidates.map(|arm| (arm, loss(arm))).collect();
        let best = losses.iter().min_by(|(_, one), (_, other)| one.total_cmp(other));
        Arm::at(best.expect("at least one arm").0)
    }

    /// Whether another arm has fewer proven losses than the leader, so that it may not lead.
    fn is_deposed(&self) -> bool {
        self.leader.is_some_and(|leader| self.guard.losses(leader) > self.guard.fewest_losses())
    }

    /// The leader's opponent at `step` by the rule, or `Err` with the last step before which it has none.
    fn opponent(&mut self, step: u64, generator: &mut Generator) -> Result<Arm, u64> {
        let forced = match self.forced {
            Some(forced) => forced,
            None => step.saturating_add(self.guard.pause(generator)),
        };
        if step >= forced {
            self.forced = None;
            return Ok(self.guard.opponent_at(uniform(generator)));
        }
        self.forced = Some(forced);
        // The next period may bring another leader.
        let quiet = (forced - 1).min(self.guard.next_period() - 1);
        if self.guard.is_refuted() {
            return Err(quiet);
        }
        let challenger = if self.challengers.are_rare() {
            let due = match self.due {
                Some(due) => due,
                None => step.saturating_add(self.challengers.pause(generator)),
            };
            if step < due {
                self.due = Some(due);
                return Err(quiet.min(due - 1));
            }
            self.due = None;
            self.challengers.propose(self.normals, generator)
        } else {
            self.challengers.draw(self.normals, generator)
        };
        challenger.filter(|&arm| !self.guard.is_decided(arm)).ok_or(step)
    }
}

impl Policy for BradleyTerryPairs {
    fn arms(&self) -> usize {
        self.guard.counts().arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let is_later = self.guard.advance(step);
        let leader = match self.leader {
            Some(_) if is_later && self.duels > 0 => self.fit(None),
            Some(leader) => leader,
            None => self.fit(Some(Arm::at(below(generator, self.arms())))),
        };
        match self.opponent(step, generator) {
            Ok(opponent) => Choice::Duel(leader, opponent),
            Err(until) => Choice::Alone { arm: leader, until },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let other_losses = self.guard.record(winner, loser);
        self.duels += 1;
        // The weights of the leader's opponents are others now.
        self.forced = None;
        if self.duels >= self.next_fit || (other_losses && self.is_deposed()) {
            self.fit(None);
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        if self.arms() == 1 { Some(Arm(0)) } else { self.leader.filter(|_| self.duels > 0) }
    }

    stored!();
}

impl DelayedFeedback for BradleyTerryPairs {
    fn depart(&mut self, arms: &[Arm]) {
        self.guard.depart(arms);
        self.forced = None;
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.guard.arrive(arms);
        self.forced = None;
        if let Some(feedback) = feedback {
            self.learn(step, feedback);
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.guard.counts().between(i.index(), j.index()))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    /// Each arm of the cycle loses to one other; the arm that beats all of them, if by little, leads.
    #[test]
    fn a_cycle_of_three_does_not_lead() {
        let mut policy = BradleyTerryPairsConfig::default().policy(4, None).expect("a policy");
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
