//! Tests of the crate, as modules of one binary: how often verdicts are wrong, on counts that are drawn.

mod draft;
mod drift;
mod shops;
mod worlds;
