//! The smallest of each row of many values, as single values change: values stand in blocks, each with its smallest and the
//! places that hold it at hand.

use crate::Generator;
use crate::confidence::lanes::bits_by_sum;
use crate::random::{below, draw_bit, nth_bit};
use crate::state;

/// Values to a block: two lines of cache.
const BLOCK_VALUES: usize = 16;
/// Values to a word of places.
const WORD_VALUES: usize = 64;
/// Blocks to a word.
const WORD_BLOCKS: usize = WORD_VALUES / BLOCK_VALUES;

/// Rows of values.
#[derive(Debug, Clone)]
pub(crate) struct RowMinima {
    /// Words to a row.
    words: usize,
    /// Row by row, each filled up to whole words with values that are never the smallest.
    values: Vec<f64>,
    /// The smallest of each block.
    lows: Vec<f64>,
    /// Its places, as bits.
    places: Vec<u64>,
}

state!(RowMinima { values, lows, places } but { words });

impl RowMinima {
    /// `rows` rows of `columns` times `value`, and infinity on the diagonal.
    pub(crate) fn new(rows: usize, columns: usize, value: f64) -> Self {
        let words = columns.div_ceil(WORD_VALUES);
        let mut values = vec![f64::INFINITY; rows * words * WORD_VALUES];
        for (number, row) in values.chunks_exact_mut((words * WORD_VALUES).max(1)).enumerate() {
            row[..columns].fill(value);
            row[number] = f64::INFINITY;
        }
        let mut minima =
            Self { words, values, lows: vec![0.0; rows * words * WORD_BLOCKS], places: vec![0; rows * words] };
        for block in 0..minima.lows.len() {
            minima.renew(block);
        }
        minima
    }

    /// A row's values, and perhaps infinite ones after them.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        let stride = self.words * WORD_VALUES;
        &self.values[row * stride..(row + 1) * stride]
    }

    /// Rewrites a value.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, column: usize, value: f64) {
        let at = row * self.words * WORD_VALUES + column;
        self.values[at] = value;
        let (block, bit) = (at / BLOCK_VALUES, 1 << (at % WORD_VALUES));
        let (low, places) = (&mut self.lows[block], &mut self.places[at / WORD_VALUES]);
        // No branch: whether it is the smallest now cannot be predicted.
        let of_block = places_of(block);
        let kept = *places & !bit & if value < *low { !of_block } else { u64::MAX };
        *places = kept | if value <= *low { bit } else { 0 };
        *low = smaller(value, *low);
        if *places & of_block == 0 {
            self.renew(block);
        }
    }

    /// Looks for the smallest of a block.
    fn renew(&mut self, block: usize) {
        let values = &self.values.as_chunks::<BLOCK_VALUES>().0[block];
        let low = smallest_of_block(values);
        let half = |first: usize| u64::from(bits_by_sum(|place| values[first + place] == low));
        let bits = half(0) | half(BLOCK_VALUES / 2) << (BLOCK_VALUES / 2);
        self.lows[block] = low;
        let places = &mut self.places[block / WORD_BLOCKS];
        *places = *places & !places_of(block) | bits << (block % WORD_BLOCKS * BLOCK_VALUES);
    }

    /// One of the columns of a row that hold its smallest value, each as likely.
    #[inline]
    pub(crate) fn draw_smallest(&self, row: usize, generator: &mut Generator) -> usize {
        let words = row * self.words..(row + 1) * self.words;
        let (lows, _) = self.lows.as_chunks::<WORD_BLOCKS>();
        let (lows, places) = (&lows[words.clone()], &self.places[words]);
        let mut lanes = [f64::INFINITY; WORD_BLOCKS];
        for lows in lows {
            lanes = std::array::from_fn(|lane| smaller(lows[lane], lanes[lane]));
        }
        let smallest = smaller(smaller(lanes[0], lanes[2]), smaller(lanes[1], lanes[3]));
        let smallest_places = |(lows, &places): (&[f64; WORD_BLOCKS], &u64)| {
            let of_block = |block: usize| u64::from(lows[block] == smallest).wrapping_neg() & places_of(block);
            (of_block(0) | of_block(1)) & places | (of_block(2) | of_block(3)) & places
        };
        if let ([lows], [places]) = (lows, places) {
            return draw_bit(smallest_places((lows, places)), generator);
        }
        let words = || lows.iter().zip(places).map(smallest_places);
        let count = words().map(u64::count_ones).sum::<u32>();
        let mut nth = below(generator, count as usize) as u32;
        for (word, smallest_places) in words().enumerate() {
            let here = smallest_places.count_ones();
            if nth < here {
                return word * WORD_VALUES + nth_bit(smallest_places, nth);
            }
            nth -= here;
        }
        0
    }
}

/// The bits of a block in its word of places.
#[inline]
fn places_of(block: usize) -> u64 {
    0xffff << (block % WORD_BLOCKS * BLOCK_VALUES)
}

/// Without a branch.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline]
fn smallest_of_block(block: &[f64; BLOCK_VALUES]) -> f64 {
    let eight: [f64; 8] = std::array::from_fn(|lane| smaller(block[lane], block[lane + 8]));
    let four: [f64; 4] = std::array::from_fn(|lane| smaller(eight[lane], eight[lane + 4]));
    smaller(smaller(four[0], four[2]), smaller(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn one_of_the_smallest_each_as_likely() {
        let mut generator = Generator::seed_from_u64(1);
        for (rows, columns) in [(2, 2), (3, 16), (2, 17), (1, 130)] {
            let mut minima = RowMinima::new(rows, columns, 5.0);
            let mut plain = vec![vec![5.0; columns]; rows];
            for (number, row) in plain.iter_mut().enumerate() {
                row[number] = f64::INFINITY;
            }
            for _ in 0..3_000 {
                let (row, column) = (below(&mut generator, rows), below(&mut generator, columns));
                // Few values, so that there are ties.
                let value = below(&mut generator, 9) as f64;
                minima.set(row, column, value);
                plain[row][column] = value;
                assert_eq!(minima.row(row)[..columns], plain[row]);
                let smallest = plain[row].iter().copied().fold(f64::INFINITY, f64::min);
                let all: Vec<usize> = (0..columns).filter(|&column| plain[row][column] == smallest).collect();
                let expected = all[below(&mut generator.clone(), all.len())];
                assert_eq!(minima.draw_smallest(row, &mut generator), expected);
            }
        }
    }
}
