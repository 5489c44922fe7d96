//! The outcome of a set in as little room as it takes: one bit per pair, two where there are ties.

use super::PairWins;
use crate::state::{State, StateError, StateReader, StateWriter};

/// The winner of each pair of a set, ties as ties: what [`PairWins`] contains, for keeping many of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedWins {
    arms: usize,
    /// Bit by bit over the pairs (0, 1), (0, 2), ... (1, 2), ...: whether the first won.
    wins: Vec<u64>,
    /// Whether they tied; empty if no pair did.
    ties: Vec<u64>,
}

impl State for PackedWins {
    fn save(&self, to: &mut StateWriter) {
        to.put(self.arms);
        self.wins.save(to);
        self.ties.save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.arms = from.get()?;
        self.wins.load(from)?;
        self.ties.load(from)?;
        let words = (self.arms.saturating_mul(self.arms.saturating_sub(1)) / 2).div_ceil(64);
        if self.wins.len() == words && (self.ties.is_empty() || self.ties.len() == words) {
            return Ok(());
        }
        Err(StateError::Damaged { what: "the outcome of a set of another size" })
    }
}

impl PackedWins {
    /// How many arms the set has.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// Which pairs the first arm won and which tied (none of them where there is no tie), a bit per pair.
    pub(crate) fn words(&self) -> [&[u64]; 2] {
        [&self.wins, &self.ties]
    }

    /// The same from its words; `None` unless they are as many as `arms` arms need.
    pub(crate) fn from_words(arms: usize, wins: Vec<u64>, ties: Vec<u64>) -> Option<Self> {
        let words = (arms * arms.saturating_sub(1) / 2).div_ceil(64);
        let fits = wins.len() == words && (ties.is_empty() || ties.len() == words);
        fits.then_some(Self { arms, wins, ties })
    }

    /// Writes every pair into `wins`.
    pub fn unpack(&self, wins: &mut PairWins) {
        wins.reset(self.arms);
        let bit = |bits: &[u64], at: usize| bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
        let mut at = 0;
        for i in 0..self.arms {
            for j in i + 1..self.arms {
                if bit(&self.ties, at) {
                    wins.set_tie(i, j);
                } else if bit(&self.wins, at) {
                    wins.set_win(i, j);
                } else {
                    wins.set_win(j, i);
                }
                at += 1;
            }
        }
    }
}

impl From<&PairWins> for PackedWins {
    fn from(wins: &PairWins) -> Self {
        let arms = wins.arms();
        let words = (arms * arms.saturating_sub(1) / 2).div_ceil(64);
        let mut packed = Self { arms, wins: vec![0; words], ties: Vec::new() };
        let mut at = 0;
        for i in 0..arms {
            for j in i + 1..arms {
                packed.wins[at / 64] |= u64::from(wins.beats(i, j)) << (at % 64);
                if wins.ties(i, j) {
                    if packed.ties.is_empty() {
                        packed.ties = vec![0; words];
                    }
                    packed.ties[at / 64] |= 1 << (at % 64);
                }
                at += 1;
            }
        }
        packed
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_is_lost(scores in prop::collection::vec(0_u64..9, 0..80)) {
            let wins = PairWins::from_scores(&scores);
            let mut again = PairWins::from_scores(&[1, 2]);
            PackedWins::from(&wins).unpack(&mut again);
            prop_assert_eq!(wins.arms(), again.arms());
            for i in 0..scores.len() {
                for j in 0..scores.len() {
                    prop_assert_eq!((wins.beats(i, j), wins.ties(i, j)), (again.beats(i, j), again.ties(i, j)));
                }
            }
        }
    }
}
