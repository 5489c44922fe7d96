//! The lists of all chosen rankers for all queries.

use std::ops::Range;
use std::sync::OnceLock;

use bytemuck::cast_slice;
use interleave::RankedList;
use letor_io::{Dataset, FeatureId};
use memmap2::Mmap;
use rayon::prelude::*;

use crate::pages::{NewPages, Pages};
use crate::prefetch;
use crate::ranking::{Buffers, TieBreaking};
use crate::{SelectionError, SelectionErrorKind};

/// The lists of all chosen rankers for all queries.
///
/// A list is computed at its first use, on the calling thread and together with those of some neighbouring rankers for
/// the same query, and then kept ([`RankedList::store`]: three bytes per document and ranker, six for queries of more
/// than 256 documents). So an experiment starts immediately, and only the queries that occur cost time. When a list is
/// computed does not affect it.
#[derive(Debug)]
pub struct Rankings {
    dataset: Dataset,
    features: Vec<FeatureId>,
    ties: TieBreaking,
    places: Vec<ListOffset>,
    /// The chunks of rankers of each query ([`Self::chunks`] per query), query by query.
    lists: Vec<OnceLock<Box<[u16]>>>,
    /// All lists, once [`Self::rank_all`] has computed them: query by query, and for each query ranker by ranker.
    all_lists: OnceLock<Pages>,
}

/// Where a query's lists are if all are stored contiguously: the words of one ranker's lists of all queries before it, and the
/// number of its documents in the lowest 16 bits. One word, because a random query waits for it.
#[derive(Debug, Clone, Copy)]
struct ListOffset(u64);

impl ListOffset {
    /// The places of all queries, and one past the last.
    fn of_all_queries(dataset: &Dataset) -> Vec<Self> {
        let mut words = 0;
        let documents = dataset.iter().map(|query| query.documents()).chain([0]);
        let place = |documents: usize| {
            let before = words;
            words += RankedList::words(documents) as u64;
            Self(before << 16 | documents as u64)
        };
        documents.map(place).collect()
    }

    #[inline]
    fn documents(self) -> usize {
        (self.0 & 0xFFFF) as usize
    }

    /// The words of one ranker's lists of all queries before this one.
    #[inline]
    fn words_before(self) -> usize {
        (self.0 >> 16) as usize
    }
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

/// The number of rankers with lists for a query computed together.
const CHUNK: usize = 16;

/// The bytes of an order, and of groups, that are prefetched: nearly all of most lists, but not thousands.
const PREFETCH_BYTES: [usize; 2] = [512, 1024];

/// The bytes of an order that are prefetched where only its top is needed: a cache line.
const TOP_BYTES: usize = 64;

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
        let places = ListOffset::of_all_queries(dataset);
        let (dataset, features) = (dataset.clone(), features.to_vec());
        Ok(Self { dataset, features, ties, places, lists, all_lists: OnceLock::new() })
    }

    /// The memory of all lists of this number of rankers on `dataset`, in bytes.
    #[must_use]
    pub fn bytes(dataset: &Dataset, rankers: usize) -> u64 {
        let words: usize = dataset.iter().map(|query| RankedList::words(query.documents())).sum();
        let lists = words * size_of::<u16>();
        let places = size_of::<OnceLock<Box<[u16]>>>() * dataset.queries();
        (lists as u64).saturating_mul(rankers as u64) + (places as u64).saturating_mul(rankers.div_ceil(CHUNK) as u64)
    }

    /// Computes the lists of all queries in parallel and stores them contiguously. Useful for work that uses every query
    /// many times, because access to a list then takes half the time.
    ///
    /// # Errors
    /// If there is not enough memory for all lists.
    pub fn rank_all(&self) -> Result<(), MemoryError> {
        if self.all_lists.get().is_some() {
            return Ok(());
        }
        let words = self.words();
        let no_memory = |source| MemoryError { megabytes: (words * size_of::<u16>()).div_ceil(1_000_000), source };
        let mut pages = NewPages::zeroed(words).map_err(no_memory)?;
        let mut rest = pages.words_mut();
        let mut parts = Vec::with_capacity(self.queries());
        for query in 0..self.queries() {
            let (part, others) = rest.split_at_mut(RankedList::words(self.documents(query)) * self.arms());
            parts.push((query, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(query, part)| self.compute(query, &self.features, part));
        // Another thread may have stored the same lists already.
        let _ = self.all_lists.set(pages.written().map_err(no_memory)?);
        Ok(())
    }

    /// The bytes of all lists, once they are stored contiguously; [`take_lists`](Self::take_lists) takes them. They belong to
    /// the content of the data set, to the features in their order, to the treatment of ties, to this version of the crate, and
    /// to the byte order of the machine.
    #[must_use]
    pub fn list_bytes(&self) -> Option<&[u8]> {
        self.all_lists.get().map(|all| cast_slice(all.words()))
    }

    /// Takes all lists from `map`, which begins with the [`list_bytes`](Self::list_bytes) of equal rankings, instead of
    /// computing them; returns false if it is too short. The caller checks that they are intact: other bytes make later
    /// calls return nonsense or panic, but nothing worse.
    #[must_use]
    pub fn take_lists(&self, map: Mmap) -> bool {
        match Pages::of_map(map, self.words()) {
            Some(pages) => {
                // If they are there already, they are the same.
                let _ = self.all_lists.set(pages);
                true
            }
            None => false,
        }
    }

    /// The number of words of all lists.
    fn words(&self) -> usize {
        self.places.last().map_or(0, |end| end.words_before()) * self.arms()
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
        assert!(query < self.queries(), "query {query} of {}", self.queries());
        self.places[query].documents()
    }

    /// The list of `arm` for `query` (both from 0).
    ///
    /// # Panics
    /// If there is no such query or arm.
    #[inline]
    #[must_use]
    pub fn list(&self, query: usize, arm: usize) -> RankedList<'_> {
        assert!(arm < self.arms(), "arm {arm} of {}", self.arms());
        let place = self.places[query];
        let (documents, words) = (place.documents(), RankedList::words(place.documents()));
        let list = match self.all_lists.get() {
            Some(all) => &all.words()[place.words_before() * self.arms() + words * arm..][..words],
            None => &self.lists(query, arm / CHUNK)[words * (arm % CHUNK)..][..words],
        };
        RankedList::stored(list, documents)
    }

    /// Prefetches the memory of the list of `arm` for `query`, which will be [read](Self::list) soon.
    ///
    /// # Panics
    /// If there is no such query or arm.
    #[inline]
    pub fn prefetch(&self, query: usize, arm: usize) {
        let memory = self.list(query, arm).memory();
        memory.into_iter().zip(PREFETCH_BYTES).for_each(|(bytes, most)| prefetch(bytes, most));
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
            let mut lists = vec![0; RankedList::words(self.documents(query)) * features.len()].into_boxed_slice();
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
        let lists = lists.chunks_exact_mut(RankedList::words(n));
        let mut buffers = Buffers::default();
        for (&feature, list) in features.iter().zip(lists) {
            buffers.rank(from, feature, self.ties, list);
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
                    // The groups of all documents determine the order of the groups.
                    let [_, groups] = self.list(query, arm).memory();
                    match parts.iter_mut().find(|part| self.list(query, part[0]).memory()[1] == groups) {
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
    let [order, groups] = list.memory();
    prefetch(order, TOP_BYTES);
    prefetch(groups, PREFETCH_BYTES[1]);
}
