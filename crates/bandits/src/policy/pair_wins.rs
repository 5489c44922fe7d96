//! The winner of each pair of a set of arms, as bit matrices.

use std::ops::Range;

use rand::Rng as _;

use crate::{Generator, Preference};

/// The winner of each pair of a set of arms: bit matrices of wins and of ties, by position in the set.
///
/// Row `i` holds, in bit `j`, whether position `i` beat position `j`. Until
/// [`resolve_ties`](Self::resolve_ties) a pair may be tied, or undecided (as after
/// [`reset`](Self::reset)).
///
/// ```
/// # use bandits::PairWins;
/// let mut wins = PairWins::default();
/// wins.set_scores(&[3, 7, 3]);
/// assert!(wins.beats(1, 0) && !wins.beats(0, 1));
/// assert!(wins.ties(0, 2));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairWins {
    arms: usize,
    words: usize,
    wins: Vec<u64>,
    ties: Vec<u64>,
    order: Vec<(u64, u32)>,
    below: Vec<u64>,
    level: Vec<u64>,
}

impl PairWins {
    /// Forgets everything and makes room for `arms` arms; keeps its memory.
    pub fn reset(&mut self, arms: usize) {
        self.arms = arms;
        self.words = arms.div_ceil(64);
        for bits in [&mut self.wins, &mut self.ties] {
            bits.clear();
            bits.resize(arms * self.words, 0);
        }
    }

    /// Every pair from one score per arm: `i` beats `j` iff `scores[i] > scores[j]`, equal scores
    /// tie. O(n log n) plus one pass over the bits.
    pub fn set_scores(&mut self, scores: &[u64]) {
        self.arms = scores.len();
        self.words = self.arms.div_ceil(64);
        // Every row will be written, whatever it holds.
        for bits in [&mut self.wins, &mut self.ties] {
            bits.resize(self.arms * self.words, 0);
        }
        self.order.clear();
        self.order.extend((0_u32..).zip(scores).map(|(position, &score)| (score, position)));
        // By score alone: equal scores are common, and are then sorted no further.
        self.order.sort_unstable_by_key(|&(score, _)| score);
        // Rows of a known length are copied in a few moves.
        match self.words {
            1 => self.write_rows_by_level::<1>(),
            2 => self.write_rows_by_level::<2>(),
            3 => self.write_rows_by_level::<3>(),
            _ => self.write_rows_by_level::<0>(),
        }
    }

