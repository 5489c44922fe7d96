//! Queries, labels and features in memory: exact values packed into bits; not how they are read from text
//! (`text`) or kept in files (`cache`).

mod bit_packing;
mod block;
mod blocks;
mod builder;
mod checksum;
mod column;
mod encoded_query;
mod gold;
mod label;
mod provenance;
mod query;
mod runs;
mod segment;
mod statistics;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub(crate) use block::BlockWriter;
#[cfg(feature = "fuzz")]
pub(crate) use block::is_sound;
pub(crate) use blocks::{BlockFile, Blocks, FileBlocks, Recipe};
pub use builder::DatasetBuilder;
pub(crate) use column::Column;
pub(crate) use encoded_query::MAX_ID;
pub use encoded_query::{BuildError, EncodedQuery};
pub use gold::{Gold, GoldQuery};
pub use label::exact_label;
pub(crate) use label::{label_of_number, label_too_fine};
pub use provenance::Provenance;
pub use query::{FeatureId, Query};
pub use runs::{RankColumn, RunCounts, Runs};
pub use statistics::Statistics;

use crate::names::{NameError, NameFault, Names};

/// Queries, labels and features, stored compactly and without loss.
///
/// Values are kept as the decimals in the text (up to 18 significant digits), by query and feature. Each such column
/// is packed into as few bits as its range needs; a feature that is 0 for all documents of a query takes no space.
/// Absent values are 0. Two values that differ in the file never become a tie, as MSLR's larger integers would in
/// single precision.
///
/// Created by [`open`](crate::open) or a [`DatasetBuilder`]. Two data sets are equal if their contents are (ids,
/// labels, values, number of features), whatever they and their features are called and wherever they come from. Clones share their content.
#[derive(Clone)]
pub struct Dataset {
    content: Arc<Content>,
    /// Beside the content, which caches keep and checksums cover.
    names: Option<Names>,
}

/// The content that clones of a data set share.
pub(crate) struct Content {
    pub(crate) name: String,
    pub(crate) provenance: Provenance,
    pub(crate) features: u32,
    /// All query ids, concatenated, and the end of each.
    pub(crate) ids: String,
    pub(crate) id_ends: Vec<usize>,
    /// The index of each query's first document, followed by the number of documents.
    pub(crate) offsets: Vec<usize>,
    pub(crate) labels: Vec<f32>,
    pub(crate) max_label: f32,
    pub(crate) blocks: Blocks,
    pub(crate) checksum: OnceLock<String>,
    /// Only known when text was read, not from a cache.
    pub(crate) all_null: u64,
    /// Only of data sets made of TREC runs.
    pub(crate) runs: Option<Runs>,
}

impl From<Content> for Dataset {
    fn from(content: Content) -> Self {
        Self { content: Arc::new(content), names: None }
    }
}

