//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.
//!
//! Each row of such a file is one document: its label, its query, and numbered feature values.
//!
//! ```text
//! 2 qid:10 1:3 2:0.5 136:159613600
//! ```
//!
//! # Reading
//!
//! [`open`] takes what a user types: a registered name, files, or a folder. [`read_files`] reads files
//! and folders. Both use all threads, within one file and across files. The data set, or the error, does
//! not depend on the number of threads.
//!
//! ```
//! use letor_io::{OpenOptions, open};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("train.txt");
//! # let path = path.to_str().unwrap();
//! std::fs::write(path, "2 qid:a 1:3 2:0.5\n0 qid:a 1:1\n1 qid:b 2:-4e-3\n")?;
//! let dataset = open(&[path], &OpenOptions::default())?;
//! assert_eq!((dataset.queries(), dataset.documents(), dataset.features()), (2, 3, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An error is one line: the place (`file:line:column`), what was found, what was expected, and what to do.
//!
//! ```
//! # use letor_io::{OpenOptions, open};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("train.txt");
//! # let path = path.to_str().unwrap();
//! std::fs::write(path, "2 qid:a 1:3\n7 qid:a 1:1\n")?;
//! let error = open(&[path], &OpenOptions::default()).unwrap_err();
//! assert_eq!((error.line(), error.column()), (Some(2), Some(1)));
//! assert!(error.to_string().contains("label `7` is out of range, expected 0 to 4"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Without data
//!
//! [`lookalike`] generates synthetic data sets that resemble the real ones: `mslr-lookalike`,
//! `mslr-lookalike:0.1` with a tenth of the queries, and five others. [`open`] accepts their names too.
//!
//! # Values
//!
//! Values are kept as the decimals in the text, so rounding never creates a tie. Where only their order
//! matters, [`Query::sort_keys`] returns integers.
//!
//! ```
//! use letor_io::{DatasetBuilder, FeatureId, Provenance};
//!
//! let mut builder = DatasetBuilder::new("pair", Provenance::LookAlike { name: "pair".into() });
//! builder.push_rows("q", &[0.0, 1.0], &[[16_777_217.0], [16_777_216.0]])?;
//! let dataset = builder.build();
//! let (mut values, mut keys) = (Vec::new(), Vec::new());
//! dataset.query(0).column(FeatureId(1), &mut values);
//! assert_eq!(values, [16_777_217.0, 16_777_216.0]);
//! assert!(dataset.query(0).sort_keys(FeatureId(1), &mut keys), "the values differ");
//! assert!(keys[0] > keys[1]);
//! # Ok::<(), letor_io::BuildError>(())
//! ```
//!
//! # Statistics and writing
//!
//! ```
//! use letor_io::{DatasetBuilder, Provenance, Statistics, WriteOptions, write};
//!
//! let mut builder = DatasetBuilder::new("pair", Provenance::LookAlike { name: "pair".into() });
//! builder.push_columns("q", &[0.0, 2.0], &[[0.5, 0.25], [0.0, 7.0]])?;
//! let dataset = builder.build();
//! assert_eq!(Statistics::of(&dataset).labels, [(0.0, 1), (2.0, 1)]);
//!
//! let mut text = Vec::new();
//! write(&dataset, &WriteOptions::default(), &mut text)?;
//! assert_eq!(text, b"0 qid:q 1:0.5 2:0\n2 qid:q 1:0.25 2:7\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Dialects
//!
//! | accepted | found in |
//! |---|---|
//! | ids that are not numbers, `qid:WT04-182`; comments, `#docid = G13-86-1372899` | LETOR 3 and 4 |
//! | the query id as the whole comment, `# 3382`, a number that rows share; fractional labels; -1 for no label | Yandex |
//! | rows without ids, group sizes in `rank.train.query` or `rank.train.group` beside `rank.train` | LightGBM, XGBoost |
//! | sparse rows: an absent value is 0 | Yahoo, Yandex |
//! | integers above 2^24, negative values, trailing spaces, CRLF | MSLR |
//! | `NULL` values, if [requested](Null) | LETOR 4's "NULL" version |
//! | `1e-05`, `+1`, tabs, repeated spaces, blank lines, comment lines, no final line feed, a byte order mark | various |
//! | gzip with one or more members, detected by content | various |
//!
//! # Data sets by name
//!
//! [`registry`] describes the public sets: where to get them, their licences, and their sizes. To add
//! one, write `sets/NAME.toml` by the example of the existing files and list it in
//! `src/registry/mod.rs`; a test reads every file.

pub mod cache;
mod dataset;
mod decimal;
pub mod environment;
mod error;
mod file_names;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod lookalike;
mod names;
mod nan;
mod open;
mod other_format;
pub mod registry;
mod regular_file;
pub mod scores;
mod text;
pub mod trec;

pub use dataset::{
    BuildError, Dataset, DatasetBuilder, EncodedQuery, FeatureId, Gold, GoldQuery, Provenance, Query, RankColumn,
    RunCounts, Runs, Statistics, exact_label,
};
pub use error::{Error, ErrorKind};
pub use names::{NameError, NameFault, NameList, Names, NumberedItem, nearly_equal};
pub use nan::nan_as_null;
pub use open::{OpenOptions, open};
pub use other_format::OtherFormat;
pub use registry::{ParseSplitError, Split};
pub use text::{Null, ReadOptions, SameQid, WriteOptions, read_files, write};

/// The examples of the README, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
