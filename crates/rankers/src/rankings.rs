//! Every chosen ranker's list for every query.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::OnceLock;

use bytemuck::{cast_slice, cast_slice_mut};
use interleave::{Doc, RankedList, TieGroup};
use letor_io::{Dataset, FeatureId, Query};
use rayon::prelude::*;

use crate::SelectionError;
use crate::pages::Pages;
use crate::prefetch;

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

/// Every chosen ranker's list for every query.
///
/// Lists are made when they are asked for, those of some neighbouring rankers for one query together,
/// on the thread that asks, and kept: 6 bytes a document and ranker. So an experiment begins at once,
/// and pays for the queries it meets. When a list is made changes nothing about it.
#[derive(Debug)]
pub struct Rankings {
    dataset: Dataset,
    features: Vec<FeatureId>,
    ties: TieBreaking,
    /// [`Self::shares`] of each query, one after the other.
    lists: Vec<OnceLock<Box<[u16]>>>,
    /// All of them together, once [`Self::rank_all`] has made them: query after query, and in each
    /// ranker after ranker.
    all: OnceLock<Pages>,
}

/// There is no memory for all lists at once.
#[derive(Debug, thiserror::Error)]
#[error(
    "the lists of all rankers for all queries take {megabytes} MB of memory, which the system has not; choose fewer rankers or queries"
)]
pub struct MemoryError {
    megabytes: usize,
    source: std::io::Error,
}

/// How many rankers' lists for a query are made together.
const SHARE: usize = 16;

/// So much of a list is asked for at once: nearly all of nearly every list, and not all of one of thousands.
const NEAR: usize = 256;

/// Words that a place in a list takes: one of the order, two of the groups. The lists made together are
/// first their orders, then their groups: some methods look at the orders alone.
const WORDS: usize = 3;

impl Rankings {
    /// Will rank the queries of `dataset` by each of `features`, highest value first.
    ///
    /// # Errors
    /// When there is no feature, a feature is 0 or beyond the data's last, or a query holds more
    /// than 65,535 documents.
    pub fn new(dataset: &Dataset, features: &[FeatureId], ties: TieBreaking) -> Result<Self, SelectionError> {
        if features.is_empty() {
            return Err(SelectionError("no ranker is chosen; choose one at least".to_owned()));
        }
        if let Some(stray) = features.iter().find(|id| id.0 == 0 || id.0 > dataset.features()) {
            return Err(SelectionError(format!(
                "there is no feature {}; the data have features 1 to {}",
                stray.0,
                dataset.features()
            )));
        }
        if let Some(query) = dataset.iter().find(|query| query.documents() > RankedList::MAX_LEN) {
            return Err(SelectionError(format!(
                "query {} has {} documents, more than {}; leave it out",
                query.id(),
                query.documents(),
                RankedList::MAX_LEN
            )));
        }
        let shares = dataset.queries() * features.len().div_ceil(SHARE);
        let lists = (0..shares).map(|_| OnceLock::new()).collect();
        let (dataset, features) = (dataset.clone(), features.to_vec());
        Ok(Self { dataset, features, ties, lists, all: OnceLock::new() })
    }

    /// Makes the lists of all queries now, in parallel, and lays them side by side: for work that meets
    /// every query many times, as a look at a list then costs half.
    ///
    /// # Errors
    /// When there is no memory for all of them.
    pub fn rank_all(&self) -> Result<(), MemoryError> {
        if self.all.get().is_some() {
            return Ok(());
        }
        let words = WORDS * self.dataset.documents() * self.arms();
        let no_memory = |source| MemoryError { megabytes: (words * size_of::<u16>()).div_ceil(1_000_000), source };
        let mut pages = Pages::zeroed(words).map_err(no_memory)?;
        let mut rest = pages.words_mut();
        let mut parts = Vec::with_capacity(self.queries());
        for query in 0..self.queries() {
            let (part, others) = rest.split_at_mut(WORDS * self.documents(query) * self.arms());
            parts.push((query, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(query, part)| self.make(query, &self.features, part));
        // Another thread may have been quicker, with the same lists.
        let _ = self.all.set(pages);
        Ok(())
    }

    /// How many queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.dataset.queries()
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
        self.dataset.query(query).documents()
    }

    /// The list of `arm` for `query`.
    ///
    /// # Panics
    /// When there is no such query or arm.
    #[inline]
    #[must_use]
    pub fn list(&self, query: usize, arm: usize) -> RankedList<'_> {
        assert!(arm < self.arms(), "arm {arm} of {}", self.arms());
        let Range { start, end } = self.document_range(query..query + 1);
        let n = end - start;
        let (words, arm) = match self.all.get() {
            Some(all) => (&all.words()[WORDS * start * self.arms()..WORDS * end * self.arms()], arm),
            None => (self.lists(query, arm / SHARE), arm % SHARE),
        };
        let (orders, groups) = words.split_at(words.len() / WORDS);
        let places = arm * n..(arm + 1) * n;
        RankedList::from_trusted(&cast_slice(orders)[places.clone()], &cast_slice(groups)[places])
    }

