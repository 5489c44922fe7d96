//! Every chosen ranker's list for every query.

use std::cmp::Reverse;
use std::ops::Range;

use interleave::{Doc, RankedList, TieGroup};
use letor_io::{Dataset, FeatureId, Query};
use rayon::prelude::*;

use crate::SelectionError;

/// How documents with equal scores are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreaking {
    /// Afresh, at random, in every impression: lists keep their tie groups, and whoever needs an
    /// order inside one draws it.
    Random,
    /// Once, at random: lists have no ties. The order depends on this seed, the query's index, the
    /// feature and the document's row, and on nothing else; rankers break their ties independently,
    /// so that a constant feature is a random ranker of its own.
    Fixed(u64),
}

/// Every chosen ranker's list for every query, query after query.
///
/// A query's lists lie together, ranker after ranker: 6 bytes a document and ranker.
#[derive(Debug)]
pub struct Rankings {
    features: Vec<FeatureId>,
    /// First document of each query, counted over all queries, and their number at the end.
    offsets: Vec<usize>,
    order: Vec<Doc>,
    groups: Vec<TieGroup>,
}

impl Rankings {
    /// Ranks all queries by each of `features`, highest value first, in parallel.
    ///
    /// # Errors
    /// When there is no feature, a feature is 0 or beyond the data's last, or a query holds more
    /// than 65,535 documents.
    pub fn new(
        dataset: &Dataset,
        features: &[FeatureId],
        ties: TieBreaking,
    ) -> Result<Self, SelectionError> {
        if features.is_empty() {
            return Err(SelectionError(
                "no ranker is chosen; choose one at least".to_owned(),
            ));
        }
        if let Some(stray) = features
            .iter()
            .find(|id| id.0 == 0 || id.0 > dataset.features())
        {
            return Err(SelectionError(format!(
                "there is no feature {}; the data have features 1 to {}",
                stray.0,
                dataset.features()
            )));
        }
        if let Some(query) = dataset
            .iter()
            .find(|query| query.documents() > RankedList::MAX_LEN)
        {
            return Err(SelectionError(format!(
                "query {} has {} documents, more than {}; leave it out",
                query.id(),
                query.documents(),
                RankedList::MAX_LEN
            )));
        }
        let cells = dataset.documents() * features.len();
        let mut order = vec![Doc(0); cells];
        let mut groups = vec![TieGroup::UNLISTED; cells];
        let mut pieces = Vec::with_capacity(dataset.queries());
        let (mut order_left, mut groups_left) = (order.as_mut_slice(), groups.as_mut_slice());
        for query in dataset.iter() {
            let cells = query.documents() * features.len();
            let (order, groups);
            (order, order_left) = order_left.split_at_mut(cells);
            (groups, groups_left) = groups_left.split_at_mut(cells);
            pieces.push((query, order, groups));
        }
        pieces.into_par_iter().for_each_init(
            Buffers::default,
            |buffers, (query, order, groups)| {
                let n = query.documents();
                let lists = order.chunks_exact_mut(n).zip(groups.chunks_exact_mut(n));
                for (&feature, (order, groups)) in features.iter().zip(lists) {
                    buffers.rank(query, feature, ties, order, groups);
                }
            },
        );
        let offsets = (0..=dataset.queries())
            .map(|query| dataset.document_offset(query))
            .collect();
        Ok(Self {
            features: features.to_vec(),
            offsets,
            order,
            groups,
        })
    }

    /// How many queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many rankers (arms).
    #[must_use]
    pub fn arms(&self) -> usize {
        self.features.len()
    }

    /// The feature behind each arm.
    #[must_use]
    pub fn features(&self) -> &[FeatureId] {
        &self.features
    }

    /// How many documents `query` has.
    ///
    /// # Panics
    /// When there is no such query.
    #[inline]
    #[must_use]
    pub fn documents(&self, query: usize) -> usize {
        self.offsets[query + 1] - self.offsets[query]
    }

