//! Queries, labels and features in memory.

mod bits;
mod block;
mod blocks;
mod build;
mod checksum;
mod column;
mod encoded;
mod segment;
mod statistics;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use block::Block;
pub(crate) use block::BlockWriter;
pub(crate) use block::is_sound;
pub(crate) use blocks::{Blocks, MappedBlocks, MappedFile, Recipe};
pub use build::DatasetBuilder;
pub(crate) use column::Column;
pub use encoded::{BuildError, EncodedQuery};
pub use statistics::Statistics;

use crate::decimal::Decimal;

/// A feature's 1-based number, as data files count them. Arm `i` of a matrix over all features is
/// feature `i + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct FeatureId(pub u32);

/// Where a data set comes from: nothing synthetic may ever pass for real.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Provenance {
    /// Read from files.
    Files {
        /// The files read, in order.
        files: Vec<PathBuf>,
        /// Files of the folder that were skipped, each with the reason.
        skipped: Vec<(PathBuf, String)>,
    },
    /// Generated: a look-alike.
    LookAlike {
        /// Its full name with scale and seed.
        name: String,
    },
}

/// Queries, labels and features, compactly and without loss.
///
/// Values are kept as the decimals that text gives (up to 18 significant digits), by query and
/// feature, each such column packed into as few bits as its range needs; a feature that is 0 for all
/// documents of a query takes nothing. Absent values are 0. Two values that differ in the file never
/// become a tie, which single precision would do to MSLR's larger integers.
///
/// Comes from [`open`](crate::open) or a [`DatasetBuilder`]. Two data sets are equal when their
/// content is (ids, labels, values, number of features), wherever they come from. A clone shares its
/// content and costs nothing.
#[derive(Clone)]
pub struct Dataset(Arc<Content>);

/// What clones of a data set share.
pub(crate) struct Content {
    pub(crate) name: String,
    pub(crate) provenance: Provenance,
    pub(crate) features: u32,
    /// All query ids, one after the other, and where each ends.
    pub(crate) ids: String,
    pub(crate) id_ends: Vec<usize>,
    /// Where each query's documents begin, and one more entry: the number of documents.
    pub(crate) offsets: Vec<usize>,
    pub(crate) labels: Vec<f32>,
    pub(crate) max_label: f32,
    pub(crate) blocks: Blocks,
    pub(crate) checksum: OnceLock<String>,
}

impl From<Content> for Dataset {
    fn from(content: Content) -> Self {
        Self(Arc::new(content))
    }
}

impl Dataset {
    /// The name it is shown under.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.0.provenance
    }

    /// How many queries.
    pub fn queries(&self) -> usize {
        self.0.blocks.len()
    }

    /// How many documents, over all queries.
    pub fn documents(&self) -> usize {
        self.0.labels.len()
    }

    /// Highest feature number (features are 1..=this).
    pub fn features(&self) -> u32 {
        self.0.features
    }

    /// Query `index` (0-based).
    ///
    /// # Panics
    ///
    /// When `index` is not below [`queries`](Self::queries).
    pub fn query(&self, index: usize) -> Query<'_> {
        assert!(index < self.queries(), "query {index} of {}", self.queries());
        Query { dataset: self, index }
    }

    /// All queries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Query<'_>> {
        (0..self.queries()).map(|index| self.query(index))
    }

    /// Labels of all documents, query after query; -1 for a document without one.
    pub fn labels(&self) -> &[f32] {
        &self.0.labels
    }

    /// Index of the first document of query `index`; `document_offset(queries())` is `documents()`.
    ///
    /// # Panics
    ///
    /// When `index` is above [`queries`](Self::queries).
    pub fn document_offset(&self, index: usize) -> usize {
        self.0.offsets[index]
    }

    /// Highest label: -1 when no document has one, 0 when there are no documents.
    pub fn max_label(&self) -> f32 {
        self.0.max_label
    }

    /// SHA-256 (hex) of the content: query ids, labels and values; the same for text, gzip and any
    /// split of the files.
    ///
    /// Computed at the first call (in parallel, some gigabytes a second), then kept. The number of
    /// features does not enter it, as features that are always 0 leave no trace in text.
    pub fn checksum(&self) -> String {
        self.0.checksum.get_or_init(|| checksum::of(self)).clone()
    }

    /// How many bytes it takes in memory; values that are mapped from a cache file count as far as
    /// they would be read.
    pub fn memory(&self) -> usize {
        let index = size_of::<Box<[u8]>>() + 2 * size_of::<usize>();
        self.0.blocks.bytes() + self.queries() * index + self.0.labels.len() * size_of::<f32>() + self.0.ids.len()
    }

    /// The cache file that values are mapped from; nothing where they were read or generated.
    pub fn mapped_from(&self) -> Option<&std::path::Path> {
        self.0.blocks.mapped_from()
    }

    pub(crate) fn content(&self) -> &Content {
        &self.0
    }

    /// The packed values of query `index`.
    pub(crate) fn block_bytes(&self, index: usize) -> &[u8] {
        self.0.blocks.get(index)
    }

    fn id(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.0.id_ends[index - 1] };
        &self.0.ids[start..self.0.id_ends[index]]
    }

    fn document_range(&self, index: usize) -> Range<usize> {
        self.0.offsets[index]..self.0.offsets[index + 1]
    }
}

