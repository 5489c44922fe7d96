//! The lists of all chosen rankers for all queries.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::OnceLock;

use bytemuck::{cast_slice, cast_slice_mut};
use interleave::{Doc, RankedList, TieGroup};
use letor_io::{Dataset, FeatureId, Query};
use memmap2::Mmap;
use rayon::prelude::*;

use crate::pages::{NewPages, Pages};
use crate::prefetch;
use crate::{SelectionError, SelectionErrorKind};

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

/// The lists of all chosen rankers for all queries.
///
/// A list is computed at its first use, on the calling thread and together with those of some neighbouring rankers for
/// the same query, and then kept: 6 bytes per document and ranker. So an experiment starts immediately, and only the
/// queries that occur cost time. When a list is computed does not affect it.
#[derive(Debug)]
pub struct Rankings {
    dataset: Dataset,
    features: Vec<FeatureId>,
    ties: TieBreaking,
    /// The chunks of rankers of each query ([`Self::chunks`] per query), query by query.
    lists: Vec<OnceLock<Box<[u16]>>>,
    /// All lists, once [`Self::rank_all`] has computed them: query by query, and for each query ranker by ranker.
    all: OnceLock<Pages>,
}

/// There is not enough memory for all lists.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(
    "the lists of all rankers for all queries take {megabytes} MB of memory, more than is available; choose fewer rankers or queries"
)]
pub struct MemoryError {
    megabytes: usize,
    source: std::io::Error,
}

/// The number of rankers whose lists for a query are computed together.
const CHUNK: usize = 16;

/// The number of documents of a list that are prefetched: nearly all of most lists, but not thousands.
const PREFETCHED: usize = 256;

/// The number of ranks that the top of a list has: a cache line.
const TOP: usize = 32;

/// The number of words per rank of a list: one for the order, two for the groups. Of lists computed together, all orders
/// precede all groups, because some methods need only the orders.
const WORDS: usize = 3;

impl Rankings {
    /// The rankings of the queries of `dataset` by each of `features`, highest value first. Arm `i` is `features[i]`.
    ///
    /// # Errors
    /// If there is no feature, a feature is not among those of the data, or a query has more than 65,535 documents.
    pub fn new(dataset: &Dataset, features: &[FeatureId], ties: TieBreaking) -> Result<Self, SelectionError> {
        if features.is_empty() {
            return Err(SelectionError::no_ranker());
        }
        if let Some(stray) = features.iter().find(|id| id.0 == 0 || id.0 > dataset.features()) {
            return Err(SelectionError::unknown_feature(*stray, dataset.features()));
        }
        if let Some(query) = dataset.iter().find(|query| query.documents() > RankedList::MAX_LEN) {
            let message = format!(
                "query {} has {} documents, expected at most {}; remove it from the data",
                query.id(),
                query.documents(),
                RankedList::MAX_LEN
            );
            return Err(SelectionError::new(SelectionErrorKind::QueryTooLong, message));
        }
        let chunks = dataset.queries() * features.len().div_ceil(CHUNK);
        let lists = (0..chunks).map(|_| OnceLock::new()).collect();
        let (dataset, features) = (dataset.clone(), features.to_vec());
        Ok(Self { dataset, features, ties, lists, all: OnceLock::new() })
    }

    /// The memory of all lists of this number of rankers on `dataset`, in bytes.
    #[must_use]
    pub fn bytes(dataset: &Dataset, rankers: usize) -> u64 {
        let lists = WORDS * size_of::<u16>() * dataset.documents();
        let places = size_of::<OnceLock<Box<[u16]>>>() * dataset.queries();
        (lists as u64).saturating_mul(rankers as u64) + (places as u64).saturating_mul(rankers.div_ceil(CHUNK) as u64)
    }

    /// Computes the lists of all queries in parallel and stores them contiguously. Useful for work that uses every query
    /// many times, because access to a list then takes half the time.
    ///
    /// # Errors
    /// If there is not enough memory for all lists.
    pub fn rank_all(&self) -> Result<(), MemoryError> {
        if self.all.get().is_some() {
            return Ok(());
        }
        let words = self.words();
        let no_memory = |source| MemoryError { megabytes: (words * size_of::<u16>()).div_ceil(1_000_000), source };
        let mut pages = NewPages::zeroed(words).map_err(no_memory)?;
        let mut rest = pages.words_mut();
        let mut parts = Vec::with_capacity(self.queries());
        for query in 0..self.queries() {
            let (part, others) = rest.split_at_mut(WORDS * self.documents(query) * self.arms());
            parts.push((query, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(query, part)| self.compute(query, &self.features, part));
        // Another thread may have stored the same lists already.
        let _ = self.all.set(pages.written().map_err(no_memory)?);
        Ok(())
    }

    /// The bytes of all lists, once they are stored contiguously; [`take_lists`](Self::take_lists) takes them. They belong to
    /// the content of the data set, to the features in their order, to the treatment of ties, to this version of the crate, and
    /// to the byte order of the machine.
    #[must_use]
    pub fn list_bytes(&self) -> Option<&[u8]> {
        self.all.get().map(|all| cast_slice(all.words()))
    }

    /// Takes all lists from `map`, which begins with the [`list_bytes`](Self::list_bytes) of equal rankings, instead of
    /// computing them; returns false if it is too short. The caller checks that they are intact: other bytes make later
    /// calls return nonsense or panic, but nothing worse.
    #[must_use]
    pub fn take_lists(&self, map: Mmap) -> bool {
        match Pages::of_map(map, self.words()) {
            Some(pages) => {
                // If they are there already, they are the same.
                let _ = self.all.set(pages);
                true
            }
            None => false,
        }
    }

    /// The number of words of all lists.
    fn words(&self) -> usize {
        WORDS * self.dataset.documents() * self.arms()
    }

    /// The number of queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.dataset.queries()
    }

    /// The number of rankers (arms).
    #[must_use]
    pub fn arms(&self) -> usize {
        self.features.len()
    }

    /// The feature of each arm.
    #[must_use]
    pub fn features(&self) -> &[FeatureId] {
        &self.features
    }

    /// The number of documents of `query` (from 0).
    ///
    /// # Panics
    /// If there is no such query.
    #[inline]
    #[must_use]
    pub fn documents(&self, query: usize) -> usize {
        self.dataset.query(query).documents()
    }

    /// The list of `arm` for `query` (both from 0).
    ///
    /// # Panics
    /// If there is no such query or arm.
    #[inline]
    #[must_use]
    pub fn list(&self, query: usize, arm: usize) -> RankedList<'_> {
        assert!(arm < self.arms(), "arm {arm} of {}", self.arms());
        let Range { start, end } = self.document_range(query..query + 1);
        let n = end - start;
        let (words, arm) = match self.all.get() {
            Some(all) => (&all.words()[WORDS * start * self.arms()..WORDS * end * self.arms()], arm),
            None => (self.lists(query, arm / CHUNK), arm % CHUNK),
        };
        let (orders, groups) = words.split_at(words.len() / WORDS);
        let places = arm * n..(arm + 1) * n;
        RankedList::from_trusted(&cast_slice(orders)[places.clone()], &cast_slice(groups)[places])
    }

