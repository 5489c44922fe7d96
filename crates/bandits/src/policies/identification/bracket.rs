//! The rounds of a knock-out.

use crate::random::{best_arm, shuffle};
use crate::{Arm, Generator, state};

/// The arms that are still in a knock-out: the winners of a round are paired at random for the next.
#[derive(Debug, Clone)]
pub(super) struct Bracket {
    /// Rounds begun.
    round: u32,
    /// The arms that have yet to play in this round.
    waiting: Vec<Arm>,
    /// The arms that go on to the next round.
    through: Vec<Arm>,
    /// How many arms go through the first round without a match.
    byes: usize,
    /// How many matches each arm has won.
    won: Vec<u32>,
}

state!(Bracket { round, waiting, through, won } but { byes });

impl Bracket {
    /// All arms; `byes` of them go through the first round without a match.
    pub(super) fn new(arms: usize, byes: usize) -> Self {
        let through = (0..arms).map(Arm::at).collect();
        Self { round: 0, waiting: Vec::with_capacity(arms), through, byes, won: vec![0; arms] }
    }

    /// The number of arms.
    pub(super) fn arms(&self) -> usize {
        self.won.len()
    }

    /// The round, from 1.
    pub(super) fn round(&self) -> u32 {
        self.round
    }

    /// The next match, if more than one arm is left. One that is left over goes through without.
    pub(super) fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        if self.waiting.len() < 2 {
            self.through.append(&mut self.waiting);
            if self.through.len() == 1 {
                return None;
            }
            self.round += 1;
            std::mem::swap(&mut self.waiting, &mut self.through);
            shuffle(generator, &mut self.waiting);
            if self.round == 1 {
                self.through.extend(self.waiting.drain(self.arms() - self.byes..));
            }
        }
        Some([self.waiting.pop()?, self.waiting.pop()?])
    }

    /// An arm has won its match.
    pub(super) fn goes_through(&mut self, winner: Arm) {
        self.won[winner.index()] += 1;
        self.through.push(winner);
    }

    /// The winner, once the knock-out is over; before, any arm.
    pub(super) fn winner(&self) -> Arm {
        self.through.first().copied().unwrap_or(Arm(0))
    }

    /// Of the arms that are left, the one that has won most matches, ties at random; `None` before the first match.
    pub(super) fn leader(&self, generator: &mut Generator) -> Option<Arm> {
        let left: Vec<Arm> = self.waiting.iter().chain(&self.through).copied().collect();
        let won = |arm: &Arm| self.won[arm.index()];
        if left.len() > 1 && left.iter().all(|arm| won(arm) == 0) {
            return None;
        }
        best_arm(generator, left.iter().map(won)).map(|at| left[at.index()])
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// The lower arm always wins: how many matches there are, and how many the winner plays.
    fn played(arms: usize, byes: usize) -> (usize, u32) {
        let mut generator = Generator::seed_from_u64(arms as u64);
        let mut bracket = Bracket::new(arms, byes);
        let mut matches = 0;
        while let Some([one, other]) = bracket.next(&mut generator) {
            assert_ne!(one, other);
            bracket.goes_through(one.min(other));
            matches += 1;
        }
        assert_eq!((bracket.winner(), bracket.leader(&mut generator)), (Arm(0), Some(Arm(0))));
        (matches, bracket.won[0])
    }

    #[test]
    fn every_arm_but_one_loses_once() {
        for arms in 1..40_usize {
            let full = arms.next_power_of_two();
            let (matches, _) = played(arms, 0);
            assert_eq!(matches, arms - 1);
            // With the byes in the first round, the winner has played about as often as anyone could.
            let (matches, won) = played(arms, full - arms);
            assert_eq!(matches, arms - 1);
            assert!(won == full.ilog2() || won + 1 == full.ilog2(), "{arms}: {won}");
        }
    }
}
