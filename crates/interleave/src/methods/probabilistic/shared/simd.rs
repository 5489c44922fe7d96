//! The lists of sixteen pairs, drawn side by side: while one list waits, the others use the processor.
//!
//! A list takes the documents of two sequences in the order that coins say. Each pair is a lane of a vector, and a document
//! is a bit: the turn at which it comes in a sequence. So a position costs the same few operations for all pairs, without a
//! branch, and without reading from memory at an address that the position before has to find first.
//!
//! The vectors are those of AVX2, if the processor has it; the plain form, for all other processors, is
//! `SharedImpression::meet`.

use super::intent::Intent;
use crate::Doc;
use crate::methods::probabilistic::batched::MAX_DEPTH;

/// How many pairs are drawn side by side.
pub(super) const LANES: usize = 16;

/// The number in a lane: turns are its bits.
pub(super) type Lane = u16;

const _: () = assert!(MAX_DEPTH == Lane::BITS as usize);

type Lanes = [Lane; LANES];

/// Pairs with lists that are drawn together.
#[derive(Debug, Clone, Default)]
pub(super) struct SimdDraw {
    coins: Lanes,
    /// By turn of the first ranker: the turn of the same document in the sequence of the second, as a bit; 0 if it has none.
    turns_of_second: [Lanes; MAX_DEPTH],
    /// By ranker: the turns with documents that are clicked, and at which the user leaves, as bits.
    clicked: [Lanes; 2],
    abandoned: [Lanes; 2],
    /// By position: the turn of the document, and [`MAX_DEPTH`] more where it is the second ranker's.
    shown: [Lanes; MAX_DEPTH],
    /// The positions that are clicked, as bits.
    clicks: Lanes,
}

/// The input of all pairs' lists: turns as bits, by ranker, so that rankers that follow each other fill lanes that do.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    /// By document: at which turn of each ranker's sequence it comes, 0 if at none.
    bits: Vec<Lane>,
    /// Lanes per document: one for each ranker, and as many more as a row that begins with the last reaches beyond it.
    stride: usize,
    clicked: Vec<Lane>,
    abandoned: Vec<Lane>,
}

impl Turns {
    /// Starts with `documents` and `rankers`, all turns unknown.
    pub(super) fn start(&mut self, documents: usize, rankers: usize) {
        self.stride = rankers + LANES - 1;
        for (lanes, len) in [
            (&mut self.bits, documents * self.stride),
            (&mut self.clicked, self.stride),
            (&mut self.abandoned, self.stride),
        ] {
            lanes.clear();
            lanes.resize(len, 0);
        }
    }

    /// Adds a ranker, its sequence, of at most [`MAX_DEPTH`] documents, and what the user does with these.
    pub(super) fn add(&mut self, ranker: usize, sequence: &[Doc], intent: Intent) {
        self.clicked[ranker] = intent.clicked as Lane;
        self.abandoned[ranker] = intent.abandoned as Lane;
        for (turn, doc) in sequence.iter().enumerate() {
            self.bits[doc.index() * self.stride + ranker] = 1 << turn;
        }
    }
}

impl SimdDraw {
    /// Whether this processor can draw so.
    pub(super) fn is_possible() -> bool {
        #[cfg(target_arch = "x86_64")]
        let possible = is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let possible = false;
        possible
    }

    /// Puts one pair into a lane. `sequence` is that of the first ranker.
    #[inline]
    pub(super) fn set(&mut self, lane: usize, coins: u64, pair: [usize; 2], sequence: &[Doc], turns: &Turns) {
        self.coins[lane] = coins as Lane;
        for (x, ranker) in pair.into_iter().enumerate() {
            self.clicked[x][lane] = turns.clicked[ranker];
            self.abandoned[x][lane] = turns.abandoned[ranker];
        }
        for (met, doc) in self.turns_of_second.iter_mut().zip(sequence) {
            met[lane] = turns.bits[doc.index() * turns.stride + pair[1]];
        }
    }

    /// Puts pairs into all lanes: the first ranker, and those from the second on, as many as there are.
    #[inline]
    pub(super) fn set_row(&mut self, coins: [Lane; LANES], pair: [usize; 2], sequence: &[Doc], turns: &Turns) {
        let [first, second] = pair;
        let row = |of: &[Lane]| -> Lanes { of[second..].first_chunk().copied().unwrap_or_default() };
        self.coins = coins;
        self.clicked = [[turns.clicked[first]; LANES], row(&turns.clicked)];
        self.abandoned = [[turns.abandoned[first]; LANES], row(&turns.abandoned)];
        for (met, doc) in self.turns_of_second.iter_mut().zip(sequence) {
            *met = row(&turns.bits[doc.index() * turns.stride..]);
        }
    }

