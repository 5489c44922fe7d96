//! Algorithms for users who change: RUCB and D-TS that forget, and sparring with weights that are shared. (`versatile-db`, `rex3`
//! and `sparring-exp3`, which assume nothing about outcomes, are reductions.)

pub mod dts;
mod fading_counts;
pub mod rucb;
pub mod sparring_exp3s;
#[cfg(test)]
mod testing;
mod win_probabilities;