    /// Writes all rows in the order of scores, level by level upwards: an arm beats all below its level and
    /// ties with the rest of it. Rows have `WORDS` words, or whatever they have where that is 0.
    #[inline]
    fn write_rows_by_level<const WORDS: usize>(&mut self) {
        let words = if WORDS == 0 { self.words } else { WORDS };
        self.below.clear();
        self.below.resize(words, 0);
        self.level.clear();
        self.level.resize(words, 0);
        let (below, level) = (&mut self.below[..words], &mut self.level[..words]);
        for group in self.order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, position) in group {
                level[position as usize / 64] |= 1 << (position % 64);
            }
            for &(_, position) in group {
                let row = position as usize * words;
                self.wins[row..row + words].copy_from_slice(below);
                self.ties[row..row + words].copy_from_slice(level);
                self.ties[row + position as usize / 64] &= !(1 << (position % 64));
            }
            for (below, level) in below.iter_mut().zip(level.iter_mut()) {
                *below |= *level;
                *level = 0;
            }
        }
    }

    /// A new value by [`set_scores`](Self::set_scores).
    #[must_use]
    pub fn from_scores(scores: &[u64]) -> Self {
        let mut wins = Self::default();
        wins.set_scores(scores);
        wins
    }

    /// Position `winner` beat position `loser`; overwrites the earlier outcome of the pair.
    ///
    /// # Panics
    /// Unless these are two positions of the set.
    #[inline]
    pub fn set_win(&mut self, winner: usize, loser: usize) {
        assert!(winner != loser && winner < self.arms && loser < self.arms, "{winner}, {loser} of {}", self.arms);
        let (forth, back) = (self.bit(winner, loser), self.bit(loser, winner));
        self.wins[forth.0] |= forth.1;
        self.wins[back.0] &= !back.1;
        self.ties[forth.0] &= !forth.1;
        self.ties[back.0] &= !back.1;
    }

    /// Positions `i` and `j` tied; overwrites the earlier outcome of the pair.
    ///
    /// # Panics
    /// Unless these are two positions of the set.
    #[inline]
    pub fn set_tie(&mut self, i: usize, j: usize) {
        assert!(i != j && i < self.arms && j < self.arms, "{i}, {j} of {}", self.arms);
        for (word, bit) in [self.bit(i, j), self.bit(j, i)] {
            self.wins[word] &= !bit;
            self.ties[word] |= bit;
        }
    }

    /// Sets the outcome between positions `i` ([`Preference::First`]) and `j` ([`Preference::Second`]); overwrites the
    /// earlier one.
    ///
    /// # Panics
    /// Unless these are two positions of the set.
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, outcome: Preference) {
        match outcome {
            Preference::First => self.set_win(i, j),
            Preference::Second => self.set_win(j, i),
            Preference::Tie => self.set_tie(i, j),
        }
    }

    /// The outcome between positions `i` ([`Preference::First`]) and `j` ([`Preference::Second`]); a tie if neither won.
    #[inline]
    #[must_use]
    pub fn preference(&self, i: usize, j: usize) -> Preference {
        match (self.beats(i, j), self.beats(j, i)) {
            (true, _) => Preference::First,
            (_, true) => Preference::Second,
            _ => Preference::Tie,
        }
    }

    /// Breaks every tie by a fair coin of its own, 64 coins to a draw.
    pub fn resolve_ties(&mut self, generator: &mut Generator) {
        // A copy of its own can stay in registers while bits are written.
        let mut coins = generator.clone();
        self.resolve(|_, _, _| coins.next_u64());
        *generator = coins;
    }

    /// Decides every pair: `first_wins(i, j)` is called once for each i < j, in unspecified order.
    pub fn decide(&mut self, arms: usize, mut first_wins: impl FnMut(usize, usize) -> bool) {
        self.reset(arms);
        self.ties.fill(u64::MAX);
        self.resolve(|row, first, tied| {
            let mut wins = 0;
            // Above the diagonal and within the set the tied columns are one stretch.
            let columns = tied.trailing_zeros() as usize..64 - tied.leading_zeros() as usize;
            for bit in columns {
                wins |= u64::from(first_wins(row, first + bit)) << bit;
            }
            wins
        });
    }

    /// Breaks ties: `coins` gives the outcome of the pairs (row, first + bit) for each bit of its
    /// third argument. Block by block of 64 x 64 on and above the diagonal: the coins decide the
    /// upper half, and the lower half is its transpose.
    fn resolve(&mut self, mut coins: impl FnMut(usize, usize, u64) -> u64) {
        let words = self.words;
        for row_word in 0..words {
            for column_word in row_word..words {
                let rows = 64 * row_word..self.arms.min(64 * (row_word + 1));
                let columns = 64 * column_word..self.arms.min(64 * (column_word + 1));
                let column_mask = u64::MAX >> (64 - columns.len());
                let mut lost = [0_u64; 64];
                let mut any = false;
                for (place, row) in rows.enumerate() {
                    let at = row * words + column_word;
                    let above = if column_word == row_word { !(u64::MAX >> (63 - place)) } else { u64::MAX };
                    let tied = self.ties[at] & above & column_mask;
                    if tied != 0 {
                        let coins = coins(row, columns.start, tied);
                        self.wins[at] |= tied & coins;
                        lost[place] = tied & !coins;
                        any = true;
                    }
                }
                if any {
                    transpose(&mut lost);
                    for (column, won) in columns.zip(lost) {
                        self.wins[column * words + row_word] |= won;
                    }
                }
            }
        }
        self.ties.fill(0);
    }

    /// Calls `take` with each stretch of columns above the diagonal, row by row and 64 at most: which of them the row
    /// beat, with which it tied, lowest bit first, and how many they are.
    pub(super) fn visit_above_diagonal(&self, mut take: impl FnMut(u64, u64, usize)) {
        for row in 0..self.arms {
            for (at, columns) in self.stretches(row) {
                let shift = columns.start % 64;
                take(self.wins[at] >> shift, self.ties[at] >> shift, columns.len());
            }
        }
    }

    /// The opposite of [`above`](Self::above): `give` returns the wins and the ties of the next stretch, given its
    /// length. A pair neither won nor tied is lost.
    pub(super) fn set_above_diagonal(&mut self, arms: usize, mut give: impl FnMut(usize) -> (u64, u64)) {
        self.reset(arms);
        for row in 0..arms {
            for (at, columns) in self.stretches(row) {
                let shift = columns.start % 64;
                let (won, tied) = give(columns.len());
                self.wins[at] = won << shift;
                self.ties[at] = tied << shift;
            }
        }
        self.mirror();
    }

    /// The words of a row that reach beyond the diagonal, and the columns there.
    fn stretches(&self, row: usize) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let (arms, words) = (self.arms, self.words);
        let of_word = move |word: usize| (row * words + word, (64 * word).max(row + 1)..arms.min(64 * (word + 1)));
        ((row + 1) / 64..words).map(of_word).filter(|(_, columns)| !columns.is_empty())
    }

    /// Fills in the entries below the diagonal from those above it, in blocks of 64 x 64.
    fn mirror(&mut self) {
        let words = self.words;
        for row_word in 0..words {
            for column_word in row_word..words {
                let rows = 64 * row_word..self.arms.min(64 * (row_word + 1));
                let columns = 64 * column_word..self.arms.min(64 * (column_word + 1));
                let column_mask = u64::MAX >> (64 - columns.len());
                let (mut lost, mut tied) = ([0_u64; 64], [0_u64; 64]);
                let mut any = 0;
                for (place, row) in rows.enumerate() {
                    let at = row * words + column_word;
                    let above = if column_word == row_word { !(u64::MAX >> (63 - place)) } else { u64::MAX };
                    tied[place] = self.ties[at];
                    lost[place] = !(self.wins[at] | self.ties[at]) & above & column_mask;
                    any |= tied[place];
                }
                transpose(&mut lost);
                if any != 0 {
                    transpose(&mut tied);
                }
                for (place, column) in columns.enumerate() {
                    self.wins[column * words + row_word] |= lost[place];
                    if any != 0 {
                        self.ties[column * words + row_word] |= tied[place];
                    }
                }
            }
        }
    }

    /// The first pair of positions that is neither decided nor tied.
    pub(crate) fn find_undecided(&self) -> Option<(usize, usize)> {
        // Each pair is a win of one side or a tie on both: counted, as a look at each pair takes longer than a set's
        // whole step.
        let ones = |bits: &[u64]| bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let pairs = (self.arms * self.arms.saturating_sub(1) / 2) as u64;
        if ones(&self.wins) + ones(&self.ties) / 2 == pairs {
            return None;
        }
        let known = |i: usize, j: usize| self.beats(i, j) || self.beats(j, i) || self.ties(i, j);
        (0..self.arms).find_map(|i| (i + 1..self.arms).find(|&j| !known(i, j)).map(|j| (i, j)))
    }

    /// Wins and ties, word by word.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.wins.iter().chain(&self.ties).copied()
    }

    /// How many arms the set has.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// Whether position `i` beat position `j`.
    #[inline]
    #[must_use]
    pub fn beats(&self, i: usize, j: usize) -> bool {
        let (word, bit) = self.bit(i, j);
        self.wins[word] & bit != 0
    }

    /// Whether positions `i` and `j` tied (never after [`resolve_ties`](Self::resolve_ties)).
    #[inline]
    #[must_use]
    pub fn ties(&self, i: usize, j: usize) -> bool {
        let (word, bit) = self.bit(i, j);
        self.ties[word] & bit != 0
    }

    /// The positions that `i` beat, as words of 64 bits, lowest position in the lowest bit.
    #[inline]
    #[must_use]
    pub fn row(&self, i: usize) -> &[u64] {
        &self.wins[i * self.words..(i + 1) * self.words]
    }

    /// How many positions `i` beat.
    #[must_use]
    pub fn wins_of(&self, i: usize) -> u32 {
        self.row(i).iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    fn bit(&self, i: usize, j: usize) -> (usize, u64) {
        (i * self.words + j / 64, 1 << (j % 64))
    }
}

