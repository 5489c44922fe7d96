//! The draft by which team-draft multileaving makes a list, for any number of rankers.
//!
//! One of the rankers with the fewest picks so far, any of them alike, adds the best document of
//! its own that is not shown yet. Ties of score are broken by [`TieKeys`], so that nothing but the
//! top of each list is looked at, and whoever needs a ranker's order of other documents later meets
//! the same one.

use rand::Rng;

use crate::ties::below;
use crate::{Doc, Generator, RankedList};

/// A random order of all documents for each ranker, as keys: of two tied documents the one with the
/// smaller key stands above.
///
/// Keys come from one random number by SplitMix64's mixing function (Steele, Lea and Flood 2014,
/// <https://doi.org/10.1145/2660193.2660195>), so any of them can be asked for at any time. It is a
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

/// Buffers of a draft, and its list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    /// The list.
    pub(crate) shown: Vec<Doc>,
    is_shown: Vec<bool>,
    /// Rankers that still have something to add; those that picked in this round come first.
    rankers: Vec<u32>,
    /// By ranker: all documents above this rank are shown.
    tops: Vec<u16>,
}

impl Draft {
    /// Drafts a list of at most `length` documents into `shown`.
    pub(crate) fn draw(&mut self, lists: &[RankedList<'_>], length: usize, keys: TieKeys, generator: &mut Generator) {
        for doc in self.shown.drain(..) {
            self.is_shown[doc.index()] = false;
        }
        self.rankers.clear();
        self.rankers.extend(0..lists.len() as u32);
        self.tops.clear();
        self.tops.resize(lists.len(), 0);
        let mut picked = 0;
        while self.shown.len() < length && !self.rankers.is_empty() {
            let chosen = picked + below(self.rankers.len() - picked, generator);
            self.rankers.swap(picked, chosen);
            let ranker = self.rankers[picked] as usize;
            if let Some(doc) = self.best(lists[ranker], ranker, keys) {
                if self.is_shown.len() <= doc.index() {
                    self.is_shown.resize(doc.index() + 1, false);
                }
                self.is_shown[doc.index()] = true;
                self.shown.push(doc);
                picked += 1;
            } else {
                // Out of documents, so out of the draft.
                self.rankers.swap_remove(picked);
            }
            if picked == self.rankers.len() {
                picked = 0;
            }
        }
    }

    /// The best unshown document of one ranker.
    fn best(&mut self, list: RankedList<'_>, ranker: usize, keys: TieKeys) -> Option<Doc> {
        let is_shown = |doc: Doc| self.is_shown.get(doc.index()).copied().unwrap_or(false);
        let mut rank = usize::from(self.tops[ranker]);
        let mut best = None;
        while let Some(&doc) = list.order().get(rank) {
            let group = list.group(doc);
            best = if group.size() > 1 {
                let keys = keys.ranker(ranker);
                let tied = list.order().get(group.ranks()).unwrap_or_default();
                tied.iter().copied().filter(|&doc| !is_shown(doc)).min_by_key(|&doc| keys.key(doc))
            } else {
                Some(doc).filter(|&doc| !is_shown(doc))
            };
            if best.is_some() {
                break;
            }
            rank += group.size().max(1);
        }
        self.tops[ranker] = rank.min(RankedList::MAX_LEN) as u16;
        best
    }
}
