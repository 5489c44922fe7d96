//! The posterior of every pair, and whether one arm would win a duel drawn from it: a coin of known bias.

use rand::Rng as _;

use crate::counts::{PairCounts, PairTable};
use crate::random::{fill, preference_above_half, uniform};
use crate::thompson::{Preferences, WinProbability};
use crate::{Arm, Generator, state};

/// The posterior of every pair.
#[derive(Debug, Clone)]
pub(crate) struct Posterior {
    arms: usize,
    wins: PairCounts,
    /// The probability of each pair i < j.
    probabilities: PairTable<WinProbability>,
    /// The first 32 binary digits of P(theta(i, j) > 1/2); 0 on the diagonal.
    digits: PairTable<u32>,
}

state!(Posterior { wins, probabilities, digits } but { arms });

impl Posterior {
    pub(crate) fn new(arms: usize) -> Self {
        Self {
            arms,
            wins: PairCounts::new(arms, 0),
            probabilities: PairTable::new(arms, WinProbability::EVEN),
            digits: PairTable::with_diagonal(arms, 1 << 31, 0),
        }
    }

    /// How often each arm beat each other.
    pub(crate) fn wins(&self) -> &PairCounts {
        &self.wins
    }

    /// Counts a duel and returns the wins of the winner over the loser, and the other way.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) -> (u32, u32) {
        let (won, lost) = self.wins.record(winner.index(), loser.index());
        let probability = &mut self.probabilities[(winner.min(loser), winner.max(loser))];
        probability.win(won, lost);
        let probability = *probability;
        self.digits[(winner, loser)] = leading_digits(probability.chance(won, lost));
        self.digits[(loser, winner)] = leading_digits(probability.chance(lost, won));
        (won, lost)
    }

    /// Takes back a duel that was [recorded](Self::record), and returns the same of the remaining duels.
    pub(crate) fn forget(&mut self, winner: Arm, loser: Arm) -> (u32, u32) {
        self.wins[(winner, loser)] -= 1;
        let (won, lost) = self.wins.between(winner.index(), loser.index());
        // From scratch: the rounding of endless additions and removals would add up.
        let probability = WinProbability::of(won, lost);
        self.probabilities[(winner.min(loser), winner.max(loser))] = probability;
        self.digits[(winner, loser)] = leading_digits(probability.chance(won, lost));
        self.digits[(loser, winner)] = leading_digits(probability.chance(lost, won));
        (won, lost)
    }

    /// The rest of the comparison of a uniform real with the probability, if their first 32 digits are equal.
    #[cold]
    fn past_32_digits(&self, i: usize, j: usize, generator: &mut Generator) -> bool {
        let rest = self.chance(i, j) * 2_f64.powi(32) - f64::from(self.digits[(i, j)]);
        uniform(generator) < rest
    }
}

impl Preferences for Posterior {
    const FADES: bool = false;

    fn arms(&self) -> usize {
        self.arms
    }

    #[inline]
    fn chance(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 0.0;
        }
        let (won, lost) = self.wins.between(i, j);
        self.probabilities[(i.min(j), i.max(j))].chance(won, lost)
    }

    #[inline]
    fn wins_once(&self, i: usize, j: usize, generator: &mut Generator) -> bool {
        let (bits, digits) = (generator.next_u32(), self.digits[(i, j)]);
        if bits == digits {
            return self.past_32_digits(i, j, generator);
        }
        bits < digits
    }

    #[inline]
    fn draw_row(&self, i: usize, from: usize, row: &mut [u32], generator: &mut Generator) {
        let digits = &self.digits.row(i)[from..];
        let row = &mut row[from..];
        fill(row, generator);
        let mut undecided = 0;
        for (bits, &digits) in row.iter_mut().zip(digits) {
            undecided |= u32::from(*bits == digits);
            // Undecided ones are marked by 2 for the moment.
            *bits = u32::from(*bits < digits) | u32::from(*bits == digits) << 1;
        }
        if undecided != 0 {
            for (place, bits) in row.iter_mut().enumerate() {
                if *bits > 1 {
                    *bits = u32::from(self.past_32_digits(i, from + place, generator));
                }
            }
        }
    }

    fn draw_above_half(&self, i: usize, j: usize, generator: &mut Generator) -> f64 {
        let (won, lost) = self.wins.between(i, j);
        preference_above_half(generator, won, lost)
    }

    fn strength(&self, i: usize) -> u64 {
        self.digits.row(i).iter().map(|&digits| u64::from(digits)).sum()
    }
}

/// The first 32 binary digits of a probability, held one short for 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a probability, and the cast saturates")]
#[inline]
fn leading_digits(probability: f64) -> u32 {
    (probability * 2_f64.powi(32)) as u32
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::below;

    /// Compared with a posterior without the forgotten duels.
    #[test]
    fn what_is_forgotten_leaves_no_trace() {
        let arms = 3;
        let mut generator = Generator::seed_from_u64(11);
        let mut posterior = Posterior::new(arms);
        let mut duels = std::collections::VecDeque::new();
        for step in 0..3_000 {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            let (winner, loser) = (Arm::at(i.min(j)), Arm::at(i.max(j)));
            let duel = if below(&mut generator, 10) < 7 { (winner, loser) } else { (loser, winner) };
            duels.push_back(duel);
            posterior.record(duel.0, duel.1);
            // At times down to nothing.
            let kept = if step % 500 < 400 { 200 } else { 0 };
            while duels.len() > kept {
                let (winner, loser) = duels.pop_front().expect("a duel");
                let left = posterior.forget(winner, loser);
                assert_eq!(left, posterior.wins().between(winner.index(), loser.index()));
            }
            if step % 50 == 0 {
                let mut fresh = Posterior::new(arms);
                for &(winner, loser) in &duels {
                    fresh.record(winner, loser);
                }
                assert_eq!(posterior.wins(), fresh.wins());
                for (i, j) in (0..arms).flat_map(|i| (0..arms).map(move |j| (i, j))) {
                    assert!((posterior.chance(i, j) - fresh.chance(i, j)).abs() < 1e-12);
                    assert!(posterior.digits[(i, j)].abs_diff(fresh.digits[(i, j)]) <= 1);
                }
            }
        }
    }

    #[test]
    fn rows_are_drawn_with_their_probabilities() {
        let (arms, draws) = (7, 50_000);
        let mut generator = Generator::seed_from_u64(10);
        let mut posterior = Posterior::new(arms);
        for _ in 0..40 {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            posterior.record(Arm::at(i), Arm::at(j));
        }
        // As good as certain.
        for _ in 0..200 {
            posterior.record(Arm(2), Arm(6));
        }
        let mut counts = vec![0_u32; arms];
        let mut row = vec![0; arms];
        for _ in 0..draws {
            posterior.draw_row(2, 1, &mut row, &mut generator);
            row.iter().zip(&mut counts).for_each(|(wins, count)| *count += wins);
        }
        assert_eq!((counts[0], counts[2], counts[6]), (0, 0, draws));
        for (other, &count) in counts.iter().enumerate().skip(1) {
            let p = posterior.chance(2, other);
            let bound = 5.0 * (f64::from(draws) * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - p * f64::from(draws)).abs() <= bound);
        }
        // A draw that equals the first 32 digits is decided by the rest, here one or nothing.
        assert_eq!(posterior.digits[(2, 6)], u32::MAX);
        assert!((0..100).all(|_| posterior.past_32_digits(2, 6, &mut generator)));
        assert!((0..100).all(|_| !posterior.past_32_digits(2, 2, &mut generator)));
    }
}
