//! The click models, one file each, the settings that two of them share, and the choice of one at run time. Labels, notation and presets are
//! elsewhere.

pub(crate) mod any;
mod decay;
pub(crate) mod dependent;
pub(crate) mod dynamic_bayesian;
pub(crate) mod finite_state;
pub(crate) mod position_based;
pub(crate) mod user_browsing;