    /// The list of `arm` for `query`.
    ///
    /// # Panics
    /// When there is no such query or arm.
    #[inline]
    #[must_use]
    pub fn list(&self, query: usize, arm: usize) -> RankedList<'_> {
        assert!(arm < self.arms(), "arm {arm} of {}", self.arms());
        let n = self.documents(query);
        let start = self.offsets[query] * self.arms() + arm * n;
        RankedList::from_trusted(
            &self.order[start..start + n],
            &self.groups[start..start + n],
        )
    }

    /// The documents of `queries` among those of all queries.
    pub(crate) fn document_range(&self, queries: Range<usize>) -> Range<usize> {
        self.offsets[queries.start]..self.offsets[queries.end]
    }

    /// For each arm, the lowest arm whose lists (order and ties) are the same for every query.
    ///
    /// Under [`TieBreaking::Random`] two lists are the same when they order and tie the same
    /// documents alike.
    #[must_use]
    pub fn duplicates(&self) -> Vec<usize> {
        // Classes of arms that agree on all queries so far, ascending; each query may split some.
        let mut classes = vec![(0..self.arms()).collect::<Vec<_>>()];
        for query in 0..self.queries() {
            let mut split: Vec<Vec<usize>> = Vec::new();
            for class in classes {
                let mut parts: Vec<Vec<usize>> = Vec::new();
                for arm in class {
                    let groups = self.list(query, arm).groups();
                    // The groups of all documents say the order between groups, and all of it.
                    match parts
                        .iter_mut()
                        .find(|part| self.list(query, part[0]).groups() == groups)
                    {
                        Some(part) => part.push(arm),
                        None => parts.push(vec![arm]),
                    }
                }
                // An arm alone stays alone.
                split.extend(parts.into_iter().filter(|part| part.len() > 1));
            }
            classes = split;
        }
        let mut lowest: Vec<usize> = (0..self.arms()).collect();
        for class in classes {
            for &arm in &class {
                lowest[arm] = class[0];
            }
        }
        lowest
    }
}

/// What ranking needs, reused from list to list.
#[derive(Default)]
struct Buffers {
    keys: Vec<u64>,
    packed: Vec<u64>,
    pairs: Vec<(Reverse<u64>, u64, u16)>,
}

impl Buffers {
    fn rank(
        &mut self,
        query: Query<'_>,
        feature: FeatureId,
        ties: TieBreaking,
        order: &mut [Doc],
        groups: &mut [TieGroup],
    ) {
        let n = order.len();
        if !query.sort_keys(feature, &mut self.keys) {
            self.keys.resize(n, 0);
        }
        let keys = &self.keys;
        match ties {
            TieBreaking::Random => {
                let highest = keys.iter().copied().max().unwrap_or(0);
                if highest < 1 << 48 {
                    // Key and row in one word sort several times faster than pairs.
                    let rows = keys.iter().enumerate();
                    self.packed.clear();
                    self.packed
                        .extend(rows.map(|(row, key)| (highest - key) << 16 | row as u64));
                    self.packed.sort_unstable();
                    let rows = self.packed.iter().map(|&word| Doc(word as u16));
                    order
                        .iter_mut()
                        .zip(rows)
                        .for_each(|(place, doc)| *place = doc);
                } else {
                    self.sort_pairs(order, |_| 0);
                }
                tie(order, groups, &self.keys);
            }
            TieBreaking::Fixed(seed) => {
                let seed = mix(mix(seed ^ mix(query.index() as u64)) ^ u64::from(feature.0));
                self.sort_pairs(order, |row| {
                    mix(seed.wrapping_add(u64::from(row).wrapping_mul(GOLDEN)))
                });
                for (rank, doc) in order.iter().enumerate() {
                    groups[doc.index()] = TieGroup {
                        start: rank as u16,
                        end: rank as u16 + 1,
                    };
                }
            }
        }
    }

    /// Rows by descending key, equal keys by `tie_break`.
    fn sort_pairs(&mut self, order: &mut [Doc], tie_break: impl Fn(u16) -> u64) {
        let rows = (0_u16..).zip(&self.keys);
        self.pairs.clear();
        self.pairs
            .extend(rows.map(|(row, &key)| (Reverse(key), tie_break(row), row)));
        self.pairs.sort_unstable();
        order
            .iter_mut()
            .zip(&self.pairs)
            .for_each(|(place, pair)| *place = Doc(pair.2));
    }
}

/// Gives each document of `order` the ranks that its `keys` share.
fn tie(order: &[Doc], groups: &mut [TieGroup], keys: &[u64]) {
    let mut start = 0;
    for run in order.chunk_by(|a, b| keys[a.index()] == keys[b.index()]) {
        let end = start + run.len() as u16;
        for doc in run {
            groups[doc.index()] = TieGroup { start, end };
        }
        start = end;
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's mixing function (Steele, Lea and Flood 2014,
/// <https://doi.org/10.1145/2660193.2660195>): a bijection, so rows of a list never share a key.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
