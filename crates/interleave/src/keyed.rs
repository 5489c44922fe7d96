//! Random streams with keys: those of an impression follow from a seed, the number of the run and the number of
//! the impression, and from nothing else.
//!
//! Impressions can then be played in any order, on several machines, or one half here and the other half there, with
//! the same outcomes: a server draws the list of impression 7 and the coin that breaks its tie, and its clients draw
//! the query and the clicks, or repeat the impression later to check it. What one draws never shifts what another
//! draws, so [`compare`](crate::Interleaving::compare) and [`draw`](crate::Interleaving::draw) followed by
//! [`credit`](crate::Interleaving::credit) agree in every impression, although they leave their generator in
//! different states.
//!
//! ```
//! use interleave::keyed::RunKey;
//! use interleave::{AnyInterleaving, Interleaving, ListBuf, Preference};
//!
//! let method: AnyInterleaving = "probabilistic".parse()?;
//! let [ours, theirs] = [ListBuf::from_scores(&[0.9, 0.7, 0.1])?, ListBuf::from_scores(&[0.2, 0.8, 0.8])?];
//! let lists = [ours.as_list(), theirs.as_list()];
//!
//! // The third run of seed 42, impression 1,000: what is shown, and who won by a click on its second place.
//! let key = RunKey::new(42, 2).impression(1_000);
//! let (shown, receipt) = method.draw(lists, 3, &mut key.lists(), &mut Default::default());
//! let winner = match method.credit(&receipt, &[1])? {
//!     Preference::Tie if key.coin() => Preference::First,
//!     Preference::Tie => Preference::Second,
//!     decided => decided,
//! };
//! assert_eq!((shown.len(), winner), (3, Preference::Second));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How keys become streams
//!
//! With `mix` for the finaliser of SplitMix64 and all arithmetic modulo 2^64: the four words of a run's key are
//! `mix(w + (run + 1) * G)`, where `w` are the first four numbers of the generator seeded with `seed_from_u64(seed)`
//! and `G` is 0x9e3779b97f4a7c15. The four words of the generator of stream `s` of impression `n` are
//! `mix(k + (4 n + s) * G)`, where `k` are those of the run. The streams are 0 for the query, 1 for the lists, 2 for
//! users and 3 for coins. Each word takes every value once as `4 n + s` runs through all 64-bit numbers, so no two
//! streams of a run begin in the same state.
//!
//! ## References
//!
//! - Steele, Lea, Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
//!   <https://doi.org/10.1145/2660193.2660195> (SplitMix64; its finaliser is variant 13 of D. Stafford)
//! - Blackman, Vigna. Scrambled linear pseudorandom number generators. ACM TOMS 47(4), 2021.
//!   <https://doi.org/10.1145/3460772> (xoshiro256++, and that SplitMix64 should initialise it)

use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::Generator;
use crate::random::below;

/// 2^64 over the golden ratio, odd: the step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Streams per impression.
const STREAMS: u64 = 4;

/// The seed for a text, e.g. the id that a search engine gave an impression: the first eight bytes,
/// little-endian, of the SHA-256 of its UTF-8.
///
/// ```
/// use interleave::keyed::seed_of;
///
/// assert_eq!(seed_of("abc"), 0xeacf_018f_bf16_78ba);
/// ```
#[must_use]
pub fn seed_of(id: &str) -> u64 {
    u64::from_le_bytes(Sha256::digest(id.as_bytes()).first_chunk().copied().unwrap_or_default())
}

/// The key of a run: with the number of an impression it gives the impression's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunKey {
    words: [u64; 4],
}

impl RunKey {
    /// The key of run number `run` of a master seed.
    #[must_use]
    pub fn new(seed: u64, run: u64) -> Self {
        let mut generator = Generator::seed_from_u64(seed);
        let mut word = || mix(generator.next_u64().wrapping_add(run.wrapping_add(1).wrapping_mul(STEP)));
        Self { words: [word(), word(), word(), word()] }
    }

