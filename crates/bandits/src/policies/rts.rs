//! Relative Thompson sampling (RTS): the winner of a tournament drawn from the posterior of every pair
//! meets the arm that looks best against it in a second draw.
//!
//! At each step:
//!
//! 1. theta(i, j) is drawn from Beta(w(i, j) + 1, w(j, i) + 1) for i < j, theta(j, i) = 1 -
//!    theta(i, j); the champion is the arm c with theta(c, j) > 1/2 for the greatest number of arms j,
//!    ties at random;
//! 2. theta'(j, c) is drawn again, theta'(c, c) = 1/2; the challenger is the arm with the largest;
//! 3. the two meet.
//!
//! ## References
//!
//! There is no paper on it. This is the rule of the relative Thompson sampler that the Lerot framework
//! (A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke, LivingLab 2013,
//! <https://doi.org/10.1145/2513150.2513162>) contains, in its forks and in the code of
//! C. Li et al., ACM TOIS 38(4), 2020, <https://doi.org/10.1145/3411753>. It is D-TS (H. Wu, X. Liu,
//! NIPS 2016, <https://doi.org/10.48550/arXiv.1604.07101>) without its bounds, and the tournament is
//! that of RCS (M. Zoghi et al., WSDM 2014, <https://doi.org/10.1145/2556195.2556256>) with the most
//! wins instead of all.
//!
//! ## Notes
//!
//! * Lerot counts from one win either way and draws from Beta(w, l): the same distribution. Its stock of a
//!   hundred samples a pair is drawn again when the pair meets, which changes the distribution in one respect: a
//!   duel of an arm with itself draws samples for the diagonal, too, and until the whole stock is renewed
//!   the arm then wins one duel more of each tournament, against itself. Not followed: at most it decides
//!   between an arm and those that beat as many others, or one more.
//! * An older version of it counts a prior of two wins either way and takes the arms with the two most
//!   wins; that one is not here.
//! * Its regret may grow without bound: a champion gathers certain wins over all its opponents, and may so
//!   win more duels of each tournament than the best arm, which beats it but is not certain of other
//!   pairs. The two then meet at nearly every step, as in runs on the matrices of MSLR-WEB30K. D-TS's
//!   bounds, which exclude an arm that has certainly lost from the tournament, prevent that.
//! * `thompson` describes how the draws and the stretches alone are cut short. Probabilities below 1e-25 count as
//!   0.

use crate::algorithm::papers;
use crate::thompson::{Field, Posterior, ThompsonRule, ThompsonSampling, Ties};
use crate::{Arm, config, state, takes_late};

config! {
    /// RTS: no parameters.
    pub struct RtsConfig {}

    policy ThompsonSampling<Rts> {
        name: "rts",
        summary: "relative Thompson sampling (Lerot): a sampled champion and a sampled challenger",
        paper: papers::SCHUTH_LIVINGLAB_2013,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ThompsonSampling<Rts> {
        ThompsonSampling::new(arms, Ties::Random, Rts { everyone: (0..arms).map(Arm::at).collect() })
    }

    takes_late!();
}

/// RTS.
#[derive(Debug, Clone)]
pub struct Rts {
    everyone: Vec<Arm>,
}

state!(Rts {} but { everyone });

impl ThompsonRule for Rts {
    fn field(&mut self, _step: u64, _posterior: &mut Posterior) -> Field<'_> {
        Field { first: &self.everyone, against: None, soonest: (f64::INFINITY, 1.0), remembered: u64::MAX }
    }

    fn record(&mut self, _step: u64, winner: Arm, loser: Arm, posterior: &mut Posterior) {
        posterior.record(winner, loser);
    }
}
