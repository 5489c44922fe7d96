//! All integration tests of the crate in one binary: one file per subject, linked once.

mod cache;
mod dialects;
mod every_file;
mod gold;
mod lookalike;
mod random;
mod real_data;
mod resemblance;
mod scores;
mod support;
mod trec;
