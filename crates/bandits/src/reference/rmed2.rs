//! RMED2 and RMED2FH as printed, every divergence recomputed at every step.

use crate::counts::PairCounts;
use crate::policies::rmed::divergences::{divergence, pass_allowance};
use crate::policies::rmed2::{ReferenceRule, RmedRule};
use crate::random::argmax;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// RMED2 as printed, or RMED2FH where a horizon is given.
#[derive(Debug, Clone)]
pub struct ReferenceRmed2 {
    rule: RmedRule,
    horizon: Option<u64>,
    wins: PairCounts,
    /// The pairs of the opening that have not met, the next pair last; none by Komiyama's rule.
    opening: Vec<(usize, usize)>,
    /// The arms of L_C that have not played, the next one last; and L_N.
    current: Vec<usize>,
    next: Vec<usize>,
    fresh: bool,
    fixed: Option<Vec<usize>>,
    in_pass: bool,
}

impl ReferenceRmed2 {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(rule: ReferenceRule, arms: usize, horizon: Option<u64>) -> Self {
        let rule = rule.0;
        let sweeps = match horizon {
            _ if rule.komiyama => 0,
            Some(horizon) => rule.meetings(horizon),
            None => 1,
        };
        let sweep = || (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j)));
        let mut opening: Vec<(usize, usize)> = (0..sweeps).flat_map(|_| sweep()).collect();
        opening.reverse();
        Self {
            rule,
            horizon,
            wins: PairCounts::new(arms, 0),
            opening,
            current: (0..arms).rev().collect(),
            next: Vec::new(),
            fresh: true,
            fixed: None,
            in_pass: false,
        }
    }

    fn met(&self, i: usize, j: usize) -> f64 {
        f64::from(self.wins[(i, j)]) + f64::from(self.wins[(j, i)])
    }

    fn mean(&self, i: usize, j: usize) -> f64 {
        if i == j || self.met(i, j) == 0.0 { 0.5 } else { self.wins.mean(i, j) }
    }

    fn opponents_not_beaten(&self, i: usize) -> Vec<usize> {
        (0..self.wins.arms())
            .filter(|&j| j != i && f64::from(self.wins[(i, j)]) <= f64::from(self.wins[(j, i)]))
            .collect()
    }

    /// n kl, in the units that the fast form sums in.
    fn term(&self, i: usize, j: usize) -> i64 {
        if self.met(i, j) == 0.0 { 0 } else { divergence(self.wins[(i, j)], self.wins[(j, i)]) }
    }

    fn divergences(&self) -> Vec<i64> {
        (0..self.wins.arms()).map(|i| self.opponents_not_beaten(i).into_iter().map(|j| self.term(i, j)).sum()).collect()
    }

    fn cheapest(&self, leader: usize, l: usize) -> usize {
        let mut best = (f64::INFINITY, leader);
        for j in (0..self.wins.arms()).filter(|&j| self.mean(l, j) < 0.5) {
            let cost = self.mean(leader, l) + self.mean(leader, j) - 1.0;
            // 1 / kl as the fast form has it, so that exact ties are ties in both.
            let per_kl = self.met(l, j) / self.term(l, j).max(1) as f64;
            let weighted_cost = cost.max(self.rule.least_cost()) * per_kl;
            if weighted_cost < best.0 {
                best = (weighted_cost, j);
            }
        }
        best.1
    }

    fn extend_next_pass(&mut self, step: u64) {
        let sums = self.divergences();
        let least = sums.iter().copied().min().unwrap_or(0);
        let bonus = self.rule.bonus;
        for (arm, sum) in sums.iter().enumerate() {
            let listed = self.current.contains(&arm) || self.next.contains(&arm);
            if !listed && sum - least <= pass_allowance(libm::log(step as f64), bonus) {
                self.next.push(arm);
            }
        }
    }
}

impl Policy for ReferenceRmed2 {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        self.in_pass = false;
        if let Some((first, second)) = self.opening.pop() {
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if self.fresh || self.current.is_empty() || self.rule.komiyama {
            let min_meetings = f64::from(self.rule.meetings(self.horizon.unwrap_or(step)));
            for i in 0..arms {
                for j in i + 1..arms {
                    if self.met(i, j) < min_meetings {
                        return Choice::Duel(Arm::at(i), Arm::at(j));
                    }
                }
            }
        }
        self.fresh = false;
        self.in_pass = true;
        if self.current.is_empty() {
            self.current = std::mem::take(&mut self.next);
            self.current.sort_unstable_by_key(|&arm| std::cmp::Reverse(arm));
        }
        let sums = self.divergences();
        let leader = (0..arms).min_by_key(|&i| (sums[i], i)).unwrap_or(0);
        if self.horizon.is_some() && self.fixed.is_none() {
            self.fixed = Some((0..arms).map(|l| self.cheapest(leader, l)).collect());
        }
        let arm = self.current.pop().unwrap_or(0);
        let cheapest = match &self.fixed {
            Some(fixed) => fixed[arm],
            None => self.cheapest(leader, arm),
        };
        let behind = self.opponents_not_beaten(arm);
        let by_rmed1 = |generator: &mut Generator| {
            if behind.is_empty() || behind.contains(&leader) {
                return leader;
            }
            let others = (0..arms).map(|j| if j == arm { f64::NEG_INFINITY } else { -self.mean(arm, j) });
            argmax(generator, others).unwrap_or(leader)
        };
        let opponent = if self.rule.komiyama {
            let few = self.met(arm, leader) <= self.met(arm, cheapest) / self.rule.log_log(step);
            if behind.contains(&leader) && few {
                leader
            } else if behind.contains(&cheapest) {
                cheapest
            } else {
                by_rmed1(generator)
            }
        } else {
            let log_log = self.rule.log_log(self.horizon.unwrap_or(step));
            let enough = self.met(arm, leader) >= self.met(arm, cheapest) / log_log;
            if behind.contains(&cheapest) && enough { cheapest } else { by_rmed1(generator) }
        };
        if arm == opponent {
            self.extend_next_pass(step);
            return Choice::Alone { arm: Arm::at(arm), until: step };
        }
        Choice::Duel(Arm::at(arm), Arm::at(opponent))
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
            if self.in_pass {
                self.extend_next_pass(step);
            }
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
