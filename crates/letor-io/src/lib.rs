//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.

mod dataset;
mod decimal;
mod error;
mod open;
pub mod registry;
mod text;

pub use dataset::{
    BuildError, Dataset, DatasetBuilder, EncodedQuery, FeatureId, Provenance, Query, Statistics,
};
pub use error::{Error, ErrorKind};
pub use open::{OpenOptions, open};
pub use registry::Split;
pub use text::{Null, ReadOptions, SameQid, WriteOptions, read_files, write};
