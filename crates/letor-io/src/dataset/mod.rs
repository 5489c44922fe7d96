//! Queries, labels and features in memory.

mod bits;
mod block;
mod build;
mod checksum;
mod segment;
mod statistics;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use block::Block;
pub(crate) use block::BlockWriter;
pub use build::{BuildError, DatasetBuilder, EncodedQuery};
pub(crate) use segment::Column;
pub use statistics::Statistics;

use crate::decimal::Decimal;

/// A feature's 1-based number, as data files count them. Arm `i` of a matrix over all features is
/// feature `i + 1`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
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
/// content is (ids, labels, values, number of features), wherever they come from.
pub struct Dataset {
    name: String,
    provenance: Provenance,
    features: u32,
    /// All query ids, one after the other, and where each ends.
    ids: String,
    id_ends: Vec<usize>,
    /// Where each query's documents begin, and one more entry: the number of documents.
    offsets: Vec<usize>,
    labels: Vec<f32>,
    max_label: f32,
    blocks: Vec<Box<[u8]>>,
    checksum: OnceLock<String>,
}

impl Dataset {
    /// The name it is shown under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// How many queries.
    pub fn queries(&self) -> usize {
        self.blocks.len()
    }

    /// How many documents, over all queries.
    pub fn documents(&self) -> usize {
        self.labels.len()
    }

    /// Highest feature number (features are 1..=this).
    pub fn features(&self) -> u32 {
        self.features
    }

    /// Query `index` (0-based).
    ///
    /// # Panics
    ///
    /// When `index` is not below [`queries`](Self::queries).
    pub fn query(&self, index: usize) -> Query<'_> {
        assert!(
            index < self.queries(),
            "query {index} of {}",
            self.queries()
        );
        Query {
            dataset: self,
            index,
        }
    }

    /// All queries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Query<'_>> {
        (0..self.queries()).map(|index| self.query(index))
    }

    /// Labels of all documents, query after query; -1 for a document without one.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// Index of the first document of query `index`; `document_offset(queries())` is `documents()`.
    ///
    /// # Panics
    ///
    /// When `index` is above [`queries`](Self::queries).
    pub fn document_offset(&self, index: usize) -> usize {
        self.offsets[index]
    }

    /// Highest label: -1 when no document has one, 0 when there are no documents.
    pub fn max_label(&self) -> f32 {
        self.max_label
    }

    /// SHA-256 (hex) of the content: query ids, labels and values; the same for text, gzip and any
    /// split of the files.
    ///
    /// Computed at the first call (in parallel, some gigabytes a second), then kept. The number of
    /// features does not enter it, as features that are always 0 leave no trace in text.
    pub fn checksum(&self) -> String {
        self.checksum.get_or_init(|| checksum::of(self)).clone()
    }

    /// How many bytes it takes in memory.
    pub fn memory(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| block.len()).sum();
        let index = size_of::<Box<[u8]>>() + 2 * size_of::<usize>();
        blocks + self.queries() * index + self.labels.len() * size_of::<f32>() + self.ids.len()
    }

    fn id(&self, index: usize) -> &str {
        let start = if index == 0 {
            0
        } else {
            self.id_ends[index - 1]
        };
        &self.ids[start..self.id_ends[index]]
    }

    fn document_range(&self, index: usize) -> Range<usize> {
        self.offsets[index]..self.offsets[index + 1]
    }
}

impl PartialEq for Dataset {
    fn eq(&self, other: &Self) -> bool {
        self.features == other.features
            && self.id_ends == other.id_ends
            && self.ids == other.ids
            && self.offsets == other.offsets
            && self.labels == other.labels
            && self.blocks == other.blocks
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("name", &self.name)
            .field("queries", &self.queries())
            .field("documents", &self.documents())
            .field("features", &self.features)
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
        &self.dataset.labels[self.dataset.document_range(self.index)]
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
        self.block()
            .find(feature.0)
            .is_none_or(|segment| segment.is_constant())
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
        Block::read(&self.dataset.blocks[self.index])
    }
}
