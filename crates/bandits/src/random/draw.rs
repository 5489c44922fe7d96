//! Uniform draws, coins and shuffles, each pinned by a test: what they return for a given generator is part of
//! every published number.

use rand::Rng as _;

use crate::{Arm, Generator, plain};

/// Uniform on `0..n`, `n >= 1`. Draws nothing where there is nothing to choose (`n = 1`).
///
/// Multiply and reject: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS
/// 29(1), 2019, <https://doi.org/10.1145/3230636>.
#[inline]
pub fn below(generator: &mut Generator, n: usize) -> usize {
    debug_assert!(n >= 1 && u32::try_from(n).is_ok());
    if n <= 1 {
        return 0;
    }
    let n = n as u64;
    let mut product = (generator.next_u64() >> 32) * n;
    if (product & 0xffff_ffff) < n {
        let threshold = (1_u64 << 32) % n;
        while (product & 0xffff_ffff) < threshold {
            product = (generator.next_u64() >> 32) * n;
        }
    }
    (product >> 32) as usize
}

/// A fair coin.
#[inline]
pub fn coin(generator: &mut Generator) -> bool {
    generator.next_u64() >> 63 == 1
}

/// Shuffles in place (Fisher and Yates), from the last place down.
pub fn shuffle<T>(generator: &mut Generator, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(generator, last + 1));
    }
}

/// Swaps a random one of the items from `place` on into `place`: a step of a shuffle from the first place up.
#[inline]
pub(crate) fn draw_into<T>(generator: &mut Generator, items: &mut [T], place: usize) {
    items.swap(place, place + below(generator, items.len() - place));
}

/// The index of the largest value, ties uniformly at random; `None` of nothing.
pub(crate) fn argmax<T: PartialOrd + Copy>(
    generator: &mut Generator,
    values: impl Iterator<Item = T> + Clone,
) -> Option<usize> {
    let mut best: Option<T> = None;
    let mut ties = 0;
    for value in values.clone() {
        match best {
            Some(top) if value == top => ties += 1,
            Some(top) if value < top => {}
            _ => {
                best = Some(value);
                ties = 1;
            }
        }
    }
    let top = best?;
    let chosen = below(generator, ties.max(1));
    values.enumerate().filter(|(_, value)| *value == top).nth(chosen).map(|(index, _)| index)
}

/// The arm of the largest score, ties uniformly at random; `None` if there are no scores. They are those of arm 0, 1, ... in
/// this order.
pub fn best_arm<T: PartialOrd + Copy>(
    generator: &mut Generator,
    scores: impl Iterator<Item = T> + Clone,
) -> Option<Arm> {
    argmax(generator, scores).map(Arm::at)
}

/// Fair coins, 64 to a draw.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Coins {
    bits: u64,
    left: u32,
}

plain!(Coins { bits, left });

impl Coins {
    /// Tosses one.
    #[inline]
    pub(crate) fn toss(&mut self, generator: &mut Generator) -> bool {
        if self.left == 0 {
            self.bits = generator.next_u64();
            self.left = 64;
        }
        let heads = self.bits & 1 == 1;
        self.bits >>= 1;
        self.left -= 1;
        heads
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let drawn: Vec<usize> = (0..8).map(|_| below(&mut generator, 10)).collect();
        let mut items = [0, 1, 2, 3, 4, 5];
        shuffle(&mut generator, &mut items);
        let mut coins = Coins::default();
        let tossed: String = (0..12).map(|_| if coins.toss(&mut generator) { 'h' } else { 't' }).collect();
        assert_eq!(drawn, [8, 7, 1, 7, 1, 5, 9, 5]);
        assert_eq!(items, [2, 4, 1, 3, 5, 0]);
        assert_eq!(tossed, "htthtthttttt");
    }

    #[test]
    fn below_is_uniform() {
        let (n, draws) = (7, 70_000_u32);
        let mut counts = [0_u32; 7];
        let mut generator = Generator::seed_from_u64(2);
        for _ in 0..draws {
            counts[below(&mut generator, n)] += 1;
        }
        // Five standard deviations of a binomial count.
        let mean = f64::from(draws) / 7.0;
        let bound = 5.0 * (mean * 6.0 / 7.0).sqrt();
        for count in counts {
            assert!((f64::from(count) - mean).abs() < bound, "{counts:?}");
        }
    }

    #[test]
    fn nothing_to_choose_draws_nothing() {
        let mut generator = Generator::seed_from_u64(3);
        let before = generator.clone();
        assert_eq!(below(&mut generator, 1), 0);
        assert_eq!(argmax(&mut generator, [3, 1, 2].into_iter()), Some(0));
        assert_eq!(generator, before);
    }

    #[test]
    fn ties_are_broken_evenly() {
        let mut generator = Generator::seed_from_u64(4);
        let mut counts = [0; 4];
        for _ in 0..30_000 {
            counts[argmax(&mut generator, [2, 5, 5, 5].into_iter()).expect("four values")] += 1;
        }
        assert_eq!(counts[0], 0);
        // Five standard deviations of Binomial(30,000, 1/3) are 408.
        assert!(counts[1..].iter().all(|&count: &i32| (count - 10_000).abs() < 408), "{counts:?}");
        assert_eq!(argmax(&mut generator, std::iter::empty::<u8>()), None);
    }
}
