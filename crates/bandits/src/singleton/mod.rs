//! Bandits of single arms ("singleton bandit machines"), which some dueling bandits are made of: each picks one arm
//! and learns whether that arm won. The dueling bandits themselves are in `policies::reductions`.

mod exp3;
mod exp3s;
mod thompson;
mod tsallis;
mod ucb;

pub use exp3::{Exp3, Rate};
pub use exp3s::Exp3S;
pub use thompson::Thompson;
pub use tsallis::{Estimator, TsallisInf};
pub use ucb::Ucb;

pub(crate) use exp3::{ExpWeights, tuned_rate};

use crate::random::best_arm;
use crate::state::{StateError, StateReader, StateWriter};
use crate::{Arm, Generator};

/// A bandit of single arms.
pub trait SingletonBandit {
    /// How many arms it picks from.
    fn arms(&self) -> usize;

    /// Picks an arm.
    fn pick(&mut self, generator: &mut Generator) -> usize;

    /// Learns whether the arm that it picked last, `arm`, won.
    fn learn(&mut self, arm: usize, won: bool);

    /// The score of an arm, at least 0: the arm it would recommend has the highest score. 0 for all arms
    /// before it has learnt anything.
    fn score(&self, arm: usize) -> f64;

    /// Like [`Policy::save`](crate::Policy::save).
    fn save(&self, to: &mut StateWriter) -> bool {
        let _ = to;
        false
    }

    /// Like [`Policy::load`](crate::Policy::load).
    ///
    /// # Errors
    /// Those of `Policy::load`.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let _ = from;
        Err(StateError::NotStored)
    }
}

/// The arm with the highest `score`, ties at random; `None` where all are equal (but a lone arm
/// is the best there is).
pub(crate) fn highest_score(
    arms: usize,
    score: impl Fn(usize) -> f64 + Clone,
    generator: &mut Generator,
) -> Option<Arm> {
    if arms > 1 && (0..arms).all(|arm| score(arm) == score(0)) {
        return None;
    }
    best_arm(generator, (0..arms).map(score))
}
