//! Learning-to-rank data sets: SVMlight/LETOR text and its dialects, read, written and generated.

mod dataset;
mod decimal;

pub use dataset::{
    BuildError, Dataset, DatasetBuilder, EncodedQuery, FeatureId, Provenance, Query,
};
