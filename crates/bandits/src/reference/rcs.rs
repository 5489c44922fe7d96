//! RCS as printed: every preference drawn from its Beta distribution, at every step.

use super::upper;
use crate::counts::PairCounts;
use crate::policies::rcs::{RcsConfig, Variant};
use crate::random::argmax;
use crate::random::preference;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// RCS as printed.
#[derive(Debug, Clone)]
pub struct ReferenceRcs {
    config: RcsConfig,
    wins: PairCounts,
    /// Lerot counts an arm's duels with itself, starting from one.
    own: Vec<u32>,
    champion: Vec<u64>,
}

impl ReferenceRcs {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &RcsConfig, arms: usize) -> Self {
        Self { config: config.clone(), wins: PairCounts::new(arms, 0), own: vec![1; arms], champion: vec![0; arms] }
    }

    fn tournament(&self, generator: &mut Generator) -> Option<usize> {
        let arms = self.wins.arms();
        let mut beaten = vec![0; arms];
        for i in 0..arms {
            for j in i + 1..arms {
                let (won, lost) = (self.wins[(i, j)], self.wins[(j, i)]);
                let theta = preference(generator, won, lost);
                beaten[if theta >= 0.5 { i } else { j }] += 1;
            }
        }
        (0..arms).find(|&arm| beaten[arm] == arms - 1)
    }

    fn upper(&self, j: usize, champion: usize, time: f64) -> f64 {
        let lerot = self.config.variant == Variant::Lerot;
        if !lerot {
            return upper(&self.wins, j, champion, time, 2.0);
        }
        if j == champion {
            return 0.5 + (time / (2.0 * f64::from(self.own[j]))).sqrt();
        }
        let (won, lost) = (f64::from(self.wins[(j, champion)]) + 1.0, f64::from(self.wins[(champion, j)]) + 1.0);
        won / (won + lost) + (time / (won + lost)).sqrt()
    }
}

impl Policy for ReferenceRcs {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let lerot = self.config.variant == Variant::Lerot;
        let winner = self.tournament(generator);
        let least = self.champion.iter().map(|&count| -(count as f64));
        let champion = winner.unwrap_or_else(|| argmax(generator, least).unwrap_or(0));
        if !lerot || winner.is_none() {
            self.champion[champion] += 1;
        }
        let time = self.config.alpha * libm::log(step as f64);
        let bounds = (0..self.wins.arms()).map(|j| self.upper(j, champion, time));
        let challenger = argmax(generator, bounds).unwrap_or(champion);
        if champion == challenger && !lerot {
            return Choice::Alone { arm: Arm::at(champion), until: step };
        }
        Choice::Duel(Arm::at(champion), Arm::at(challenger))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            if winner == loser {
                self.own[winner.index()] += 1;
            } else {
                self.wins.record(winner.index(), loser.index());
            }
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
