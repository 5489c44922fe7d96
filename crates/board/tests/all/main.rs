//! Tests of the crate from outside, as one binary.

mod categories;
mod clean;
mod columns;
mod corrected;
mod covariates;
mod coverage;
mod discrimination;
mod exact;
mod gold;
mod independent;
mod planted_defects;
mod read;
mod units;

mod world;
mod worlds;
