//! Scores of models in files beside a data set, one score per document: any model becomes a ranker without being loaded.
//!
//! | file | written by |
//! |---|---|
//! | text, one score per line | `lightgbm predict`, `xgboost predict`, `numpy.savetxt` |
//! | text, `query index score` per line | RankLib's `-score` |
//! | `.npy`, one dimension of `float32` or `float64` | `numpy.save` |
//!
//! Scores are in the order of the data set's rows, in text or gzip. [`add`] appends one feature per file, named after it;
//! features of the data set keep their numbers. Values are kept as everywhere: text as its decimals, floats as the
//! shortest decimals that give the same float, so that two scores are tied if and only if they are equal.
//!
//! ```
//! use letor_io::{OpenOptions, open, scores};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
//! std::fs::write(path("test.txt"), "2 qid:a 1:3\n0 qid:a 1:1\n1 qid:b 1:2\n")?;
//! std::fs::write(path("lambdamart.txt"), "0.31\n-0.2\n1.5\n")?;
//! let dataset = open(&[path("test.txt")], &OpenOptions::default())?;
//! let dataset = scores::add(&dataset, &[path("lambdamart.txt")], scores::Features::Kept)?;
//! assert_eq!(dataset.features(), 2);
//! assert_eq!(dataset.feature_names().unwrap().get(1), Some("lambdamart"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod npy;
mod text;

pub use add::{Features, add};

/// Reads `bytes` as scores of `dataset`; must not panic.
#[cfg(feature = "fuzz")]
pub(crate) fn check(bytes: &[u8], dataset: &crate::Dataset) {
    let _ = if npy::is_npy(bytes) { npy::parse(bytes) } else { text::parse(bytes, dataset) };
}
