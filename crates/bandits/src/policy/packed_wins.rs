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

    /// The outcome as words, for storing it: which pairs the first arm won, and which tied. A bit per pair in the order
    /// (0, 1), (0, 2), ... (1, 2), ..., the lowest bit of the first word first; the second slice is empty if no pair
    /// tied. [`from_words`](Self::from_words) makes the outcome from them again.
    #[must_use]
    pub fn words(&self) -> [&[u64]; 2] {
        [&self.wins, &self.ties]
    }

    /// The outcome among `arms` arms from its [`words`](Self::words). `None` unless there are as many words as the pairs of
    /// that many arms take, every bit beyond the last pair is 0, no pair is both won and tied, and `ties` is empty where no
    /// pair tied: equal outcomes have equal words.
    #[must_use]
    pub fn from_words(arms: usize, wins: Vec<u64>, ties: Vec<u64>) -> Option<Self> {
        let pairs = arms.checked_mul(arms.saturating_sub(1))? / 2;
        let words = pairs.div_ceil(64);
        let beyond = if pairs % 64 == 0 { 0 } else { u64::MAX << (pairs % 64) };
        let clean = |words: &[u64]| words.last().is_none_or(|last| last & beyond == 0);
        let fits = wins.len() == words
            && (ties.is_empty() || ties.len() == words && ties.iter().any(|word| *word != 0))
            && clean(&wins)
            && clean(&ties)
            && wins.iter().zip(&ties).all(|(won, tied)| won & tied == 0);
        fits.then_some(Self { arms, wins, ties })
    }

    /// Writes every pair into `wins`.
    pub fn unpack(&self, wins: &mut PairWins) {
        let mut at = 0;
        wins.set_above_diagonal(self.arms, |count| {
            let (won, tied) = (read_bits(&self.wins, at, count), read_bits(&self.ties, at, count));
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
        wins.visit_above_diagonal(|won, tied, count| {
            write_bits(&mut packed.wins, at, won);
            if tied != 0 {
                packed.ties.resize(words, 0);
                write_bits(&mut packed.ties, at, tied);
            }
            at += count;
        });
        packed
    }
}

/// `count` bits from bit `at` on, 1 to 64; none of them set if there are no words.
#[inline]
fn read_bits(words: &[u64], at: usize, count: usize) -> u64 {
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
fn write_bits(words: &mut [u64], at: usize, bits: u64) {
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
            let [won, tied] = packed.words();
            let read = PackedWins::from_words(scores.len(), won.to_vec(), tied.to_vec());
            prop_assert_eq!(read.as_ref(), Some(&packed));
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

    #[test]
    fn words_that_are_no_outcome_are_refused() {
        // Three arms: pairs (0, 1), (0, 2), (1, 2).
        let read = |wins: &[u64], ties: &[u64]| PackedWins::from_words(3, wins.to_vec(), ties.to_vec());
        let packed = read(&[0b001], &[0b100]).unwrap();
        let mut wins = PairWins::default();
        packed.unpack(&mut wins);
        assert!(wins.beats(0, 1) && wins.beats(2, 0) && wins.ties(1, 2));
        assert_eq!(packed.words(), [&[0b001][..], &[0b100][..]]);
        assert!(read(&[0b111], &[]).is_some());
        for (wins, ties, why) in [
            (&[][..], &[][..], "too few words"),
            (&[1, 0], &[], "too many"),
            (&[1], &[1, 0], "too many ties"),
            (&[0b1000], &[], "a bit beyond the last pair"),
            (&[0b001], &[0b1000], "a tie beyond the last pair"),
            (&[0b001], &[0b001], "won and tied"),
            (&[0b001], &[0], "ties without a tie"),
        ] {
            assert_eq!(read(wins, ties), None, "{why}");
        }
        assert_eq!(PackedWins::from_words(usize::MAX, vec![], vec![]), None);
        assert!(
            PackedWins::from_words(1, vec![], vec![]).is_some() && PackedWins::from_words(0, vec![], vec![]).is_some()
        );
    }
}
