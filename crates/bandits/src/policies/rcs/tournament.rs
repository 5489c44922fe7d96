//! Who would win a tournament in which every pair's preference is drawn from what is known of it.
//!
//! Arm i beats everyone with probability pi(i), the product over j of its odds against j, and no two
//! arms can at once: the champion is one draw over the arms and nobody. One duel changes one factor
//! of two products.

use crate::beta::uniform;
use crate::odds::Odds;
use crate::{Arm, Generator};

/// Arms no likelier than e to this to beat everyone, about 1e-25, never do.
const IMPOSSIBLE: f64 = -57.5;
/// A product is multiplied out again after so many changes, as rounding adds up.
const CHANGES: u8 = 64;

/// Each arm's chance to beat everyone.
#[derive(Debug, Clone)]
pub(super) struct Tournament {
    arms: usize,
    wins: Vec<u32>,
    /// Of each pair i < j, at `i * arms + j`.
    odds: Vec<Odds>,
    /// ln of the odds of i against j, at `i * arms + j`; 0 where there are none, and on the diagonal.
    logs: Vec<f64>,
    /// The sum of each row of `logs`, how often it has changed since it was added up, and how many
    /// of the row's odds are 0.
    sums: Vec<f64>,
    changes: Vec<u8>,
    hopeless: Vec<u32>,
    /// The arms that can beat everyone, in order, with the probability that they do.
    contenders: Vec<(Arm, f64)>,
}

impl Tournament {
    pub(super) fn new(arms: usize) -> Self {
        let mut logs = vec![-std::f64::consts::LN_2; arms * arms];
        for arm in 0..arms {
            logs[arm * arms + arm] = 0.0;
        }
        let mut tournament = Self {
            arms,
            wins: vec![0; arms * arms],
            odds: vec![Odds::EVEN; arms * arms],
            logs,
            sums: vec![0.0; arms],
            changes: vec![0; arms],
            hopeless: vec![0; arms],
            contenders: Vec::with_capacity(arms),
        };
        for arm in 0..arms {
            tournament.add_up(arm);
            tournament.rate(arm);
        }
        tournament
    }

    /// How often each arm beat each other, `i * arms + j`.
    pub(super) fn wins(&self) -> &[u32] {
        &self.wins
    }

    /// Draws who beats everyone, if anyone does, given that it is not `barred`.
    #[inline]
    pub(super) fn champion(&self, barred: Option<Arm>, generator: &mut Generator) -> Option<Arm> {
        let mut left = match barred {
            _ if self.contenders.is_empty() => return None,
            None => uniform(generator),
            Some(arm) => uniform(generator) * -libm::expm1(self.sums[arm.index()]),
        };
        for &(arm, chance) in &self.contenders {
            if Some(arm) != barred {
                if left < chance {
                    return Some(arm);
                }
                left -= chance;
            }
        }
        None
    }

    /// How many tournaments in a row `arm` wins, given that it won the first.
    #[inline]
    pub(super) fn reign(&self, arm: Arm, generator: &mut Generator) -> u64 {
        let log = self.sums[arm.index()];
        if log == 0.0 {
            return u64::MAX;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 1, and the cast saturates"
        )]
        {
            (1.0 + (libm::log(uniform(generator)) / log).floor()) as u64
        }
    }

    /// Takes in a duel; says how often the winner beat the loser, and the other way.
    #[inline]
    pub(super) fn record(&mut self, winner: Arm, loser: Arm) -> (u32, u32) {
        let (winner, loser) = (winner.index(), loser.index());
        let (forth, back) = (winner * self.arms + loser, loser * self.arms + winner);
        self.wins[forth] += 1;
        let (won, lost) = (self.wins[forth], self.wins[back]);
        let odds = &mut self.odds[forth.min(back)];
        let before = odds.behind();
        odds.win(won, lost);
        let behind = odds.behind();
        let (low, high) = (libm::log(behind), libm::log1p(-behind));
        let (weaker, stronger) = if won < lost { (forth, back) } else { (back, forth) };
        // Whoever was behind before: the loser if it is not ahead now, and by one at most if so.
        let was_weaker = if won <= lost { forth } else { back };
        if before == 0.0 {
            self.hopeless[was_weaker / self.arms] -= 1;
        }
        if behind == 0.0 {
            self.hopeless[weaker / self.arms] += 1;
        }
        self.change(weaker, if behind == 0.0 { 0.0 } else { low });
        self.change(stronger, high);
        self.rate(winner);
        self.rate(loser);
        (won, lost)
    }

    #[inline]
    fn change(&mut self, at: usize, log: f64) {
        let row = at / self.arms;
        self.sums[row] += log - self.logs[at];
        self.logs[at] = log;
        self.changes[row] += 1;
        if self.changes[row] == CHANGES {
            self.add_up(row);
        }
    }

    #[cold]
    fn add_up(&mut self, arm: usize) {
        self.changes[arm] = 0;
        self.sums[arm] = self.logs[arm * self.arms..(arm + 1) * self.arms].iter().sum();
    }

    /// Works out an arm's chance to beat everyone.
    #[inline]
    fn rate(&mut self, arm: usize) {
        // Rounding must not make it more than certain.
        self.sums[arm] = self.sums[arm].min(0.0);
        let sum = self.sums[arm];
        let possible = self.hopeless[arm] == 0 && sum > IMPOSSIBLE;
        let arm = Arm::at(arm);
        let place = self.contenders.partition_point(|&(other, _)| other < arm);
        let known = self.contenders.get(place).is_some_and(|&(other, _)| other == arm);
        match (known, possible) {
            (true, true) => self.contenders[place].1 = libm::exp(sum),
            (false, true) => self.contenders.insert(place, (arm, libm::exp(sum))),
            (true, false) => {
                self.contenders.remove(place);
            }
            (false, false) => {}
        }
    }
}
