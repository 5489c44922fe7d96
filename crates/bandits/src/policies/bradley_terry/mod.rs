//! Thompson sampling under a Bradley-Terry model: a leader meets a challenger that may be better.
//!
//! Each arm i has a utility u(i), and i beats j with probability 1 / (1 + exp(u(j) - u(i))). The scale of utilities is not
//! known: it is s with one of several priors, u(i) ~ N(0, s^2), which learn side by side. Under each, the posterior of u(i)
//! is N(m(i), v(i)); its weight is the probability that it gave to the outcomes so far. At each step:
//!
//! 1. the leader is the arm with the fewest losses that its duels have proven (the [guard](#the-guard)) and, of these, with
//!    the largest m of the heaviest prior;
//! 2. the guard may force a duel of the leader; if the leader has a proven loss, nothing else is played against it;
//! 3. a prior is drawn by weight, and theta(i) ~ N(m(i), v(i)) for every arm i; the challenger is the arm with the largest;
//! 4. if it is the leader, or the pair of the two is decided, the leader plays alone. Otherwise they meet if one of
//!    10 further draws has another largest than the leader, too, and with probability 1/10 if none has;
//! 5. with p = 1 / (1 + exp(m(loser) - m(winner))), h = eta p (1 - p) and s = 1 + h (v(winner) + v(loser)):
//!    m(winner) += v(winner) eta (1 - p) / s, m(loser) -= v(loser) eta (1 - p) / s, and for both
//!    v -= v^2 h / s.
//!
//! ## The guard
//!
//! A model that is wrong may follow a wrong leader for ever. The guard looks at each pair by itself. D(i, j) = n kl(w / n, 1/2) is
//! the evidence of the n duels of i and j, w of them won by i. An arm that won less than half of them has a *proven loss* if D exceeds
//! the logarithm of the step at which the present period began; periods begin at 2, 4, 8, ... times max(K, 8) steps.
//!
//! * **Which arms may lead.** Only arms with the fewest proven losses. A Condorcet winner has none, but by chance; where there is
//!   none, a Copeland winner has the fewest in the end.
//! * **Which arms must meet the leader.** Arm i has the weight erfc(sqrt(D(i, l))) / 2 if it won at most half of its duels with the
//!   leader l: about the probability that it is better, by these duels alone. If it won more, its weight is exp(D(i, l)). With B the sum of the
//!   first and A that of the second, the step has a forced duel with probability `guard` (min(B, 1) + A), 1 at most; the
//!   opponent is drawn by weight, that of the first divided by max(B, 1). Where the leader has a proven loss, no order explains the duels:
//!   then 1 replaces `guard`, and the model is not used.
//! * **Which arms need not meet it.** Arms with a *decided* pair with the leader: one of the two has a proven loss to the other.
//!
//! With late outcomes, an arm with as many duels against the leader under way as known (and one at least) has the weight 0.
//!
//! **What follows**, by argument, not by proof. *A wrong leader goes*: as long as it leads, the weight of an arm that beats it does not
//! fall for good, so that their duels go on until the loss is proven, which takes about ln t / kl(p, 1/2) of them. *The right one stays*: a false
//! proof within a period that begins at t needs evidence of ln t against the truth, an event with a probability of order
//! ln t / t, and it is over at the latest in a period that begins at e^D. *Decided pairs do not meet*: so no arm meets a leader more often
//! than about ln t / kl(p, 1/2) times. Regret then grows as the logarithm of t, or its square if the false proofs are what counts most, whatever the
//! preferences, against Condorcet and Copeland winners alike. How large it is in practice is measured in `docs/pages/bandits/overconfidence.md`.
//!
//! ## References
//!
//! An algorithm of this project, made of known parts: the model of R. A. Bradley, M. E. Terry, "Rank Analysis of
//! Incomplete Block Designs: I. The Method of Paired Comparisons", Biometrika 39, 1952,
//! <https://doi.org/10.2307/2334029>; normal posteriors updated game by game, as in M. E. Glickman, "Parameter
//! Estimation in Large Dynamic Paired Comparison Experiments", Applied Statistics 48(3), 1999,
//! <https://doi.org/10.1111/1467-9876.00159>, here by one step of an extended Kalman filter without correlations; a
//! leader and a challenger from the posterior, as in D. Russo, "Simple Bayesian Algorithms for Best Arm
//! Identification", COLT 2016, <https://proceedings.mlr.press/v49/russo16.html>; evidence of pairs as in
//! [RMED](super::rmed1), J. Komiyama et al., COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>.
//!
//! ## Notes
//!
//! * Why: rankers are nearly in order, and [Self-Sparring](super::self_sparring) compares each with whatever met it. Under a
//!   model an arm that beats weak ones gains little, all arms are measured on one scale, and an arm that none needs to
//!   measure is not played against another such arm.
//! * Preferences that no utilities explain are followed all the same: almost all duels are the leader's, so that u(leader) -
//!   u(i) becomes what duels of the two say, and where it does not, the guard forces duels and deposes.
//!   `docs/pages/bandits/overconfidence.md` has the measurements.
//! * Step 4: challengers become rare when the leader is very likely the best. Each then costs more than it is worth; the
//!   second opinion makes them rarer by up to 10 times, a constant in the end.
//! * The priors are 0.07 times 1, 2, 4, ... 32; those that explain the outcomes a thousand times worse than the best go, and
//!   after 64 duels per arm all but the heaviest. They are somewhat small for the utilities that they stand for: a posterior
//!   without correlations is too wide.
//! * `eta` above 1 takes each duel for several. It explores less, and follows wrong leaders for longer.
//! * Before the first outcome all m are 0: the leader of each step is any arm.
//! * Revision 1 had one prior, 0.2, no guard, and no step 4.

