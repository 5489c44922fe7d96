//! All integration tests of the crate in one binary: one file per subject, linked once.

mod agreement;
mod common;
mod convergence;
mod identification;
mod open;
mod own;
mod own_config;
mod problems;
mod published;
mod resumed;
mod same_distribution;
mod shortcuts;
mod shortcuts_by_elimination;
mod structure;
mod table;
mod utilities;
mod value_stability;
