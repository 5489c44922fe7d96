//! Who would win a tournament in which every pair's preference is drawn from what is known of it.
//!
//! Arm i beats everyone with probability pi(i), the product over j of its odds against j, and no two
//! arms can at once: the champion is one draw over the arms and nobody. One duel changes one factor
//! of two products.

use crate::random::{geometric, uniform};
use crate::thompson::WinProbability;
use crate::{Arm, Generator};

/// Arms less likely than this to beat everyone never do.
const IMPOSSIBLE: f64 = 1e-25;
/// A product is multiplied out again after so many changes, as rounding adds up.
const CHANGES: u8 = 64;

/// Each arm's chance to beat everyone.
#[derive(Debug, Clone)]
pub(super) struct Tournament {
    arms: usize,
    wins: Vec<u32>,
    /// Of each pair i < j, at `i * arms + j`.
    odds: Vec<WinProbability>,
    /// The chance that i beats j, at `i * arms + j`; 1 on the diagonal.
    chances: Vec<f64>,
    /// The product of each row of `chances`, how often it has changed since it was multiplied out,
    /// and how many arms the row's arm cannot beat.
    products: Vec<f64>,
    changes: Vec<u8>,
    hopeless: Vec<u32>,
    /// The arms that can beat everyone, in order, with the probability that they do.
    contenders: Vec<(Arm, f64)>,
}

impl Tournament {
    pub(super) fn new(arms: usize) -> Self {
        let mut chances = vec![0.5; arms * arms];
        for arm in 0..arms {
            chances[arm * arms + arm] = 1.0;
        }
        let mut tournament = Self {
            arms,
            wins: vec![0; arms * arms],
            odds: vec![WinProbability::EVEN; arms * arms],
            chances,
            products: vec![0.0; arms],
            changes: vec![0; arms],
            hopeless: vec![0; arms],
            contenders: Vec::with_capacity(arms),
        };
        for arm in 0..arms {
            tournament.multiply_out(arm);
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
            Some(arm) => uniform(generator) * -libm::expm1(self.log_product(arm)),
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
    pub(super) fn reign(&self, arm: Arm, generator: &mut Generator) -> u64 {
        geometric(self.log_product(arm), generator)
    }

    /// ln pi(i), exact however near pi is to 1.
    fn log_product(&self, arm: Arm) -> f64 {
        let column = self.chances.iter().skip(arm.index()).step_by(self.arms);
        let others = column.enumerate().filter(|&(other, _)| other != arm.index());
        others.map(|(_, &upset)| if upset < 1e-9 { -upset } else { libm::log1p(-upset) }).sum()
    }

    /// Takes in a duel; says how often the winner beat the loser, and the other way.
    #[inline]
    pub(super) fn record(&mut self, winner: Arm, loser: Arm) -> (u32, u32) {
        let (winner, loser) = (winner.index(), loser.index());
        let (forth, back) = (winner * self.arms + loser, loser * self.arms + winner);
        self.wins[forth] += 1;
        let (won, lost) = (self.wins[forth], self.wins[back]);
        let odds = &mut self.odds[forth.min(back)];
        let was = *odds;
        odds.win(won, lost);
        let odds = *odds;
        self.change(winner, forth, was.chance(won - 1, lost), odds.chance(won, lost));
        self.change(loser, back, was.chance(lost, won - 1), odds.chance(lost, won));
        self.rate(winner);
        self.rate(loser);
        (won, lost)
    }

    #[inline]
    fn change(&mut self, row: usize, at: usize, was: f64, chance: f64) {
        // What cannot be is left out of the product, and counted.
        self.hopeless[row] -= u32::from(was == 0.0);
        self.hopeless[row] += u32::from(chance == 0.0);
        let factor = |chance: f64| if chance == 0.0 { 1.0 } else { chance };
        self.products[row] *= factor(chance) / factor(was);
        self.chances[at] = chance;
        self.changes[row] += 1;
        if self.changes[row] == CHANGES {
            self.multiply_out(row);
        }
    }

    #[cold]
    fn multiply_out(&mut self, arm: usize) {
        self.changes[arm] = 0;
        let row = &self.chances[arm * self.arms..(arm + 1) * self.arms];
        // What cannot be is left out. Several products at once, as one would wait for each factor.
        let factor = |chance: f64| if chance > 0.0 { chance } else { 1.0 };
        let (parts, rest) = row.as_chunks::<8>();
        let mut products = [1.0; 8];
        for part in parts {
            products.iter_mut().zip(part).for_each(|(product, &chance)| *product *= factor(chance));
        }
        let rest = rest.iter().map(|&chance| factor(chance));
        self.products[arm] = products.into_iter().chain(rest).product();
    }

    /// Works out whether an arm can beat everyone.
    #[inline]
    fn rate(&mut self, arm: usize) {
        // Rounding must not make it more than certain.
        let chance = self.products[arm].min(1.0);
        let possible = self.hopeless[arm] == 0 && chance > IMPOSSIBLE;
        let arm = Arm::at(arm);
        let place = self.contenders.partition_point(|&(other, _)| other < arm);
        let known = self.contenders.get(place).is_some_and(|&(other, _)| other == arm);
        match (known, possible) {
            (true, true) => self.contenders[place].1 = chance,
            (false, true) => self.contenders.insert(place, (arm, chance)),
            (true, false) => {
                self.contenders.remove(place);
            }
            (false, false) => {}
        }
    }
}
