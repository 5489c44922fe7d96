//! One query of a data set.

use super::Dataset;
use super::block::Block;
use crate::decimal::Decimal;

/// The number of a feature, from 1, as in data files. Arm `i` of a matrix over all features is feature `i + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct FeatureId(pub u32);

/// One query of a [`Dataset`].
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    dataset: &'a Dataset,
    index: usize,
}

impl<'a> Query<'a> {
    pub(super) fn new(dataset: &'a Dataset, index: usize) -> Self {
        Self { dataset, index }
    }

    /// The id of the query in the file.
    pub fn id(&self) -> &'a str {
        self.dataset.id(self.index)
    }

    /// The index in the data set, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.dataset.document_range(self.index).len()
    }

    /// The labels, one per document; -1 for a document without one.
    pub fn labels(&self) -> &'a [f32] {
        &self.dataset.content().labels[self.dataset.document_range(self.index)]
    }

    /// Replaces the contents of `out` by the values of `feature`, one per document; absent values are 0.
    ///
    /// Each is the `f64` nearest to the decimal in the file.
    pub fn column(&self, feature: FeatureId, out: &mut Vec<f64>) {
        out.clear();
        match self.block().find(feature.0) {
            Some(segment) => segment.values(self.documents(), out),
            None => out.resize(self.documents(), 0.0),
        }
    }

    /// Replaces the contents of `out` by keys, one per document, that compare as the values of `feature` do (two keys
    /// are equal if and only if the values are). Returns false and leaves `out` empty if the feature is constant in
    /// this query.
    ///
    /// Keys of different queries or features are not comparable. All keys are below `2^w`, where `w` is the number of
    /// bits that the range of the column needs.
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

    /// The number of documents that `feature`, a run, retrieved: they come first in its list. All documents, if the
    /// data set is not made of [runs](Dataset::runs).
    pub fn retrieved(&self, feature: FeatureId) -> usize {
        if self.dataset.runs().is_none() {
            return self.documents();
        }
        self.block().find(feature.0).map_or(0, |segment| segment.count_above_zero(self.documents()))
    }

    /// Whether all documents have the same value of `feature`. Faster than reading the column.
    pub fn is_constant(&self, feature: FeatureId) -> bool {
        self.block().find(feature.0).is_none_or(|segment| segment.is_constant())
    }

    /// The features that are not 0 for all documents, in ascending order.
    pub fn nonzero_features(&self) -> impl ExactSizeIterator<Item = FeatureId> + use<'a> {
        self.block().features().map(FeatureId)
    }

    /// Replaces the contents of `out` by the exact values of `feature`, one per document.
    pub(crate) fn decimals(&self, feature: FeatureId, out: &mut Vec<Decimal>) {
        out.clear();
        match self.block().find(feature.0) {
            Some(segment) => segment.decimals(self.documents(), out),
            None => out.resize(self.documents(), Decimal::ZERO),
        }
    }

    /// Calls `each` with every feature present and its packed values.
    pub(super) fn for_each_segment(&self, mut each: impl FnMut(u32, &[u8])) {
        let block = self.block();
        for index in 0..block.feature_count() {
            let (feature, segment) = block.bytes(index);
            each(feature, segment);
        }
    }

    /// Calls `each` with every feature present and its exact values.
    pub(crate) fn for_each_column(&self, mut each: impl FnMut(u32, &[Decimal])) {
        let block = self.block();
        let mut values = Vec::new();
        for index in 0..block.feature_count() {
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
