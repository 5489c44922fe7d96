//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.
//!
//! A row of such a file is a document: its label, its query, and numbered feature values.
//!
//! ```text
//! 2 qid:10 1:3 2:0.5 136:159613600
//! ```
//!
//! # Reading
//!
//! [`open`] takes what a person types: a registered name, files, or a folder. [`read_files`] reads files
//! and folders. Both use all threads, within one file and across files, and give the same data set, and
//! the same error, for any number of them.
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
//! What is wrong with a file is one line: where, what was found, what was expected, what to do.
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
//! [`lookalike`] generates synthetic data sets of the shape of the real ones: `mslr-lookalike`,
//! `mslr-lookalike:0.1` with a tenth of the queries, and five more. [`open`] takes their names too.
//!
//! # Looking at values
//!
//! Values are kept as the decimals of the text, so none is rounded into a tie; where only their order
//! matters, [`Query::sort_keys`] gives integers.
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
//! # What is read
//!
//! | quirk | met in |
//! |---|---|
//! | ids that are no numbers, `qid:WT04-182`; comments, `#docid = G13-86-1372899` | LETOR 3 and 4 |
//! | the id alone in the comment, `# 3382`; labels with fractions; -1 for no label | Yandex |
//! | rows without ids, group sizes in `rank.train.query` beside `rank.train` | LightGBM |
//! | sparse rows: an absent value is 0 | Yahoo, Yandex |
//! | integers above 2^24, negative values, blanks at line ends, CRLF | MSLR |
//! | `NULL` values, when [asked for](Null) | LETOR 4's "NULL" version |
//! | `1e-05`, `+1`, tabs, several blanks, blank lines and comment lines, no line feed at the end, a byte order mark | all sorts |
//! | gzip, told by content, of several members too | all sorts |
//!
//! # Data sets by name
//!
//! [`registry`] knows the public sets: where to get them, on what terms, and what to expect of them.
//! To add one, write `datasets/NAME.toml` after those that are there, and list it in
//! `src/registry/mod.rs`; a test reads them all.

pub mod cache;
mod dataset;
mod decimal;
mod error;
#[doc(hidden)]
pub mod fuzz;
pub mod lookalike;
mod open;
pub mod registry;
mod text;

pub use cache::Cache;
pub use dataset::{BuildError, Dataset, DatasetBuilder, EncodedQuery, FeatureId, Provenance, Query, Statistics};
pub use error::{Error, ErrorKind};
pub use open::{OpenOptions, open};
pub use registry::Split;
pub use text::{Null, ReadOptions, SameQid, WriteOptions, read_files, write};