/// Transposes a 64 x 64 bit matrix (row `i`, bit `j`) by swapping ever smaller blocks: H. S.
/// Warren, *Hacker's Delight*, 2nd ed., section 7-3.
fn transpose(rows: &mut [u64; 64]) {
    swap_blocks::<32>(rows);
    swap_blocks::<16>(rows);
    swap_blocks::<8>(rows);
    swap_blocks::<4>(rows);
    swap_blocks::<2>(rows);
    swap_blocks::<1>(rows);
}

/// Swaps the upper right and the lower left block of each block of twice the width. The width is known when this is
/// compiled, so that several rows are swapped at a time.
#[inline]
fn swap_blocks<const WIDTH: usize>(rows: &mut [u64; 64]) {
    // The columns of the left blocks.
    let mask = u64::MAX / ((1 << WIDTH) + 1);
    for block in rows.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = block.split_at_mut(WIDTH);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let swapped = ((*upper >> WIDTH) ^ *lower) & mask;
            *upper ^= swapped << WIDTH;
            *lower ^= swapped;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn transposing_swaps_rows_and_bits() {
        let mut generator = Generator::seed_from_u64(5);
        let before: [u64; 64] = std::array::from_fn(|_| generator.next_u64());
        let mut after = before;
        transpose(&mut after);
        for (i, row) in after.iter().enumerate() {
            for (j, column) in before.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1);
            }
        }
    }

    proptest! {
        #[test]
        fn higher_scores_win(scores in prop::collection::vec(0_u64..6, 0..150), seed: u64) {
            let mut wins = PairWins::from_scores(&scores);
            for (i, a) in scores.iter().enumerate() {
                for (j, b) in scores.iter().enumerate() {
                    prop_assert_eq!(wins.beats(i, j), a > b);
                    prop_assert_eq!(wins.ties(i, j), i != j && a == b);
                }
            }
            let before = wins.clone();
            wins.resolve_ties(&mut Generator::seed_from_u64(seed));
            for i in 0..scores.len() {
                prop_assert!(!wins.beats(i, i));
                for j in 0..i {
                    prop_assert!(!wins.ties(i, j));
                    prop_assert!(wins.beats(i, j) != wins.beats(j, i));
                    prop_assert!(!before.beats(i, j) || wins.beats(i, j));
                }
            }
        }
    }

    #[test]
    fn each_pair_is_decided_once() {
        for arms in [0, 1, 2, 63, 64, 65, 130] {
            let mut wins = PairWins::default();
            let mut asked = vec![0; arms * arms];
            wins.decide(arms, |i, j| {
                asked[i * arms + j] += 1;
                (i * 7 + j * 3) % 5 < 2
            });
            for i in 0..arms {
                for j in 0..arms {
                    assert_eq!(asked[i * arms + j], usize::from(i < j));
                    let (low, high) = (i.min(j), i.max(j));
                    let lower_wins = (low * 7 + high * 3) % 5 < 2;
                    assert_eq!(wins.beats(i, j), i != j && lower_wins == (i < j));
                    assert!(!wins.ties(i, j));
                }
            }
        }
    }

    #[test]
    fn pairs_can_be_set_one_by_one() {
        let mut wins = PairWins::default();
        wins.reset(70);
        wins.set_tie(3, 69);
        assert!(wins.ties(69, 3) && !wins.beats(3, 69));
        wins.set_win(69, 3);
        assert!(wins.beats(69, 3) && !wins.ties(3, 69) && !wins.beats(3, 69));
        wins.set_win(3, 69);
        assert!(wins.beats(3, 69) && !wins.beats(69, 3));
        assert_eq!((wins.wins_of(3), wins.row(3)), (1, [0, 1 << 5].as_slice()));
        wins.set_scores(&[1]);
        assert_eq!((wins.arms(), wins.wins_of(0)), (1, 0));
    }

    #[test]
    fn coins_are_fair_and_each_pair_has_its_own() {
        let arms = 130;
        let mut generator = Generator::seed_from_u64(6);
        let rounds = 400_u32;
        let mut first = vec![0_u32; arms * arms];
        for _ in 0..rounds {
            let mut wins = PairWins::from_scores(&vec![0; arms]);
            wins.resolve_ties(&mut generator);
            for i in 0..arms {
                for j in 0..arms {
                    first[i * arms + j] += u32::from(wins.beats(i, j));
                }
            }
        }
        // Six standard deviations (10 each): 8,385 pairs are tested.
        for i in 0..arms {
            for j in 0..i {
                assert!(first[i * arms + j].abs_diff(rounds / 2) < 60, "pair {i}, {j}");
            }
        }
    }
}
