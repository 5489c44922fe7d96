//! A policy in an arena: the run loop, regret and its curve, and runs that explore before they exploit. Studies of
//! many runs are in other crates.

mod explore_then_exploit;
mod play;
mod regret;

pub use explore_then_exploit::{Exploration, explore, explore_then_exploit};
pub use play::{Generators, Observer, Run, RunState, play, play_in_step};
pub use regret::{Recorder, Regret, log_spaced, one_two_five};
