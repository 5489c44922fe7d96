//! Bandits of single arms ("singleton bandit machines"), which some dueling bandits are made of:
//! each picks one arm and hears whether that arm won.

mod exp3;
mod thompson;
mod ucb;

pub use exp3::{Exp3, Rate};
pub use thompson::Thompson;
pub use ucb::Ucb;

pub(crate) use exp3::{ExpWeights, tuned};

use crate::Generator;

/// A bandit of single arms.
pub trait SingletonBandit {
    /// How many arms it picks from.
    fn arms(&self) -> usize;

    /// Picks an arm.
    fn pick(&mut self, generator: &mut Generator) -> usize;

    /// Learns whether the arm that it picked last, `arm`, won.
    fn learn(&mut self, arm: usize, won: bool);

    /// How much it has come to favour an arm, from 0: the arm it would report is the one that it
    /// favours most. 0 for all arms before it has learnt anything.
    fn score(&self, arm: usize) -> f64;
}