impl Dataset {
    /// The name shown to users.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.content.provenance
    }

    /// The number of queries.
    pub fn queries(&self) -> usize {
        self.content.blocks.len()
    }

    /// The number of documents of all queries.
    pub fn documents(&self) -> usize {
        self.content.labels.len()
    }

    /// The number of features, which is the highest feature number.
    pub fn features(&self) -> u32 {
        self.content.features
    }

    /// The same data set with names for its features; the first name is that of feature 1. Names change neither the
    /// checksum nor any value, and a cache does not keep them: give them after each opening.
    ///
    /// # Errors
    ///
    /// [`NameFault::Count`] if there are not as many names as features.
    pub fn with_feature_names(self, names: Names) -> Result<Self, NameError> {
        let (found, expected) = (names.len(), self.features() as usize);
        if found != expected {
            let fault = NameFault::Count { names: found, expected };
            return Err(NameError { number: found.min(expected), fault });
        }
        Ok(Self { names: Some(names), ..self })
    }

    /// The names of the features, if there are any; number 0 is feature 1.
    pub fn feature_names(&self) -> Option<&Names> {
        self.names.as_ref()
    }

    /// The name of a feature, if it has one.
    pub fn feature_name(&self, feature: FeatureId) -> Option<&str> {
        self.names.as_ref()?.get((feature.0 as usize).checked_sub(1)?)
    }

    /// Query `index` (0-based).
    ///
    /// # Panics
    ///
    /// If `index` is not below [`queries`](Self::queries).
    pub fn query(&self, index: usize) -> Query<'_> {
        assert!(index < self.queries(), "query {index} of {}", self.queries());
        Query::new(self, index)
    }

    /// All queries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Query<'_>> {
        (0..self.queries()).map(|index| self.query(index))
    }

    /// The labels of all documents, query by query; -1 for a document without one.
    pub fn labels(&self) -> &[f32] {
        &self.content.labels
    }

    /// The index of the first document of query `index` among all documents; `document_offset(queries())` is
    /// `documents()`.
    ///
    /// # Panics
    ///
    /// If `index` is above [`queries`](Self::queries).
    pub fn document_offset(&self, index: usize) -> usize {
        self.content.offsets[index]
    }

    /// The highest label: -1 if no document has one, 0 if there are no documents.
    pub fn max_label(&self) -> f32 {
        self.content.max_label
    }

    /// The SHA-256 (64 hex digits) of the content: query ids, labels and values. It is the same for text and gzip, and
    /// however the data are divided into files.
    ///
    /// Computed in parallel at the first call, then kept. The number of features is not included, because features
    /// that are always 0 may be absent from text.
    pub fn checksum(&self) -> String {
        self.content.checksum.get_or_init(|| checksum::checksum_of(self)).clone()
    }

    /// The size in memory, in bytes, including values that are still in a cache file.
    pub fn memory(&self) -> usize {
        let index = size_of::<Box<[u8]>>() + 2 * size_of::<usize>();
        let runs = self.content.runs.as_ref().map_or(0, Runs::memory);
        self.content.blocks.bytes()
            + self.queries() * index
            + self.content.labels.len() * size_of::<f32>()
            + self.content.ids.len()
            + runs
    }

    /// The cache file that the values are read from; `None` if they were read from text or generated.
    pub fn cache_file(&self) -> Option<&std::path::Path> {
        self.content.blocks.cache_file()
    }

    /// How many features of queries have no value but NULL and were read as 0 by [`Null::Min`](crate::Null::Min). 0
    /// if the data come from a binary cache, which does not keep it.
    #[must_use]
    pub fn all_null(&self) -> u64 {
        self.content.all_null
    }

    /// The data on the runs that the data set is made of; `None` if its features come from elsewhere.
    #[must_use]
    pub fn runs(&self) -> Option<&Runs> {
        self.content.runs.as_ref()
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// The packed values of query `index`.
    pub(crate) fn block_bytes(&self, index: usize) -> &[u8] {
        self.content.blocks.get(index)
    }

    fn id(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.content.id_ends[index - 1] };
        &self.content.ids[start..self.content.id_ends[index]]
    }

    fn document_range(&self, index: usize) -> Range<usize> {
        self.content.offsets[index]..self.content.offsets[index + 1]
    }
}

impl PartialEq for Dataset {
    fn eq(&self, other: &Self) -> bool {
        self.content.features == other.content.features
            && self.content.id_ends == other.content.id_ends
            && self.content.ids == other.content.ids
            && self.content.offsets == other.content.offsets
            && self.content.labels == other.content.labels
            && self.content.runs.as_ref().map(Runs::content) == other.content.runs.as_ref().map(Runs::content)
            && (0..self.queries()).all(|index| self.block_bytes(index) == other.block_bytes(index))
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("name", &self.content.name)
            .field("queries", &self.queries())
            .field("documents", &self.documents())
            .field("features", &self.content.features)
            .finish_non_exhaustive()
    }
}