impl PartialEq for Dataset {
    fn eq(&self, other: &Self) -> bool {
        self.0.features == other.0.features
            && self.0.id_ends == other.0.id_ends
            && self.0.ids == other.0.ids
            && self.0.offsets == other.0.offsets
            && self.0.labels == other.0.labels
            && (0..self.queries()).all(|index| self.block_bytes(index) == other.block_bytes(index))
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("name", &self.0.name)
            .field("queries", &self.queries())
            .field("documents", &self.documents())
            .field("features", &self.0.features)
            .finish_non_exhaustive()
    }
}

/// One query of a [`Dataset`].
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    dataset: &'a Dataset,
    index: usize,
}

impl<'a> Query<'a> {
    /// The query's id as the file gives it.
    pub fn id(&self) -> &'a str {
        self.dataset.id(self.index)
    }

    /// Its place in the data set, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many documents.
    pub fn documents(&self) -> usize {
        self.dataset.document_range(self.index).len()
    }

    /// Labels, one a document; -1 for a document without one.
    pub fn labels(&self) -> &'a [f32] {
        &self.dataset.0.labels[self.dataset.document_range(self.index)]
    }

    /// Values of one feature, one a document, absent ones 0, appended to the cleared `out`.
    ///
    /// Each is the `f64` nearest to the decimal in the file.
    pub fn column(&self, feature: FeatureId, out: &mut Vec<f64>) {
        out.clear();
        match self.block().find(feature.0) {
            Some(segment) => segment.values(self.documents(), out),
            None => out.resize(self.documents(), 0.0),
        }
    }

    /// Keys that order the documents as the feature's values do (equal iff equal), appended to the
    /// cleared `out`; returns false, leaving `out` empty, where the feature is constant in this query.
    ///
    /// Keys say nothing beyond this query and feature. They are as small as can be had cheaply: below
    /// `2^w` where `w` is the bits that the column's range needs.
    pub fn sort_keys(&self, feature: FeatureId, out: &mut Vec<u64>) -> bool {
        out.clear();
        match self.block().find(feature.0) {
            Some(segment) if !segment.is_constant() => {
                segment.keys(self.documents(), out);
                true
            }
            _ => false,
        }
    }

    /// Whether all documents have the same value of `feature`; cheaper than reading the column.
    pub fn is_constant(&self, feature: FeatureId) -> bool {
        self.block().find(feature.0).is_none_or(|segment| segment.is_constant())
    }

    /// The features that are not 0 for all documents, ascending.
    pub fn present(&self) -> impl ExactSizeIterator<Item = FeatureId> + use<'a> {
        self.block().features().map(FeatureId)
    }

    /// Calls `each` with every feature present and its values, exactly as stored.
    pub(crate) fn each_decimals(&self, mut each: impl FnMut(u32, &[Decimal])) {
        let block = self.block();
        let mut values = Vec::new();
        for index in 0..block.present() {
            let (feature, segment) = block.get(index);
            values.clear();
            segment.decimals(self.documents(), &mut values);
            each(feature, &values);
        }
    }

    fn block(&self) -> Block<'a> {
        Block::read(self.dataset.block_bytes(self.index))
    }
}
