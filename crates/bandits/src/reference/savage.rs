//! SAVAGE as printed: every pair is checked at every step.

use crate::counts::PairCounts;
use crate::policies::savage::{SavageConfig, Variant};
use crate::random::{argmax, below};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// SAVAGE as printed.
#[derive(Debug, Clone)]
pub struct ReferenceSavage {
    lerot: bool,
    log_term: f64,
    wins: PairCounts,
    left: Vec<usize>,
    winner: Option<usize>,
}

impl ReferenceSavage {
    /// For valid parameters, at least one arm and a horizon.
    #[must_use]
    pub fn new(config: &SavageConfig, arms: usize, horizon: u64) -> Self {
        let lerot = config.variant == Variant::Lerot;
        Self {
            lerot,
            log_term: config.log_term(arms, horizon),
            wins: PairCounts::new(arms, u32::from(lerot)),
            left: (0..arms).collect(),
            winner: None,
        }
    }

    fn has_lost(&self, i: usize) -> bool {
        (0..self.wins.arms()).filter(|&j| j != i).any(|j| {
            let count = f64::from(self.wins[(i, j)]) + f64::from(self.wins[(j, i)]);
            count > 0.0 && self.wins.mean(i, j) + (self.log_term / (2.0 * count)).sqrt() < 0.5
        })
    }
}

impl Policy for ReferenceSavage {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        if let [last] = self.left[..] {
            let arms_beaten_by_each = (0..arms).map(|i| {
                let arms_beaten = (0..arms).filter(|&j| f64::from(self.wins[(i, j)]) > f64::from(self.wins[(j, i)]));
                arms_beaten.count()
            });
            let winner = match self.winner {
                Some(winner) => winner,
                None if self.lerot && arms > 1 => argmax(generator, arms_beaten_by_each).unwrap_or(last),
                None => last,
            };
            self.winner = Some(winner);
            return Choice::Alone { arm: Arm::at(winner), until: step };
        }
        let pairs = || {
            let pairs = self.left.iter().enumerate();
            pairs.flat_map(|(place, &i)| self.left[place + 1..].iter().map(move |&j| (i, j)))
        };
        let count = |(i, j): (usize, usize)| self.wins[(i, j)] + self.wins[(j, i)];
        let least = pairs().map(count).min().unwrap_or(0);
        let rare: Vec<_> = pairs().filter(|&pair| count(pair) == least).collect();
        let (first, second) = rare[below(generator, rare.len())];
        Choice::Duel(Arm::at(first), Arm::at(second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
            let left = std::mem::take(&mut self.left);
            self.left = left.into_iter().filter(|&i| !self.has_lost(i)).collect();
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
