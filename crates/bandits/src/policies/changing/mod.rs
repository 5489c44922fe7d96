//! Algorithms for users who change: RUCB that forgets. (`versatile-db`, `rex3` and `sparring-exp3`, which ask nothing of where
//! outcomes come from, are reductions.)

mod memory;
pub mod rucb;