    /// The key of an impression of the run. Any number below 2^62 is an impression; `rankduel` counts from 1.
    #[inline]
    #[must_use]
    pub fn impression(self, number: u64) -> ImpressionKey {
        let offset = number.wrapping_mul(STREAMS).wrapping_mul(STEP);
        ImpressionKey { words: self.words.map(|word| word.wrapping_add(offset)) }
    }
}

/// The key of one impression: four independent streams.
///
/// Every call returns a stream from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpressionKey {
    words: [u64; 4],
}

impl ImpressionKey {
    /// The query, from `0..queries`, each equally likely up to a share of `queries` / 2^64.
    ///
    /// # Panics
    /// If there are no queries.
    #[inline]
    #[must_use]
    pub fn query(self, queries: usize) -> usize {
        assert!(queries > 0, "an impression needs a query");
        below(queries, &mut self.stream(0))
    }

    /// Draws the mixed list.
    #[inline]
    #[must_use]
    pub fn lists(self) -> Generator {
        self.stream(1)
    }

    /// Draws what the user does.
    #[inline]
    #[must_use]
    pub fn users(self) -> Generator {
        self.stream(2)
    }

    /// Breaks ties of several rankers, pair by pair.
    #[inline]
    #[must_use]
    pub fn coins(self) -> Generator {
        self.stream(3)
    }

    /// The coin that breaks the tie of two rankers: whether the first wins.
    #[inline]
    #[must_use]
    pub fn coin(self) -> bool {
        self.coins().next_u64() & 1 == 1
    }

    #[inline]
    fn stream(self, number: u64) -> Generator {
        let offset = number.wrapping_mul(STEP);
        of_words(self.words.map(|word| mix(word.wrapping_add(offset))))
    }
}

/// The generator of `seed_from_u64`: that of the library is a call and a loop over bytes, longer than the draws of most lists.
#[inline]
pub(crate) fn seeded(seed: u64) -> Generator {
    of_words([1, 2, 3, 4].map(|number: u64| mix(seed.wrapping_add(number.wrapping_mul(STEP)))))
}

/// The generator with this state.
#[inline]
fn of_words(words: [u64; 4]) -> Generator {
    let mut state = [0; 32];
    for (bytes, word) in state.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    Generator::from_seed(state)
}

