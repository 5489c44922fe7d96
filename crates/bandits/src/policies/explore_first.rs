//! Explore first: every pair meets equally often, then the arm that beat the most others plays alone.
//!
//! 1. All pairs meet in turn, `rounds` times each;
//! 2. the Copeland winner of these duels, ties at random, plays alone for ever.
//!
//! ## References
//!
//! The dueling form of explore-then-commit, H. Robbins, "Some Aspects of the Sequential Design of Experiments", Bulletin of
//! the American Mathematical Society 58(5), 1952, <https://doi.org/10.1090/S0002-9904-1952-09620-8>.
//!
//! ## Notes
//!
//! * An example of a registered algorithm: it is compiled in tests only, which check the instructions for such algorithms.

use crate::counts::PairCounts;
use crate::{Arm, DuelPolicy, Generator, config, state, stored};

config! {
    /// The parameters of explore first.
    pub struct ExploreFirstConfig {
        /// How often each pair meets.
        rounds: usize = 2_000, "how often each pair meets";
    }

    policy ExploreFirst {
        name: "explore-first",
        summary: "every pair a number of times, then the Copeland winner alone",
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ExploreFirst {
        ExploreFirst::new(self, arms)
    }
}

/// Explore first.
#[derive(Debug, Clone)]
pub struct ExploreFirst {
    rounds: usize,
    pairs: Vec<(Arm, Arm)>,
    wins: PairCounts,
}

// Snapshots keep the wins; the configuration gives the rest.
state!(ExploreFirst { wins } but { rounds, pairs });

impl ExploreFirst {
    fn new(config: &ExploreFirstConfig, arms: usize) -> Self {
        let mut pairs = Vec::with_capacity(arms * (arms - 1) / 2);
        pairs.extend((1..arms).flat_map(|i| (0..i).map(move |j| (Arm::at(i), Arm::at(j)))));
        Self { rounds: config.rounds, pairs, wins: PairCounts::new(arms, 0) }
    }
}

impl DuelPolicy for ExploreFirst {
    fn arm_count(&self) -> usize {
        self.wins.arms()
    }

    fn pair(&mut self, step: u64, generator: &mut Generator) -> (Arm, Arm) {
        let turn = (step - 1) as usize;
        if turn / self.pairs.len() < self.rounds {
            return self.pairs[turn % self.pairs.len()];
        }
        let best = self.best(generator).unwrap_or(Arm(0));
        (best, best)
    }

    fn alone_until(&self, _step: u64) -> u64 {
        u64::MAX
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        self.wins.record(winner.index(), loser.index());
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        self.wins.copeland_best(generator)
    }

    stored!();
}
