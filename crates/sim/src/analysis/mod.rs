//! Studies of methods rather than of single algorithms. Each module measures; a command in `cli` prints.

pub mod distortion;
pub mod explore_then_exploit;
pub mod live_vs_proxy;
pub(crate) mod numbered;
pub(crate) mod power;
pub mod sensitivity;
pub(crate) mod significance;
