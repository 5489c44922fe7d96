//! The order in which a ranker's tied documents stand, as keys that can be computed at any time.

use rand::Rng;

use crate::{Doc, Generator};

/// A random order of all documents for each ranker, as keys: of two tied documents the one with the
/// smaller key ranks higher.
///
/// Keys come from one random number by SplitMix64's mixing function (Steele, Lea and Flood 2014,
/// <https://doi.org/10.1145/2660193.2660195>), so each can be computed at any time. It is a
/// bijection: no two documents of a ranker share a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TieKeys {
    seed: u64,
}

impl TieKeys {
    #[inline]
    pub(crate) fn new(generator: &mut Generator) -> Self {
        Self { seed: generator.next_u64() }
    }

    /// The keys of a number kept from an earlier draw.
    #[inline]
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self { seed }
    }

    /// The start of one ranker's keys.
    #[inline]
    pub(crate) fn ranker(self, ranker: usize) -> RankerKeys {
        RankerKeys(mix(self.seed.wrapping_add((ranker as u64 + 1).wrapping_mul(GOLDEN))))
    }
}

/// One ranker's keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankerKeys(u64);

impl RankerKeys {
    #[inline]
    pub(crate) fn key(self, doc: Doc) -> u64 {
        mix(self.0.wrapping_add((u64::from(doc.0) + 1).wrapping_mul(GOLDEN)))
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
