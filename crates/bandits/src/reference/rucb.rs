//! RUCB as printed, O(K^2) a step.

use super::upper;
use crate::counts::PairCounts;
use crate::policies::rucb::{RucbConfig, Variant};
use crate::random::{argmax, below, coin};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// RUCB as printed.
#[derive(Debug, Clone)]
pub struct ReferenceRucb {
    config: RucbConfig,
    wins: PairCounts,
    favourite: Option<usize>,
}

impl ReferenceRucb {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &RucbConfig, arms: usize) -> Self {
        let prior = u32::from(config.variant == Variant::Lerot);
        Self { config: config.clone(), wins: PairCounts::new(arms, prior), favourite: None }
    }
}

impl Policy for ReferenceRucb {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        let time = self.config.alpha * libm::log(step as f64);
        let u = |i: usize, j: usize| upper(&self.wins, i, j, time, self.config.unseen);
        let candidates: Vec<usize> = (0..arms).filter(|&c| (0..arms).all(|j| u(c, j) >= 0.5)).collect();

        let favourite = self.favourite.filter(|favourite| candidates.contains(favourite));
        let (champion, favourite) = match (candidates.as_slice(), self.config.variant) {
            ([], _) => (below(generator, arms), None),
            (&[lone], Variant::Icml) => (lone, Some(lone)),
            (_, Variant::Icml) if favourite.is_some_and(|_| coin(generator)) => (favourite.unwrap_or(0), favourite),
            (_, Variant::Icml) => {
                let others: Vec<usize> = candidates.iter().copied().filter(|&c| Some(c) != favourite).collect();
                (others[below(generator, others.len())], favourite)
            }
            _ => (candidates[below(generator, candidates.len())], None),
        };
        self.favourite = favourite;

        let bounds: Vec<f64> = (0..arms).map(|j| u(j, champion)).collect();
        let top = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let tied = bounds.iter().filter(|&&bound| bound == top).count() > 1;
        let barred = tied && self.config.variant != Variant::Lerot;
        let open = (0..arms).map(|j| if barred && j == champion { -1.0 } else { bounds[j] });
        let challenger = argmax(generator, open).unwrap_or(champion);
        if challenger == champion {
            return Choice::Alone { arm: Arm::at(champion), until: step };
        }
        Choice::Duel(Arm::at(champion), Arm::at(challenger))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
