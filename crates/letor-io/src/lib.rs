//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.

mod dataset;
mod decimal;
mod error;
mod text;

pub use dataset::{
    BuildError, Dataset, DatasetBuilder, EncodedQuery, FeatureId, Provenance, Query, Statistics,
};
pub use error::{Error, ErrorKind};
pub use text::{Null, ReadOptions, SameQid, WriteOptions, read_files, write};
