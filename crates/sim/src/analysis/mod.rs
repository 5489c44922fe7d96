//! Studies that compare methods with each other rather than policies: each measures, and a command of
//! `cli` prints.

pub mod distortion;
pub mod explore_then_exploit;
pub mod live_vs_proxy;
pub mod sensitivity;
