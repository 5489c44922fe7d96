//! The data sets and preference matrices known by name, and where their files are on this machine.
//!
//! What is known stands in `datasets/*.toml`, one file a data set. Their data is licensed, so none comes
//! with this software: `cargo xtask fetch-datasets` says where to get it and registers it.

mod locate;
mod spelling;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::Error;
pub use locate::{Located, data_root, locate, locate_among, missing};
pub use spelling::nearest;

/// A data set known by name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Entry {
    /// The name, as in `--dataset NAME`.
    pub name: String,
    /// What its makers call it.
    pub title: String,
    /// What it is, in a sentence or two.
    pub about: String,
    /// Features are 1 to this.
    #[serde(default)]
    pub features: u32,
    /// The highest label.
    #[serde(default = "five_grades")]
    pub max_label: f32,
    /// How many of them are 0 for every document, where that is known.
    pub always_zero: Option<u32>,
    /// The paper to cite.
    pub paper: Option<Paper>,
    /// On what terms it may be had.
    pub licence: Licence,
    /// Where it may be had.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// Its parts.
    #[serde(rename = "split", default)]
    pub splits: Vec<SplitEntry>,
    /// The matrix, where it is a preference matrix and no data set.
    pub matrix: Option<MatrixEntry>,
}

fn five_grades() -> f32 {
    4.0
}

/// A published preference matrix.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MatrixEntry {
    /// The file it is in.
    pub file: String,
    /// How many arms it has.
    pub arms: u32,
}

/// The paper to cite for a data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Paper {
    /// Its title and year.
    pub title: String,
    /// Its DOI as an address, or another where it has none.
    pub address: String,
}

/// On what terms a data set may be had.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Licence {
    /// The terms in a sentence.
    pub terms: String,
    /// Where to read and accept them.
    pub address: String,
}

/// A place to get a data set from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Source {
    /// The address.
    pub address: String,
    /// The file to be had there.
    pub file: String,
    /// Its size in bytes, where known.
    pub bytes: Option<u64>,
    /// Its SHA-256 (hex), where known.
    pub sha256: Option<String>,
    /// Whether the address is that of the file itself, so that it can be downloaded without a person.
    #[serde(default)]
    pub direct: bool,
}

/// One part of a data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SplitEntry {
    /// Which part.
    pub name: Split,
    /// The files it consists of, in each of the layouts the data set is met in; the first that is
    /// there counts. Any may end in `.gz` as well.
    pub files: Vec<Vec<String>>,
    /// How many queries to expect, where known.
    pub queries: Option<u64>,
    /// How many documents to expect, where known.
    pub documents: Option<u64>,
    /// Whether the papers on dueling bandits counted this part; those parts are read unless one is
    /// asked for.
    pub counted: bool,
}

/// A part of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// For training.
    Train,
    /// For validation.
    Vali,
    /// For testing.
    Test,
}

impl Split {
    /// Its name: `train`, `vali` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Vali => "vali",
            Self::Test => "test",
        }
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Split {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "train" => Ok(Self::Train),
            "vali" | "valid" | "validation" => Ok(Self::Vali),
            "test" => Ok(Self::Test),
            _ => Err(format!("expected train, vali or test, found `{name}`")),
        }
    }
}

/// The files of `datasets/`, part of the library so that names are known from anywhere.
const FILES: [&str; 18] = [
    include_str!("../../../../datasets/mslr-web30k.toml"),
    include_str!("../../../../datasets/mslr-web10k.toml"),
    include_str!("../../../../datasets/ylr1.toml"),
    include_str!("../../../../datasets/ylr2.toml"),
    include_str!("../../../../datasets/yandex.toml"),
    include_str!("../../../../datasets/mq2007.toml"),
    include_str!("../../../../datasets/mq2008.toml"),
    include_str!("../../../../datasets/np2003.toml"),
    include_str!("../../../../datasets/np2004.toml"),
    include_str!("../../../../datasets/hp2003.toml"),
    include_str!("../../../../datasets/hp2004.toml"),
    include_str!("../../../../datasets/td2003.toml"),
    include_str!("../../../../datasets/td2004.toml"),
    include_str!("../../../../datasets/ohsumed.toml"),
    include_str!("../../../../datasets/istella-s.toml"),
    include_str!("../../../../datasets/prefmat-mslr-perfect.toml"),
    include_str!("../../../../datasets/prefmat-mslr-navigational.toml"),
    include_str!("../../../../datasets/prefmat-mslr-informational.toml"),
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let parse = |text: &&str| toml::from_str(text).expect("a test reads every file of datasets/");
    FILES.iter().map(parse).collect()
});

