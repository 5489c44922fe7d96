//! Studies of methods rather than of single algorithms. Each module measures; a command in `cli` prints.

pub mod distortion;
pub mod explore_then_exploit;
pub mod live_vs_proxy;
pub mod numbered;
pub mod power;
pub mod sensitivity;
pub mod significance;
