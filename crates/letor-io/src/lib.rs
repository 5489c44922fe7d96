//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.

use std::path::PathBuf;

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
#[derive(Debug)]
pub struct Dataset {}

/// One query of a [`Dataset`].
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    _dataset: &'a Dataset,
}

impl Dataset {
    /// The name it is shown under.
    pub fn name(&self) -> &str { todo!() }
    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance { todo!() }
    /// How many queries.
    pub fn queries(&self) -> usize { todo!() }
    /// How many documents, over all queries.
    pub fn documents(&self) -> usize { todo!() }
    /// Highest feature number (features are 1..=this).
    pub fn features(&self) -> u32 { todo!() }
    /// Query `index` (0-based).
    pub fn query(&self, index: usize) -> Query<'_> { todo!() }
    /// Labels of all documents, query after query.
    pub fn labels(&self) -> &[f32] { todo!() }
    /// Index of the first document of query `index`; `document_offset(queries())` is `documents()`.
    pub fn document_offset(&self, index: usize) -> usize { todo!() }
    /// Highest label.
    pub fn max_label(&self) -> f32 { todo!() }
    /// SHA-256 (hex) of the content: query ids, labels and values; the same for text, gzip and any split of the files.
    pub fn checksum(&self) -> String { todo!() }
}

impl<'a> Query<'a> {
    /// The query's id as the file gives it.
    pub fn id(&self) -> &'a str { todo!() }
    /// How many documents.
    pub fn documents(&self) -> usize { todo!() }
    /// Labels, one a document.
    pub fn labels(&self) -> &'a [f32] { todo!() }
    /// Values of one feature, one a document, absent ones 0, appended to the cleared `out`.
    pub fn column(&self, feature: FeatureId, out: &mut Vec<f64>) { todo!() }
    /// Keys that order the documents as the feature's values do (equal iff equal), appended to the
    /// cleared `out`; returns false, leaving `out` empty, where the feature is constant in this query.
    pub fn sort_keys(&self, feature: FeatureId, out: &mut Vec<u64>) -> bool { todo!() }
}
