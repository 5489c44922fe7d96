//! A value for every ordered pair of arms, and the table of wins, which is the one that most algorithms keep.

use std::ops::{Index, IndexMut};

use crate::Arm;
use crate::state;
use crate::state::{Plain, State, StateError, StateReader, StateWriter};

/// A K x K table, `table[(i, j)]`, stored row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable<T> {
    arms: usize,
    cells: Vec<T>,
}

state!(bounded T: Plain => PairTable<T> { cells } but { arms });

/// A table that is there only if its owner's configuration needs it.
impl<T: Plain> State for Option<PairTable<T>> {
    fn save(&self, to: &mut StateWriter) {
        self.iter().for_each(|table| table.save(to));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.iter_mut().try_for_each(|table| table.load(from))
    }
}

/// How often each arm beat each other one: `wins[(i, j)]` counts the duels that i won against j.
pub type PairCounts = PairTable<u32>;

impl<T: Copy> PairTable<T> {
    /// Every cell at `value`.
    pub fn new(arms: usize, value: T) -> Self {
        Self { arms, cells: vec![value; arms * arms] }
    }

    /// Every cell at `value`, those of an arm and itself at `diagonal`.
    pub fn with_diagonal(arms: usize, value: T, diagonal: T) -> Self {
        let mut table = Self::new(arms, value);
        for arm in 0..arms {
            table[(arm, arm)] = diagonal;
        }
        table
    }

    /// The number of arms.
    #[inline]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// The cells (i, 0), (i, 1), ...
    #[inline]
    pub fn row(&self, i: usize) -> &[T] {
        &self.cells[i * self.arms..(i + 1) * self.arms]
    }

    /// As [`row`](Self::row).
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.cells[i * self.arms..(i + 1) * self.arms]
    }

    /// The cells (0, j), (1, j), ...
    pub fn column(&self, j: usize) -> impl Iterator<Item = T> + '_ {
        self.cells.iter().skip(j).step_by(self.arms).copied()
    }
}

impl<T> Index<(usize, usize)> for PairTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &T {
        debug_assert!(j < self.arms);
        &self.cells[i * self.arms + j]
    }
}

impl<T> IndexMut<(usize, usize)> for PairTable<T> {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        debug_assert!(j < self.arms);
        &mut self.cells[i * self.arms + j]
    }
}

impl<T> Index<(Arm, Arm)> for PairTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, (i, j): (Arm, Arm)) -> &T {
        &self[(i.index(), j.index())]
    }
}

impl<T> IndexMut<(Arm, Arm)> for PairTable<T> {
    #[inline]
    fn index_mut(&mut self, (i, j): (Arm, Arm)) -> &mut T {
        &mut self[(i.index(), j.index())]
    }
}

impl PairCounts {
    /// Counts a duel and returns the wins of the winner over the loser, and of the loser over the winner.
    #[inline]
    pub fn record(&mut self, winner: usize, loser: usize) -> (u32, u32) {
        let wins = &mut self[(winner, loser)];
        *wins += 1;
        (*wins, self[(loser, winner)])
    }

    /// The wins of `i` over `j`, and of `j` over `i`.
    #[inline]
    pub fn between(&self, i: usize, j: usize) -> (u32, u32) {
        (self[(i, j)], self[(j, i)])
    }

    /// How often `i` and `j` met.
    #[inline]
    pub fn met(&self, i: usize, j: usize) -> u32 {
        self[(i, j)] + self[(j, i)]
    }

    /// The share of their duels that `i` won against `j`; not a number if they never met.
    #[cfg(feature = "reference")]
    pub(crate) fn mean(&self, i: usize, j: usize) -> f64 {
        f64::from(self[(i, j)]) / f64::from(self.met(i, j))
    }

    /// Whether `i` won more than half of its duels with `j`.
    #[inline]
    pub fn beats(&self, i: usize, j: usize) -> bool {
        self[(i, j)] > self[(j, i)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_columns_and_pairs_are_the_same_cells() {
        let mut wins = PairCounts::with_diagonal(3, 1, 0);
        assert_eq!(wins.record(2, 0), (2, 1));
        assert_eq!((wins[(2, 0)], wins[(Arm(2), Arm(0))]), (2, 2));
        assert_eq!((wins.between(0, 2), wins.met(0, 2)), ((1, 2), 3));
        assert!(wins.beats(2, 0) && !wins.beats(0, 2) && !wins.beats(0, 1));
        assert_eq!(wins.row(2), [2, 1, 0]);
        assert_eq!(wins.column(0).collect::<Vec<_>>(), [0, 1, 2]);
        wins.row_mut(1)[2] = 7;
        assert_eq!((wins[(1, 2)], wins.arms()), (7, 3));
    }
}
