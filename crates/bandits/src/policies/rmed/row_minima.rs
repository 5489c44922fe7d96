//! The smallest of each row of many values, as single values change: values stand in blocks, each with
//! its smallest at hand.

use std::ops::Range;

use crate::state::state;

/// Values to a block: two lines of cache of doubles.
const BLOCK: usize = 16;

/// Rows of values.
#[derive(Debug, Clone)]
pub(crate) struct RowMinima<T> {
    /// Blocks to a row.
    blocks: usize,
    /// Row by row, each filled up to whole blocks with values that are never the smallest.
    values: Vec<T>,
    /// The smallest of each block.
    lows: Vec<T>,
}

state!(generic T: RowMinima<T> { values, lows } but { blocks });

impl<T: PartialOrd + Copy> RowMinima<T> {
    /// `rows` rows of `columns` times `value`; nothing is larger than `top`.
    pub(crate) fn new(rows: usize, columns: usize, value: T, top: T) -> Self {
        let blocks = columns.div_ceil(BLOCK);
        let mut values = vec![top; rows * blocks * BLOCK];
        for row in values.chunks_exact_mut((blocks * BLOCK).max(1)) {
            row[..columns].fill(value);
        }
        Self { blocks, values, lows: vec![value; rows * blocks] }
    }

    /// The value in a row's column.
    #[inline]
    pub(crate) fn get(&self, row: usize, column: usize) -> T {
        self.values[row * self.blocks * BLOCK + column]
    }

    /// A row's values, and perhaps some of `top` after them.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[T] {
        let stride = self.blocks * BLOCK;
        &self.values[row * stride..(row + 1) * stride]
    }

    /// Rewrites a value.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, column: usize, value: T) {
        let at = row * self.blocks * BLOCK + column;
        let was = std::mem::replace(&mut self.values[at], value);
        let block = at / BLOCK;
        let low = self.lows[block];
        if value <= low {
            self.lows[block] = value;
        } else if was <= low {
            let (values, _) = self.values.as_chunks::<BLOCK>();
            self.lows[block] = smallest_of_block(&values[block]);
        }
    }

    fn lows_of(&self, row: usize) -> Range<usize> {
        row * self.blocks..(row + 1) * self.blocks
    }

    /// The smallest of a row, which is not empty.
    #[inline]
    pub(crate) fn smallest(&self, row: usize) -> T {
        let lows = &self.lows[self.lows_of(row)];
        let mut lanes = [lows[0]; 4];
        let (fours, rest) = lows.as_chunks::<4>();
        for four in fours {
            for (lane, &low) in lanes.iter_mut().zip(four) {
                *lane = smaller(low, *lane);
            }
        }
        lanes.iter().chain(rest).fold(lanes[0], |smallest, &low| smaller(low, smallest))
    }

    /// The columns of a row that hold its smallest value, rising.
    #[inline]
    pub(crate) fn holders(&self, row: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let smallest = self.smallest(row);
        let (values, _) = self.values.as_chunks::<BLOCK>();
        let blocks = self.lows_of(row);
        let first = blocks.start;
        let holding = blocks.filter(move |&block| self.lows[block] == smallest);
        holding.flat_map(move |block| {
            let held = values[block].iter().enumerate().filter(move |&(_, &value)| value == smallest);
            held.map(move |(place, _)| (block - first) * BLOCK + place)
        })
    }
}

/// Without a branch.
#[inline]
fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

#[inline]
fn smallest_of_block<T: PartialOrd + Copy>(block: &[T; BLOCK]) -> T {
    let eight: [T; 8] = std::array::from_fn(|lane| smaller(block[lane], block[lane + 8]));
    let four: [T; 4] = std::array::from_fn(|lane| smaller(eight[lane], eight[lane + 4]));
    smaller(smaller(four[0], four[2]), smaller(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::random::below;

    #[test]
    fn the_smallest_and_its_places() {
        let mut generator = Generator::seed_from_u64(1);
        for (rows, columns) in [(1, 1), (3, 16), (2, 17), (1, 130)] {
            let mut minima = RowMinima::new(rows, columns, 5_i64, i64::MAX);
            let mut plain = vec![vec![5_i64; columns]; rows];
            for _ in 0..3_000 {
                let (row, column) = (below(&mut generator, rows), below(&mut generator, columns));
                // Few values, so that there are ties.
                let value = below(&mut generator, 9) as i64;
                minima.set(row, column, value);
                plain[row][column] = value;
                assert_eq!(minima.get(row, column), value);
                assert_eq!(minima.row(row)[..columns], plain[row]);
                let smallest = plain[row].iter().min().copied().expect("a value");
                assert_eq!(minima.smallest(row), smallest);
                let all: Vec<usize> = (0..columns).filter(|&column| plain[row][column] == smallest).collect();
                assert_eq!(minima.holders(row).collect::<Vec<_>>(), all);
            }
        }
    }
}
