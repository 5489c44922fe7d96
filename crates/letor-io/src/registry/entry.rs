//! The description of a data set or preference matrix.

use serde::Deserialize;

use super::split::Split;

/// A data set or preference matrix known by name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Entry {
    /// The name, as in `--dataset NAME`.
    pub name: String,
    /// The title given by its authors.
    pub title: String,
    /// A description in one or two sentences.
    pub about: String,
    /// The number of features; 0 for a preference matrix.
    #[serde(default)]
    pub features: u32,
    /// The highest label.
    #[serde(default = "default_max_label")]
    pub max_label: f32,
    /// The number of features that are 0 for every document, if known.
    pub always_zero: Option<u32>,
    /// The paper to cite.
    pub paper: Option<Paper>,
    /// The licence.
    pub licence: Licence,
    /// Where to get it.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// The parts.
    #[serde(rename = "split", default)]
    pub splits: Vec<SplitEntry>,
    /// The matrix, if it is a preference matrix and not a data set.
    pub matrix: Option<MatrixEntry>,
}

fn default_max_label() -> f32 {
    4.0
}

/// A published preference matrix.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MatrixEntry {
    /// The name of the file.
    pub file: String,
    /// The number of arms.
    pub arms: u32,
}

/// The paper to cite for a data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Paper {
    /// The title and year.
    pub title: String,
    /// The DOI as a URL, or another URL if it has none.
    pub address: String,
}

/// The licence of a data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Licence {
    /// The terms in one sentence.
    pub terms: String,
    /// The URL where to read and accept them.
    pub address: String,
}

/// A place to get a data set from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Source {
    /// The URL.
    pub address: String,
    /// The name of the file.
    pub file: String,
    /// The size in bytes, if known.
    pub bytes: Option<u64>,
    /// The SHA-256 in hex, if known.
    pub sha256: Option<String>,
    /// Whether the URL is that of the file itself, so that it can be downloaded automatically.
    #[serde(default)]
    pub direct: bool,
}

/// A part of a data set and its files.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SplitEntry {
    /// Which part.
    pub name: Split,
    /// The files of the part, in each of the layouts in which the data set is distributed; the first complete layout
    /// is used. Every file may also end in `.gz`.
    pub files: Vec<Vec<String>>,
    /// The number of queries, if known.
    pub queries: Option<u64>,
    /// The number of documents, if known.
    pub documents: Option<u64>,
    /// Whether the papers on dueling bandits include this part. These parts are read by default.
    pub counted: bool,
}

impl Entry {
    /// The part `split`, if the data set has it.
    pub fn split(&self, split: Split) -> Option<&SplitEntry> {
        self.splits.iter().find(|entry| entry.name == split)
    }

    /// The numbers of queries and documents of the parts that the papers include, if known.
    pub fn counted_sizes(&self) -> (Option<u64>, Option<u64>) {
        let counted = || self.splits.iter().filter(|split| split.counted);
        (counted().map(|split| split.queries).sum(), counted().map(|split| split.documents).sum())
    }

    /// Whether a file can be downloaded automatically.
    pub fn is_direct(&self) -> bool {
        self.sources.iter().any(|source| source.direct)
    }
}
