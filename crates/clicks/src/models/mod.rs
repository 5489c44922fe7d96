//! The click models, one file each, and the choice of one at run time. Labels, notation and presets are
//! elsewhere.

pub(crate) mod any;
pub(crate) mod dependent;
pub(crate) mod position_based;
