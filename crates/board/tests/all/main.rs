//! Tests of the crate from outside, as one binary.

mod clean;
mod coverage;
mod gold;
mod independent;
mod planted;
mod read;
mod units;

mod world;
mod worlds;