    /// Asks for the memory of the list of `arm` for `query`, which will be [looked at](Self::list) soon.
    ///
    /// # Panics
    /// When there is no such query or arm.
    #[inline]
    pub fn prefetch(&self, query: usize, arm: usize) {
        let list = self.list(query, arm);
        prefetch(list.order(), NEAR * size_of::<Doc>());
        prefetch(list.groups(), NEAR * size_of::<TieGroup>());
    }

    /// How many times lists are made for a query.
    #[inline]
    fn shares(&self) -> usize {
        self.features.len().div_ceil(SHARE)
    }

    #[inline]
    fn lists(&self, query: usize, share: usize) -> &[u16] {
        match self.lists[query * self.shares() + share].get() {
            Some(lists) => lists,
            None => self.rank(query, share),
        }
    }

    /// Makes the lists of some rankers for `query`, unless another thread is quicker.
    #[cold]
    fn rank(&self, query: usize, share: usize) -> &[u16] {
        // Nothing in here may wait for other work of the thread pool, which could be waiting for this.
        self.lists[query * self.shares() + share].get_or_init(|| {
            let features = self.features.chunks(SHARE).nth(share).unwrap_or_default();
            let mut lists = vec![0; WORDS * self.documents(query) * features.len()].into_boxed_slice();
            self.make(query, features, &mut lists);
            lists
        })
    }

    /// Makes the lists of `features` for `query`, one after the other.
    fn make(&self, query: usize, features: &[FeatureId], lists: &mut [u16]) {
        let from = self.dataset.query(query);
        let n = from.documents();
        if n == 0 {
            return;
        }
        let (orders, groups) = lists.split_at_mut(n * features.len());
        let orders = cast_slice_mut(orders).chunks_exact_mut(n);
        let groups = cast_slice_mut(groups).chunks_exact_mut(n);
        let mut buffers = Buffers::default();
        for ((&feature, order), groups) in features.iter().zip(orders).zip(groups) {
            buffers.rank(from, feature, self.ties, order, groups);
        }
    }

    /// The documents of `queries` among those of all queries.
    pub(crate) fn document_range(&self, queries: Range<usize>) -> Range<usize> {
        self.dataset.document_offset(queries.start)..self.dataset.document_offset(queries.end)
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
                    match parts.iter_mut().find(|part| self.list(query, part[0]).groups() == groups) {
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
    words: Vec<u64>,
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
        let varies = query.sort_keys(feature, &mut self.keys);
        if !varies {
            self.keys.resize(n, 0);
        }
        let keys = &self.keys;
        match ties {
            TieBreaking::Random => {
                if !varies {
                    // One group of all, in the order of rows.
                    let all = TieGroup { start: 0, end: n as u16 };
                    groups.fill(all);
                    order.iter_mut().zip(0_u16..).for_each(|(place, row)| *place = Doc(row));
                } else if keys.iter().all(|&key| key < 1 << 48) {
                    self.sort_words();
                    tie(order, groups, &self.words, |word| Doc(*word as u16), |a, b| a >> 16 == b >> 16);
                } else {
                    self.sort_pairs(|_| 0);
                    tie(order, groups, &self.pairs, |pair| Doc(pair.2), |a, b| a.0 == b.0);
                }
            }
            TieBreaking::Fixed(seed) => {
                let seed = mix(mix(seed ^ mix(query.index() as u64)) ^ u64::from(feature.0));
                self.sort_pairs(|row| mix(seed.wrapping_add(u64::from(row).wrapping_mul(GOLDEN))));
                tie(order, groups, &self.pairs, |pair| Doc(pair.2), |_, _| false);
            }
        }
    }

    /// Makes words of the keys, highest first and equal ones by row: how far the key is below the
    /// highest, then the row.
    ///
    /// By their highest byte into buckets, then each bucket by itself: several times faster than one
    /// sort of all, for the hundred or so documents that queries have.
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

    /// Makes pairs of keys and rows by descending key, equal keys by `tie_break`.
    fn sort_pairs(&mut self, tie_break: impl Fn(u16) -> u64) {
        let rows = (0_u16..).zip(&self.keys);
        self.pairs.clear();
        self.pairs.extend(rows.map(|(row, &key)| (Reverse(key), tie_break(row), row)));
        self.pairs.sort_unstable();
    }
}

/// Lists the documents of `sorted`, and gives each the ranks of those that are the `same`.
fn tie<T>(
    order: &mut [Doc],
    groups: &mut [TieGroup],
    sorted: &[T],
    doc: impl Fn(&T) -> Doc,
    same: impl Fn(&T, &T) -> bool,
) {
    order.iter_mut().zip(sorted).for_each(|(place, item)| *place = doc(item));
    let mut start = 0;
    for run in sorted.chunk_by(same) {
        let end = start + run.len();
        for doc in &order[start..end] {
            groups[doc.index()] = TieGroup { start: start as u16, end: end as u16 };
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
