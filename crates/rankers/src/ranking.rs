//! One ranker's list for one query, by its feature, and what becomes of ties.

use std::cmp::Reverse;

use interleave::{Doc, RankedList};
use letor_io::{FeatureId, Query};

/// How documents with equal scores are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreaking {
    /// Again in every impression, at random: lists keep their tie groups, and the order inside a group is drawn when it
    /// is needed.
    Random,
    /// Once, at random: lists have no ties. The order depends only on this seed, the index of the query, the feature and
    /// the row of the document. Rankers break their ties independently, so that each constant feature is a different
    /// random ranker.
    Fixed(u64),
}

/// The buffers of ranking, reused for every list.
#[derive(Default)]
pub(crate) struct Buffers {
    keys: Vec<u64>,
    words: Vec<u64>,
    pairs: Vec<(Reverse<u64>, u64, u16)>,
    /// The list: the document at each rank, and where each tie group ends.
    order: Vec<Doc>,
    ends: Vec<u16>,
}

impl Buffers {
    /// Stores the list of `feature` for `query`, of at least one document, in the words of `list`.
    pub(crate) fn rank(&mut self, query: Query<'_>, feature: FeatureId, ties: TieBreaking, list: &mut [u16]) {
        let n = query.documents();
        let varies = query.sort_keys(feature, &mut self.keys);
        if !varies {
            self.keys.resize(n, 0);
        }
        let keys = &self.keys;
        match ties {
            TieBreaking::Random => {
                if !varies {
                    // One group of all documents, in the order of rows.
                    self.order.clear();
                    self.order.extend((0..n as u16).map(Doc));
                    self.ends.clear();
                    self.ends.push(n as u16);
                } else if keys.iter().all(|&key| key < 1 << 48) {
                    self.sort_words();
                    take_list(
                        &mut self.order,
                        &mut self.ends,
                        &self.words,
                        |word| Doc(*word as u16),
                        |a, b| a >> 16 == b >> 16,
                    );
                } else {
                    self.sort_pairs(|_| 0);
                    take_list(&mut self.order, &mut self.ends, &self.pairs, |pair| Doc(pair.2), |a, b| a.0 == b.0);
                }
            }
            TieBreaking::Fixed(seed) => {
                let seed = mix(mix(seed ^ mix(query.index() as u64)) ^ u64::from(feature.0));
                self.sort_pairs(|row| mix(seed.wrapping_add(u64::from(row).wrapping_mul(GOLDEN))));
                take_list(&mut self.order, &mut self.ends, &self.pairs, |pair| Doc(pair.2), |_, _| false);
            }
        }
        RankedList::store(&self.order, &self.ends, list);
    }

    /// Sorts the keys, highest first and equal keys by row, as words: the difference from the highest key, then the row.
    ///
    /// Distributes them to buckets by their highest byte, then sorts each bucket: several times faster than a single sort
    /// for the typical hundred documents of a query.
    fn sort_words(&mut self) {
        let highest = self.keys.iter().copied().max().unwrap_or(0);
        let shift = (u64::BITS - highest.leading_zeros()).saturating_sub(8);
        let mut ends = [0_u16; 256];
        for key in &self.keys {
            ends[((highest - key) >> shift) as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        self.words.clear();
        self.words.resize(self.keys.len(), 0);
        for (row, key) in self.keys.iter().enumerate() {
            let below = highest - key;
            let end = &mut ends[(below >> shift) as usize];
            self.words[usize::from(*end)] = below << 16 | row as u64;
            *end += 1;
        }
        if shift == 0 {
            return;
        }
        let mut start = 0;
        for end in ends {
            let end = usize::from(end);
            if end - start > 1 {
                self.words[start..end].sort_unstable();
            }
            start = end;
        }
    }

    /// Sorts pairs of keys and rows by descending key, equal keys by `tie_break`.
    fn sort_pairs(&mut self, tie_break: impl Fn(u16) -> u64) {
        let rows = (0_u16..).zip(&self.keys);
        self.pairs.clear();
        self.pairs.extend(rows.map(|(row, &key)| (Reverse(key), tie_break(row), row)));
        self.pairs.sort_unstable();
    }
}

/// Takes the documents of `sorted` as the order, and the ends of the runs of items that are the `same`.
fn take_list<T>(
    order: &mut Vec<Doc>,
    ends: &mut Vec<u16>,
    sorted: &[T],
    doc: impl Fn(&T) -> Doc,
    same: impl Fn(&T, &T) -> bool,
) {
    order.clear();
    order.extend(sorted.iter().map(doc));
    ends.clear();
    let mut end = 0;
    ends.extend(sorted.chunk_by(same).map(|run| {
        end += run.len() as u16;
        end
    }));
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's mixing function (Steele, Lea and Flood 2014,
/// <https://doi.org/10.1145/2660193.2660195>): a bijection, so rows of a list never chunk a key.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
