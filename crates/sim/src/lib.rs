//! Simulation of online ranker evaluation.

pub mod figure;
pub mod output;
