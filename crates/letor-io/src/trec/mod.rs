//! TREC runs and qrels: read as a data set with one feature per run, and written.
//!
//! A run is what a ranker returned, one line per document, `query Q0 document rank score tag`; qrels are judgments,
//! `query 0 document label`. [`open`] joins them to a [`Dataset`](crate::Dataset): each run is a feature, named after
//! its file, and whatever ranks features compares runs.
//!
//! ```
//! use letor_io::{FeatureId, trec};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
//! std::fs::write(path("bm25.run"), "7 Q0 a 1 2.5 x\n7 Q0 b 2 1.5 x\n")?;
//! std::fs::write(path("ltr.run"), "7 Q0 c 1 0.9 y\n7 Q0 a 2 0.1 y\n")?;
//! std::fs::write(path("qrels"), "7 0 a 2\n7 0 z 1\n")?;
//! let runs = [path("bm25.run"), path("ltr.run")];
//! let dataset = trec::open(&runs, &[path("qrels")], &trec::TrecOptions::default())?;
//!
//! let query = dataset.query(0);
//! // The documents a, b and c, in the order of their numbers, and the values of each run: higher is better.
//! assert_eq!(query.labels(), [2.0, 0.0, 0.0]);
//! let mut values = Vec::new();
//! query.column(FeatureId(1), &mut values);
//! assert_eq!(values, [2.0, 1.0, 0.0], "c is not retrieved");
//! assert_eq!(query.retrieved(FeatureId(1)), 2);
//! assert_eq!(dataset.runs().unwrap().unretrieved(0), [1.0], "z, which no run retrieved");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! * **Order**: by default that of `trec_eval` ([`TrecTies::Docno`]): scores in single precision, highest first, and ties
//!   by document number, the last in the order of bytes first. The rank column orders nothing; where it contradicts the scores is
//!   counted ([`RankColumn`](crate::RankColumn)). So the lists that users are
//!   shown are those that `trec_eval`, `pytrec_eval` and `ir_measures` evaluate. [`TrecTies::Keep`] keeps equal scores
//!   tied, compared as the decimals in the file.
//! * **Documents**: those of a query are the ones that any of the runs retrieved, in the order of their numbers as bytes,
//!   whatever the order of lines. Documents that a run did not retrieve come below everything it did retrieve, tied. Judged documents
//!   that no run retrieved can never be shown; [`Runs::unretrieved`](crate::Runs::unretrieved) has their labels.
//! * **Labels**: a document without judgment has label 0 ([`UnjudgedRule::Zero`]) or leaves the lists
//!   ([`UnjudgedRule::Remove`]). Negative labels are read as 0. A judgment may be repeated, but not contradicted.
//! * **Comments**: lines that begin with `#` are skipped, as `trec_eval` does since version 10.
//! * **Queries**: those that have a judgment and at least one retrieved document, in the order of their numbers, or of
//!   their bytes if one of them is not a number. A run without a document for a query leaves it in random order.
//!
//! What was left out or filled in is counted: [`Runs::counts`](crate::Runs::counts).
//!
//! # Inside
//!
//! `letor_io::trec` turns TREC runs and qrels into a `Dataset`: run *i* is feature *i*. A run's value for a document is the number of
//! retrieved documents at or below it, and 0 for those it did not retrieve. So the content, and with it the checksum and every
//! seed, is that of the lists: other scores, names, files or orders of lines that give the same lists are the same data.
//! Documents are in the order of their numbers, queries in that of theirs. `Dataset::runs` has what only runs have: labels of judged
//! documents that no run retrieved (the checksum covers them), and counts of omissions. `letor_io::scores` appends
//! columns to packed queries without unpacking them. `simulation::spec::SiteSpec` opens either, so that every command and
//! experiment does. `--runs` with files instead of a number becomes `--rankings` before flags are parsed, by its value alone (`cli::args::own`).

mod documents;
mod fields;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod join;
mod lists;
mod open;
mod options;
mod order;
mod qrels;
mod query;
mod ranks;
mod run;
mod sources;
mod write;

pub use open::{open, open_with_gold};
pub use options::{TrecOptions, TrecTies, UnjudgedRule};
pub use query::read_query;
pub use sources::{any_synthetic, path_of};
pub use write::{DocumentNumbers, write_qrels, write_run};

/// The beginning of the tag of runs that were written from synthetic data, and the iteration of such qrels.
pub(crate) const SYNTHETIC: &str = "SYNTHETIC";