/// The finaliser of SplitMix64: one to one, and every bit depends on all bits.
#[inline]
const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn first_numbers(key: ImpressionKey) -> [u64; 4] {
        [0, 1, 2, 3].map(|stream| key.stream(stream).next_u64())
    }

    /// Published outcomes depend on these numbers. They were computed elsewhere, from the formula above.
    #[test]
    fn value_stability() {
        let key = RunKey::new(1, 0);
        assert_eq!(
            key.words,
            [
                1_745_747_096_704_675_986,
                4_207_000_433_135_059_905,
                4_691_369_938_555_337_040,
                4_115_607_094_077_296_716
            ]
        );
        assert_eq!(
            first_numbers(key.impression(1)),
            [
                10_037_144_635_685_028_184,
                12_800_284_796_664_624_552,
                14_654_142_601_941_298_398,
                2_196_517_361_781_555_834
            ]
        );
        let (other, last) = (RunKey::new(42, 7).impression(1 << 40), key.impression((1 << 62) - 1));
        assert_eq!(
            first_numbers(other),
            [
                13_440_373_275_146_121_357,
                5_865_756_463_020_899_984,
                11_897_774_295_806_393_325,
                18_363_416_073_217_689_959
            ]
        );
        assert_eq!(
            first_numbers(last),
            [
                11_517_379_572_218_962_301,
                10_554_917_585_080_095_802,
                6_206_410_543_919_662_085,
                9_643_794_663_680_910_671
            ]
        );
        assert_eq!([1, 2, 3].map(|number| key.impression(number).query(1_000)), [544, 794, 549]);
        assert_eq!([1, 2, 3, 4].map(|number| key.impression(number).coin()), [false, true, false, false]);
    }

    #[test]
    fn seeds_are_those_of_the_library() {
        for seed in (0..100).chain([u64::MAX, 1 << 63, STEP.wrapping_neg()]) {
            assert_eq!(seeded(seed), Generator::seed_from_u64(seed));
        }
    }

    /// The documented formula, in plain arithmetic.
    #[test]
    fn the_formula() {
        let mut splitmix = 5_u64;
        let state: Vec<u8> = (0..4)
            .flat_map(|_| {
                splitmix = splitmix.wrapping_add(STEP);
                mix(splitmix).to_le_bytes()
            })
            .collect();
        let mut generator = Generator::from_seed(state.try_into().unwrap());
        let run = [0; 4].map(|_| mix(generator.next_u64().wrapping_add(4_u64.wrapping_mul(STEP))));
        assert_eq!(RunKey::new(5, 3).words, run);
        for (stream, first) in (0..).zip(first_numbers(RunKey::new(5, 3).impression(9))) {
            let words = run.map(|word| mix(word.wrapping_add((4_u64 * 9 + stream).wrapping_mul(STEP))));
            let state: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(Generator::from_seed(state.try_into().unwrap()).next_u64(), first);
        }
    }

    #[test]
    fn streams_differ_in_every_part_of_the_key() {
        let mut seen = BTreeSet::new();
        for (seed, run, number) in [(1, 0, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1), (u64::MAX, 0, 0)]
        {
            seen.extend(first_numbers(RunKey::new(seed, run).impression(number)));
        }
        assert_eq!(seen.len(), 7 * 4);
    }

    /// First numbers of streams are even, and those of neighbours (in number, stream, run or seed) are independent.
    ///
    /// Of n numbers in 16 classes, or pairs in 16 x 16, chi-square has mean d and variance 2 d with d = 15 or 255
    /// degrees of freedom; by the Laurent and Massart bound it exceeds d + 2 sqrt(d x) + 2 x with probability below
    /// e^-x, where x = 20 here: 2e-9.
    #[test]
    fn first_numbers_are_even_and_independent() {
        const IMPRESSIONS: u64 = 1 << 16;
        let most = |freedom: f64| freedom + 2.0 * (20.0 * freedom).sqrt() + 40.0;
        let chi_square = |counts: &[u32]| {
            let expected = IMPRESSIONS as f64 / counts.len() as f64;
            counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum::<f64>()
        };
        let class = |number: u64| (number >> 60) as usize;
        for (shift, name) in [(0, "highest"), (60, "lowest")] {
            let numbers = |seed, run, impression| {
                first_numbers(RunKey::new(seed, run).impression(impression)).map(|number| class(number << shift))
            };
            let mut single = [[0_u32; 16]; 4];
            let mut paired = vec![[0_u32; 256]; 4 * 4 + 6];
            for impression in 1..=IMPRESSIONS {
                let here = numbers(1, 0, impression);
                let next = numbers(1, 0, impression + 1);
                let neighbours = [next, numbers(1, 1, impression), numbers(2, 0, impression)];
                let mut pairs = paired.iter_mut();
                let mut count = |first: usize, second: usize| {
                    pairs.next().unwrap()[16 * first + second] += 1;
                };
                for stream in 0..4 {
                    single[stream][here[stream]] += 1;
                    neighbours.iter().for_each(|there| count(here[stream], there[stream]));
                    count(here[stream], next[(stream + 1) % 4]);
                    (0..stream).for_each(|other| count(here[stream], here[other]));
                }
            }
            for counts in &single {
                assert!(chi_square(counts) < most(15.0), "{name} bits: {}", chi_square(counts));
            }
            for counts in &paired {
                assert!(chi_square(counts) < most(255.0), "{name} bits: {}", chi_square(counts));
            }
        }
    }
}