/// All data sets and preference matrices known by name.
pub fn all() -> &'static [Entry] {
    &ENTRIES
}

/// The file of the preference matrix `name` below `root`, unless no matrix is called that.
///
/// # Errors
///
/// [`ErrorKind::Missing`](crate::ErrorKind::Missing) where it is not on this machine.
pub fn matrix_file(name: &str, root: &Path) -> Option<Result<PathBuf, Error>> {
    let entry = find(name)?;
    let folder = root.join(&entry.name);
    let path = folder.join(&entry.matrix.as_ref()?.file);
    Some(if path.is_file() { Ok(path) } else { Err(missing(entry, None, &folder)) })
}

/// The data set of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|entry| entry.name == name)
}

impl Entry {
    /// The part called `split`, if the data set has it.
    pub fn split(&self, split: Split) -> Option<&SplitEntry> {
        self.splits.iter().find(|entry| entry.name == split)
    }

    /// How many queries and documents the parts that the papers counted have, where known.
    pub fn counted(&self) -> (Option<u64>, Option<u64>) {
        let counted = || self.splits.iter().filter(|split| split.counted);
        (counted().map(|split| split.queries).sum(), counted().map(|split| split.documents).sum())
    }

    /// Whether its files can be downloaded without a person.
    pub fn is_direct(&self) -> bool {
        self.sources.iter().any(|source| source.direct)
    }

    /// The command that registers a copy of its files.
    pub fn register_command(&self) -> String {
        format!("cargo xtask fetch-datasets {} --from FILE-OR-FOLDER", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_makes_sense() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets");
        let files = std::fs::read_dir(folder).unwrap();
        let tomls = files.filter(|f| f.as_ref().unwrap().path().extension() == Some("toml".as_ref()));
        assert_eq!(tomls.count(), FILES.len(), "every file of datasets/ is listed");
        for entry in all() {
            assert_eq!(find(&entry.name), Some(entry));
            assert!(entry.splits.iter().any(|split| split.counted) != entry.matrix.is_some(), "{}", entry.name);
            assert!(entry.splits.iter().all(|split| !split.files.is_empty()), "{}", entry.name);
            assert!(entry.always_zero.is_none_or(|zero| zero < entry.features));
            assert!((entry.features == 0) == entry.matrix.is_some(), "{}", entry.name);
            for source in &entry.sources {
                assert!(source.address.starts_with("https://"));
                assert!(source.sha256.as_ref().is_none_or(|sum| sum.len() == 64));
                assert!(!source.direct || source.sha256.is_some() && source.bytes.is_some(), "{}", entry.name);
            }
        }
    }

    /// Table 1 of the mergeRUCB paper (WSDM 2015, doi:10.1145/2684822.2685290) counts these.
    #[test]
    fn counts_are_those_of_the_papers() {
        for (name, queries, documents) in [
            ("mslr-web30k", 31_531, 3_771_125),
            ("ylr1", 19_944, 473_134),
            ("ylr2", 1_266, 34_815),
            ("yandex", 9_124, 97_290),
            ("mslr-web10k", 10_000, 1_200_192),
            ("mq2007", 1_692, 69_623),
            ("mq2008", 784, 15_211),
            ("istella-s", 33_018, 3_408_630),
        ] {
            assert_eq!(find(name).unwrap().counted(), (Some(queries), Some(documents)), "{name}");
        }
    }
}
