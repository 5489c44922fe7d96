//! RMED1 as printed, every divergence recomputed at every step.

use crate::counts::PairCounts;
use crate::policies::rmed::divergences::{divergence, pass_allowance};
use crate::policies::rmed1::Rmed1Config;
use crate::random::argmax;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// RMED1 as printed.
#[derive(Debug, Clone)]
pub struct ReferenceRmed1 {
    bonus: f64,
    wins: PairCounts,
    opening: Vec<(usize, usize)>,
    /// L_C from here on, and L_N.
    current: Vec<usize>,
    next: Vec<usize>,
}

impl ReferenceRmed1 {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &Rmed1Config, arms: usize) -> Self {
        let mut opening: Vec<(usize, usize)> = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j))).collect();
        opening.reverse();
        Self {
            bonus: config.factor * libm::pow(arms as f64, config.power),
            wins: PairCounts::new(arms, 0),
            opening,
            current: (0..arms).rev().collect(),
            next: Vec::new(),
        }
    }

    fn opponents_not_beaten(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.wins.arms()).filter(move |&j| j != i && f64::from(self.wins[(i, j)]) <= f64::from(self.wins[(j, i)]))
    }

    fn divergences(&self) -> Vec<i64> {
        (0..self.wins.arms())
            .map(|i| self.opponents_not_beaten(i).map(|j| divergence(self.wins[(i, j)], self.wins[(j, i)])).sum())
            .collect()
    }

    fn admit(&mut self, step: u64) {
        let sums = self.divergences();
        let least = sums.iter().copied().min().unwrap_or(0);
        for (arm, sum) in sums.iter().enumerate() {
            let listed = self.current.contains(&arm) || self.next.contains(&arm);
            if !listed && sum - least <= pass_allowance(libm::log(step as f64), self.bonus) {
                self.next.push(arm);
            }
        }
    }
}

impl Policy for ReferenceRmed1 {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if let Some(&(first, second)) = self.opening.last() {
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if self.current.is_empty() {
            self.current = std::mem::take(&mut self.next);
            self.current.sort_unstable_by_key(|&arm| std::cmp::Reverse(arm));
        }
        let arm = self.current.pop().unwrap_or(0);
        let sums = self.divergences();
        let leader = (0..sums.len()).min_by_key(|&i| (sums[i], i)).unwrap_or(0);
        let behind: Vec<usize> = self.opponents_not_beaten(arm).collect();
        let opponent = if behind.is_empty() || behind.contains(&leader) {
            leader
        } else {
            let others = (0..sums.len()).map(|j| if j == arm { f64::NEG_INFINITY } else { -self.wins.mean(arm, j) });
            argmax(generator, others).unwrap_or(leader)
        };
        if arm == opponent {
            self.admit(step);
            return Choice::Alone { arm: Arm::at(arm), until: step };
        }
        Choice::Duel(Arm::at(arm), Arm::at(opponent))
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
            if self.opening.pop().is_none() {
                self.admit(step);
            }
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
