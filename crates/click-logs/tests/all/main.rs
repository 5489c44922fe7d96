//! Tests of the crate, as modules of one binary.

mod cli;
mod common;
mod gathered;
mod malformed;
mod oracle;
mod order;
mod published;
mod sliding;
mod truth;
