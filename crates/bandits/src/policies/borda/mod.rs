//! Algorithms for the Borda winner, the arm that wins most against a random opponent: one with a guarantee in each run, and one
//! for preferences that change.

pub mod dexp3;
pub mod elimination;