mod utilities;

use utilities::Utilities;

use super::guard::{DEFAULT_SHARE, Guard};
use crate::algorithm::papers;
use crate::random::{below, uniform};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

/// The priors that learn side by side.
pub(crate) const PRIORS: [f64; 6] = [0.07, 0.14, 0.28, 0.56, 1.12, 2.24];
/// Further draws; one of them must have a challenger, too.
pub(crate) const FURTHER_DRAWS: usize = 10;
/// The probability of a duel if none has.
pub(crate) const UNCONDITIONAL_DUEL_PROBABILITY: f64 = 0.1;

config! {
    /// Parameters.
    pub struct BradleyTerryConfig {
        /// The standard deviation of utilities before anything is known of them, positive; learned if `None`.
        prior: Option<f64> = None, "standard deviation of utilities at first, or auto: learned" [positive];
        /// How many duels each counts for, positive.
        eta: f64 = 1.0, "how many duels each counts for" [positive];
        /// The share of steps for duels that the guard forces, in (0, 1).
        guard: f64 = DEFAULT_SHARE, "share of steps for duels that a wrong model would not ask for" [probability];
    }

    policy BradleyTerry {
        name: "bradley-terry",
        summary: "Thompson sampling of utilities, leader against challenger (this project)",
        paper: papers::BRADLEY_TERRY_1952,
        revision: 2,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> BradleyTerry {
        BradleyTerry::new(self, arms)
    }

    takes_late!();
}

/// Thompson sampling under a Bradley-Terry model.
#[derive(Debug, Clone)]
pub struct BradleyTerry {
    utilities: Utilities,
    guard: Guard,
    /// From the first outcome on.
    leader: Option<Arm>,
}

state!(BradleyTerry { utilities, guard, leader });

impl BradleyTerry {
    fn new(config: &BradleyTerryConfig, arms: usize) -> Self {
        let priors = config.prior.map_or_else(|| PRIORS.to_vec(), |prior| vec![prior]);
        Self {
            utilities: Utilities::new(arms, &priors, config.eta),
            guard: Guard::new(arms, config.guard),
            leader: None,
        }
    }

    /// Whether `i` leads rather than `j`.
    #[inline]
    fn leads(&self, i: Arm, j: Arm) -> bool {
        let order = self.guard.losses(j).cmp(&self.guard.losses(i));
        order.then(self.utilities.mean(i).total_cmp(&self.utilities.mean(j))).is_gt()
    }

    fn find_leader(&self) -> Arm {
        let others = (1..self.arms()).map(Arm::at);
        others.fold(Arm(0), |best, arm| if self.leads(arm, best) { arm } else { best })
    }

    fn set_leader(&mut self, arm: Arm) {
        self.leader = Some(arm);
        self.guard.set_leader(arm);
    }

    /// Whether a challenger of one draw is worth a duel.
    #[inline]
    fn is_worth_it(&mut self, leader: Arm, prior: usize, generator: &mut Generator) -> bool {
        uniform(generator) < UNCONDITIONAL_DUEL_PROBABILITY
            || (0..FURTHER_DRAWS).any(|_| self.utilities.draw_largest(prior, generator) != leader)
    }
}

impl Policy for BradleyTerry {
    fn arms(&self) -> usize {
        self.guard.counts().arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let is_later = self.guard.advance(step);
        let leader = match self.leader {
            Some(leader) if !is_later => leader,
            Some(_) => self.find_leader(),
            None => Arm::at(below(generator, self.arms())),
        };
        self.guard.set_leader(leader);
        if self.leader.is_some() {
            self.leader = Some(leader);
        }
        if let Some(opponent) = self.guard.opponent(generator) {
            return Choice::Duel(leader, opponent);
        }
        let leader_alone = Choice::Alone { arm: leader, until: step };
        if self.guard.is_refuted() {
            return leader_alone;
        }
        let prior = self.utilities.draw_prior(generator);
        let challenger = self.utilities.draw_largest(prior, generator);
        if challenger == leader || self.guard.is_decided(challenger) || !self.is_worth_it(leader, prior, generator) {
            return leader_alone;
        }
        Choice::Duel(leader, challenger)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let other_means = self.utilities.learn(winner, loser);
        let other_losses = self.guard.record(winner, loser);
        let leader = match self.leader {
            Some(leader) if leader != loser && !other_means && !other_losses => {
                if self.leads(winner, leader) {
                    winner
                } else {
                    leader
                }
            }
            _ => self.find_leader(),
        };
        self.set_leader(leader);
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        if self.arms() == 1 { Some(Arm(0)) } else { self.leader }
    }

    stored!();
}

impl DelayedFeedback for BradleyTerry {
    fn depart(&mut self, arms: &[Arm]) {
        self.guard.depart(arms);
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.guard.arrive(arms);
        if let Some(feedback) = feedback {
            self.learn(step, feedback);
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.guard.counts().between(i.index(), j.index()))
    }
}