    /// Prefetches the memory of the list of `arm` for `query`, which will be [read](Self::list) soon.
    ///
    /// # Panics
    /// If there is no such query or arm.
    #[inline]
    pub fn prefetch(&self, query: usize, arm: usize) {
        let list = self.list(query, arm);
        prefetch(list.order(), PREFETCHED * size_of::<Doc>());
        prefetch(list.groups(), PREFETCHED * size_of::<TieGroup>());
    }

    /// The number of chunks of rankers.
    #[inline]
    fn chunks(&self) -> usize {
        self.features.len().div_ceil(CHUNK)
    }

    #[inline]
    fn lists(&self, query: usize, chunk: usize) -> &[u16] {
        match self.lists[query * self.chunks() + chunk].get() {
            Some(lists) => lists,
            None => self.rank(query, chunk),
        }
    }

    /// Computes the lists of a chunk of rankers for `query`, unless another thread has done so.
    #[cold]
    fn rank(&self, query: usize, chunk: usize) -> &[u16] {
        // This must not wait for other work of the thread pool, which could be waiting for this.
        self.lists[query * self.chunks() + chunk].get_or_init(|| {
            let features = self.features.chunks(CHUNK).nth(chunk).unwrap_or_default();
            let mut lists = vec![0; WORDS * self.documents(query) * features.len()].into_boxed_slice();
            self.compute(query, features, &mut lists);
            lists
        })
    }

    /// Computes the lists of `features` for `query`, feature by feature.
    fn compute(&self, query: usize, features: &[FeatureId], lists: &mut [u16]) {
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

    /// The data set that is ranked.
    pub(crate) fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// The indices of the documents of `queries` among those of all queries.
    pub(crate) fn document_range(&self, queries: Range<usize>) -> Range<usize> {
        self.dataset.document_offset(queries.start)..self.dataset.document_offset(queries.end)
    }

    /// For each arm, the lowest arm that has the same list (order and ties) for every query.
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
                    // The groups of all documents determine the order of the groups.
                    match parts.iter_mut().find(|part| self.list(query, part[0]).groups() == groups) {
                        Some(part) => part.push(arm),
                        None => parts.push(vec![arm]),
                    }
                }
                // A class of one arm cannot be split further.
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

/// Prefetches the memory of one of many lists that will be read together: of its order only the top. With hundreds of
/// lists, more requests than are needed take longer than the memory that they save.
#[inline]
pub fn prefetch_top(list: RankedList<'_>) {
    prefetch(list.order(), TOP * size_of::<Doc>());
    prefetch(list.groups(), PREFETCHED * size_of::<TieGroup>());
}

/// The buffers of ranking, reused for every list.
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
                    // One group of all documents, in the order of rows.
                    let all = TieGroup { start: 0, end: n as u16 };
                    groups.fill(all);
                    order.iter_mut().zip(0_u16..).for_each(|(place, row)| *place = Doc(row));
                } else if keys.iter().all(|&key| key < 1 << 48) {
                    self.sort_words();
                    write_list(order, groups, &self.words, |word| Doc(*word as u16), |a, b| a >> 16 == b >> 16);
                } else {
                    self.sort_pairs(|_| 0);
                    write_list(order, groups, &self.pairs, |pair| Doc(pair.2), |a, b| a.0 == b.0);
                }
            }
            TieBreaking::Fixed(seed) => {
                let seed = mix(mix(seed ^ mix(query.index() as u64)) ^ u64::from(feature.0));
                self.sort_pairs(|row| mix(seed.wrapping_add(u64::from(row).wrapping_mul(GOLDEN))));
                write_list(order, groups, &self.pairs, |pair| Doc(pair.2), |_, _| false);
            }
        }
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

/// Writes the documents of `sorted` to `order`, and for each the ranks of the documents that are the `same` to `groups`.
fn write_list<T>(
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
/// <https://doi.org/10.1145/2660193.2660195>): a bijection, so rows of a list never chunk a key.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
