//! All integration tests of the crate in one binary: one file per subject, linked once.

mod dependent;
mod finite_state;
mod models;
mod position_based;
mod user_browsing;
