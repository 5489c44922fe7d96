//! Tests of the crate from outside, as one binary.

mod clean;
mod world;
