//! The winner of a tournament in which every pair's preference is drawn from its posterior.
//!
//! Arm i beats all others with probability pi(i), the product over j of the probabilities that it beats j, and no
//! two arms can both do so: the champion is one draw over the arms and "none". One duel changes one factor of two
//! products.

use crate::confidence::DuelCounts;
use crate::counts::{PairCounts, PairTable};
use crate::random::{geometric, uniform};
use crate::thompson::WinProbability;
use crate::{Arm, Generator, state};

/// Arms less likely than this to beat all others never do.
const NEGLIGIBLE_PROBABILITY: f64 = 1e-25;
/// A product is multiplied out again after this many changes, as rounding errors accumulate.
const MAX_INCREMENTAL_CHANGES: u8 = 64;
/// More than rounding can take from a sum of probabilities.
const ROUNDING_TOLERANCE: f64 = 1e-8;

/// The probability of each arm to beat all others.
#[derive(Debug, Clone)]
pub(super) struct Tournament {
    wins: PairCounts,
    /// Wins either way that every pair starts with, where the bounds are concerned.
    prior: u32,
    /// The probability of each pair i < j.
    probabilities: PairTable<WinProbability>,
    /// The probability that i beats j; 1 on the diagonal.
    chances: PairTable<f64>,
    /// The product of each row of `chances`, how often it has changed since it was multiplied out,
    /// and how many arms the row's arm cannot beat.
    products: Vec<f64>,
    changes: Vec<u8>,
    hopeless: Vec<u32>,
    /// The arms that can beat all others, in order, with the probability that they do.
    contenders: Vec<(Arm, f64)>,
    /// The sum of their probabilities, but for rounding.
    total: f64,
}

state!(Tournament { wins, probabilities, chances, products, changes, hopeless, contenders, total } but { prior });

impl Tournament {
    pub(super) fn new(arms: usize, prior: u32) -> Self {
        let mut tournament = Self {
            wins: PairCounts::new(arms, 0),
            prior,
            probabilities: PairTable::new(arms, WinProbability::EVEN),
            chances: PairTable::with_diagonal(arms, 0.5, 1.0),
            products: vec![0.0; arms],
            changes: vec![0; arms],
            hopeless: vec![0; arms],
            contenders: Vec::with_capacity(arms),
            total: 0.0,
        };
        for arm in 0..arms {
            tournament.multiply_out(arm);
            tournament.rate(arm);
        }
        tournament
    }

    /// How often each arm beat each other.
    pub(super) fn counts(&self) -> &PairCounts {
        &self.wins
    }

    /// Draws the arm that beats all others, if any does, given that it is not `barred`.
    #[inline]
    pub(super) fn champion(&self, barred: Option<Arm>, generator: &mut Generator) -> Option<Arm> {
        let mut remaining_probability = match barred {
            _ if self.contenders.is_empty() => return None,
            None => uniform(generator),
            Some(arm) => uniform(generator) * -libm::expm1(self.log_product(arm)),
        };
        // While there is much to learn, hardly ever does any arm beat all others.
        if remaining_probability > self.total + ROUNDING_TOLERANCE {
            return None;
        }
        for &(arm, chance) in &self.contenders {
            if Some(arm) != barred {
                if remaining_probability < chance {
                    return Some(arm);
                }
                remaining_probability -= chance;
            }
        }
        None
    }

    /// How many tournaments in a row `arm` wins, given that it won the first.
    pub(super) fn draw_reign(&self, arm: Arm, generator: &mut Generator) -> u64 {
        geometric(self.log_product(arm), generator)
    }

    /// ln pi(i), exact however near pi is to 1.
    fn log_product(&self, arm: Arm) -> f64 {
        let others = self.chances.column(arm.index()).enumerate().filter(|&(other, _)| other != arm.index());
        others.map(|(_, upset)| if upset < 1e-9 { -upset } else { libm::log1p(-upset) }).sum()
    }

    #[inline]
    fn change(&mut self, row: usize, column: usize, was: f64, chance: f64) {
        // Impossible factors are left out of the product, and counted.
        self.hopeless[row] -= u32::from(was == 0.0);
        self.hopeless[row] += u32::from(chance == 0.0);
        let factor = |chance: f64| if chance == 0.0 { 1.0 } else { chance };
        self.products[row] *= factor(chance) / factor(was);
        self.chances[(row, column)] = chance;
        self.changes[row] += 1;
        if self.changes[row] == MAX_INCREMENTAL_CHANGES {
            self.multiply_out(row);
        }
    }

    #[cold]
    fn multiply_out(&mut self, arm: usize) {
        self.changes[arm] = 0;
        // Summed again here, so that rounding errors do not add up in it.
        self.total = self.contenders.iter().map(|&(_, chance)| chance).sum();
        let row = self.chances.row(arm);
        // Impossible factors are left out. Several products side by side, as one would wait for each factor.
        let factor = |chance: f64| if chance > 0.0 { chance } else { 1.0 };
        let (parts, rest) = row.as_chunks::<8>();
        let mut products = [1.0; 8];
        for part in parts {
            products.iter_mut().zip(part).for_each(|(product, &chance)| *product *= factor(chance));
        }
        let rest = rest.iter().map(|&chance| factor(chance));
        self.products[arm] = products.into_iter().chain(rest).product();
    }

    /// Updates whether an arm can beat all others.
    #[inline]
    fn rate(&mut self, arm: usize) {
        // Rounding must not make it more than certain.
        let chance = self.products[arm].min(1.0);
        let possible = self.hopeless[arm] == 0 && chance > NEGLIGIBLE_PROBABILITY;
        let arm = Arm::at(arm);
        let place = self.contenders.partition_point(|&(other, _)| other < arm);
        let known = self.contenders.get(place).is_some_and(|&(other, _)| other == arm);
        match (known, possible) {
            (true, true) => {
                self.total += chance - self.contenders[place].1;
                self.contenders[place].1 = chance;
            }
            (false, true) => {
                self.total += chance;
                self.contenders.insert(place, (arm, chance));
            }
            (true, false) => self.total -= self.contenders.remove(place).1,
            (false, false) => {}
        }
    }
}

impl DuelCounts for Tournament {
    #[inline]
    fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        let (won, lost) = self.wins.between(i, j);
        (won + self.prior, lost + self.prior)
    }

    #[inline]
    fn record(&mut self, first: usize, second: usize, first_won: bool) -> (u32, u32) {
        let (win, loss) = (u32::from(first_won), u32::from(!first_won));
        let (forth, back) = ((first, second), (second, first));
        let (won, lost) = (self.wins[forth] + win, self.wins[back] + loss);
        self.wins[forth] = won;
        self.wins[back] = lost;
        let probability = &mut self.probabilities[(first.min(second), first.max(second))];
        let was = *probability;
        probability.win(if first_won { won } else { lost }, if first_won { lost } else { won });
        let is = *probability;
        self.change(first, second, was.chance(won - win, lost - loss), is.chance(won, lost));
        self.change(second, first, was.chance(lost - loss, won - win), is.chance(lost, won));
        self.rate(first);
        self.rate(second);
        (won + self.prior, lost + self.prior)
    }
}
