//! The least work of a step of a sampling policy: the draws that its rule makes, and the wins of a set.

use std::hint::black_box;

use bandits::singleton::{SingletonBandit as _, Thompson};
use bandits::{Arena as _, Arm, Generator, MatrixArena, PairWins};
use rand::{Rng as _, SeedableRng as _};

use super::near_ties;
use crate::bench::measure::nanoseconds;

/// The draws of each kind per step, as a function of the number of arms, while no arm is eliminated.
pub(super) struct Needs {
    /// Decisions whether a preference is above 1/2: coins of known bias.
    coins: fn(usize) -> usize,
    /// Sampled preferences: Beta draws, on average.
    betas: fn(usize) -> f64,
    /// Whether every pair of a set is decided by the arena.
    wins: bool,
}

impl Needs {
    pub(super) fn of(name: &str) -> Option<Self> {
        let pairs: fn(usize) -> usize = |arms| arms * (arms - 1) / 2;
        let none: fn(usize) -> usize = |_| 0;
        let others: fn(usize) -> f64 = |arms| (arms - 1) as f64;
        Some(match name {
            // A tournament of all pairs, then every arm's sampled preference over the tournament's winner.
            "dts" | "rts" => Self { coins: pairs, betas: others, wins: false },
            // In addition, where several arms win the most duels, the preferences of each over the others.
            "dts-plus" => {
                Self { coins: pairs, betas: |arms| (arms - 1) as f64 + pairs_of_tied_winners(arms), wins: false }
            }
            // The same in a batch of four, where both sides of a pair are drawn.
            "mergedts" => Self { coins: |_| 12, betas: |_| 3.0, wins: false },
            "self-sparring" | "sparring-ts" => Self { coins: none, betas: |arms| (2 * arms) as f64, wins: false },
            "mdb" => Self { coins: none, betas: |_| 0.0, wins: true },
            _ => return None,
        })
    }

    /// The cost of these draws on this machine.
    pub(super) fn nanoseconds(&self, arms: usize) -> f64 {
        let mut spent = 0.0;
        let (coins, betas) = ((self.coins)(arms), (self.betas)(arms));
        if coins > 0 {
            spent += coins as f64 * coin();
        }
        if betas > 0.0 {
            spent += betas * beta();
        }
        if self.wins {
            spent += contest(arms);
        }
        spent
    }
}

/// The mean number of pairs of a tied winner and an arm that is none, in a tournament of fair coins: 0 where there is
/// only one winner.
fn pairs_of_tied_winners(arms: usize) -> f64 {
    let mut generator = Generator::seed_from_u64(1);
    let tournaments = 200;
    let mut pairs = 0;
    for _ in 0..tournaments {
        let mut won = vec![0; arms];
        for i in 0..arms {
            for j in i + 1..arms {
                won[if generator.next_u32() < 1 << 31 { i } else { j }] += 1;
            }
        }
        let top = won.iter().max();
        let tied = won.iter().filter(|&count| Some(count) == top).count();
        pairs += if tied > 1 { tied * (arms - tied) } else { 0 };
    }
    pairs as f64 / f64::from(tournaments)
}

/// One coin of known bias: 32 bits against a threshold.
fn coin() -> f64 {
    let thresholds: Vec<u32> = (0..4096_u32).map(|place| (1 << 31) + (place << 12)).collect();
    let mut generator = Generator::seed_from_u64(1);
    nanoseconds(thresholds.len(), || {
        let heads = thresholds.iter().filter(|&&threshold| generator.next_u32() < threshold).count();
        black_box(heads);
    })
}

/// One Beta draw.
fn beta() -> f64 {
    let arms = 64;
    let mut thompson = Thompson::new(arms);
    for duel in 0..20 * arms {
        thompson.learn(duel % arms, duel % 3 == 0);
    }
    let mut generator = Generator::seed_from_u64(1);
    let picks = 20;
    nanoseconds(picks * arms, || {
        for _ in 0..picks {
            black_box(thompson.pick(&mut generator));
        }
    })
}

/// All pairs of a set of all arms.
fn contest(arms: usize) -> f64 {
    let mut arena = MatrixArena::new(near_ties(arms)).expect("arm 0 wins");
    let set: Vec<Arm> = (0..arms).map(Arm::at).collect();
    let mut wins = PairWins::default();
    let mut generator = Generator::seed_from_u64(1);
    nanoseconds(1, || {
        arena.multi_duel(&set, &mut generator, &mut wins);
        black_box(wins.beats(0, arms - 1));
    })
}
