//! An arena with duels decided by the caller's code, e.g. a class written in Python.

use std::fmt;
use std::sync::Arc;

use bandits::{Arena, Arm, Generator, PairWins, Preference};
use rand::Rng as _;

use super::played_arena;

/// Decides the duels of one run.
pub trait OutsideDuels: Send + Sync {
    /// The outcome of a duel of two different arms.
    fn duel(&mut self, first: Arm, second: Arm) -> Preference;
}

/// Makes the [`OutsideDuels`] of each run.
pub trait OutsideDuelsFactory: fmt::Debug + Send + Sync {
    /// The decider of the duels of a run with this seed.
    fn start(&self, seed: u64) -> Box<dyn OutsideDuels>;
}

/// An arena over [`OutsideDuelsFactory`]. The first duel of a run starts its [`OutsideDuels`], with a seed of that run.
pub struct OutsideArena {
    outside: Arc<dyn OutsideDuelsFactory>,
    gaps: Arc<[f64]>,
    started: Option<Box<dyn OutsideDuels>>,
}

impl OutsideArena {
    /// An arena with one gap per arm: zeros if they are unknown.
    #[must_use]
    pub fn new(outside: Arc<dyn OutsideDuelsFactory>, gaps: Vec<f64>) -> Self {
        Self { outside, gaps: gaps.into(), started: None }
    }
}

impl Clone for OutsideArena {
    /// For another run: its duels start again.
    fn clone(&self) -> Self {
        Self { outside: Arc::clone(&self.outside), gaps: Arc::clone(&self.gaps), started: None }
    }
}

impl Arena for OutsideArena {
    fn arms(&self) -> usize {
        self.gaps.len()
    }

    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        self.started.get_or_insert_with(|| self.outside.start(generator.next_u64())).duel(first, second)
    }

    /// Every pair of the set meets once.
    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        wins.reset(arms.len());
        for i in 0..arms.len() {
            for j in i + 1..arms.len() {
                wins.set(i, j, self.duel(arms[i], arms[j], generator));
            }
        }
    }

    fn gaps(&self) -> &[f64] {
        &self.gaps
    }
}

played_arena!(OutsideArena, play_boxed);
