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
        let mut at = 0;
        wins.set_above(self.arms, |count| {
            let (won, tied) = (read(&self.wins, at, count), read(&self.ties, at, count));
            at += count;
            (won & !tied, tied)
        });
    }
}

impl From<&PairWins> for PackedWins {
    fn from(wins: &PairWins) -> Self {
        let arms = wins.arms();
        let words = (arms * arms.saturating_sub(1) / 2).div_ceil(64);
        let mut packed = Self { arms, wins: vec![0; words], ties: Vec::new() };
        let mut at = 0;
        wins.above(|won, tied, count| {
            write(&mut packed.wins, at, won);
            if tied != 0 {
                packed.ties.resize(words, 0);
                write(&mut packed.ties, at, tied);
            }
            at += count;
        });
        packed
    }
}

/// `count` bits from bit `at` on, 1 to 64; none of them set if there are no words.
#[inline]
fn read(words: &[u64], at: usize, count: usize) -> u64 {
    let (word, bit) = (at / 64, at % 64);
    let next = if bit + count > 64 { word + 1 } else { word };
    let (Some(&low), Some(&high)) = (words.get(word), words.get(next)) else {
        return 0;
    };
    // In two steps: a shift by 64 - bit would be one by 64 if bit is 0.
    (low >> bit | high << 1 << (63 - bit)) & u64::MAX >> (64 - count)
}

/// Sets those bits from bit `at` on that are set in `bits`.
#[inline]
fn write(words: &mut [u64], at: usize, bits: u64) {
    let (word, bit) = (at / 64, at % 64);
    words[word] |= bits << bit;
    let rest = bits >> 1 >> (63 - bit);
    if rest != 0 {
        words[word + 1] |= rest;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;

    proptest! {
        #[test]
        fn nothing_is_lost(scores in prop::collection::vec(0_u64..9, 0..200), ties: bool, seed: u64) {
            let mut wins = PairWins::from_scores(&scores);
            if !ties {
                wins.resolve_ties(&mut Generator::seed_from_u64(seed));
            }
            let mut again = PairWins::from_scores(&[1, 2]);
            let packed = PackedWins::from(&wins);
            prop_assert_eq!(packed.ties.is_empty(), (0..scores.len()).all(|i| (0..i).all(|j| !wins.ties(i, j))));
            packed.unpack(&mut again);
            prop_assert_eq!(wins.words().collect::<Vec<_>>(), again.words().collect::<Vec<_>>());
            prop_assert_eq!(wins.arms(), again.arms());
            for i in 0..scores.len() {
                for j in 0..scores.len() {
                    prop_assert_eq!((wins.beats(i, j), wins.ties(i, j)), (again.beats(i, j), again.ties(i, j)));
                }
            }
        }
    }
}
