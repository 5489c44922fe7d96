//! Dueling bandits that are made of bandits of single arms: one or two of them, or one for each arm.

pub mod doubler;
pub mod multi_sbm;
pub mod rex3;
pub mod self_sparring;
pub mod sparring;
pub mod sparring_exp3;
pub mod sparring_ts;
pub mod versatile;