    /// Draws the lists, of `depth` documents.
    ///
    /// # Panics
    /// If it is not [possible](Self::is_possible).
    #[inline]
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the compiler does not count on AVX2"))]
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "it is never possible elsewhere"))]
    pub(super) fn draw(&mut self, depth: usize) {
        assert!(Self::is_possible(), "AVX2");
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has AVX2, as was just checked.
        unsafe {
            self.draw_in_vectors(depth);
        }
    }

    /// The positions of a list that are clicked, as bits.
    #[inline]
    pub(super) fn clicks(&self, lane: usize) -> u16 {
        self.clicks[lane]
    }

    /// For each position of a list: the ranker of its document, and the document's turn.
    #[inline]
    pub(super) fn shown(&self, lane: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.shown.iter().map(move |lanes| {
            let shown = usize::from(lanes[lane]);
            (shown / MAX_DEPTH % 2, shown % MAX_DEPTH)
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn draw_in_vectors(&mut self, depth: usize) {
        use std::arch::x86_64::{
            __m256i, _mm256_add_epi16, _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256,
            _mm256_cmpeq_epi16, _mm256_mullo_epi16, _mm256_or_si256, _mm256_set1_epi16, _mm256_setzero_si256,
            _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_sub_epi16,
        };

        let vector = |lanes: Lanes| -> __m256i { bytemuck::cast(lanes) };
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(1));
        let ones = _mm256_cmpeq_epi16(zero, zero);
        let turns = _mm256_broadcastsi128_si256(bytemuck::cast(TURNS));
        let pairs_met = self.turns_of_second.map(vector);
        let intents = [0, 1].map(|x| [self.clicked[x], self.abandoned[x]].map(vector));

        let beyond = _mm256_set1_epi16(((u32::MAX << depth) & 0xffff) as i16);
        let (mut gone_first, mut gone_second) = (beyond, beyond);
        let mut coins = vector(self.coins);
        let (mut clicks, mut has_left) = (zero, zero);
        let mut position_bit = one;
        for position in 0..depth.min(MAX_DEPTH) {
            // No list is further in either sequence.
            let pairs_met = &pairs_met[..=position];
            // The first's documents that the second ranker has shown.
            let mut bit = one;
            for met in pairs_met {
                let not_yet = _mm256_cmpeq_epi16(_mm256_and_si256(*met, gone_second), zero);
                gone_first = _mm256_or_si256(gone_first, _mm256_andnot_si256(not_yet, bit));
                bit = _mm256_add_epi16(bit, bit);
            }
            // The next document is the lowest turn that is not gone.
            let next = |gone: __m256i| _mm256_andnot_si256(gone, _mm256_sub_epi16(gone, ones));
            let is_first = _mm256_cmpeq_epi16(_mm256_and_si256(coins, one), zero);
            coins = _mm256_srli_epi16::<1>(coins);
            let first = _mm256_and_si256(is_first, next(gone_first));
            let second = _mm256_andnot_si256(is_first, next(gone_second));
            gone_first = _mm256_or_si256(gone_first, first);
            gone_second = _mm256_or_si256(gone_second, second);
            let mut bit = one;
            for met in pairs_met {
                let now = _mm256_cmpeq_epi16(first, bit);
                gone_second = _mm256_or_si256(gone_second, _mm256_and_si256(now, *met));
                bit = _mm256_add_epi16(bit, bit);
            }

            let shown = _mm256_or_si256(first, second);
            let is_not = |what: usize| {
                let [first, second] = [(first, intents[0][what]), (second, intents[1][what])]
                    .map(|(shown, intent)| _mm256_and_si256(shown, intent));
                _mm256_cmpeq_epi16(_mm256_or_si256(first, second), zero)
            };
            clicks = _mm256_or_si256(clicks, _mm256_andnot_si256(_mm256_or_si256(is_not(0), has_left), position_bit));
            has_left = _mm256_or_si256(has_left, _mm256_andnot_si256(is_not(1), ones));
            position_bit = _mm256_add_epi16(position_bit, position_bit);
            // The four highest bits of the product differ for each turn.
            let product = _mm256_mullo_epi16(shown, _mm256_set1_epi16(DE_BRUIJN as i16));
            let turn = _mm256_shuffle_epi8(turns, _mm256_srli_epi16::<12>(product));
            let turn = _mm256_and_si256(turn, _mm256_set1_epi16(MAX_DEPTH as i16 - 1));
            let ranker = _mm256_andnot_si256(is_first, _mm256_set1_epi16(MAX_DEPTH as i16));
            self.shown[position] = bytemuck::cast(_mm256_or_si256(turn, ranker));
        }
        self.clicks = bytemuck::cast(clicks);
    }
}

/// A De Bruijn sequence of four bits: times a power of two, its four highest bits say which.
#[cfg(target_arch = "x86_64")]
const DE_BRUIJN: u16 = 0x09af;

/// Which power of two these bits mean.
#[cfg(target_arch = "x86_64")]
const TURNS: [u8; MAX_DEPTH] = {
    let mut turns = [0; MAX_DEPTH];
    let mut turn = 0;
    while turn < MAX_DEPTH {
        turns[(DE_BRUIJN.wrapping_mul(1 << turn) >> 12) as usize] = turn as u8;
        turn += 1;
    }
    turns
};
