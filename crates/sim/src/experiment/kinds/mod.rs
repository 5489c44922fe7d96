//! The kinds of experiment: each measures its settings and hands back series. No files, no figures.

pub(crate) mod collect;
pub(crate) mod datasets;
pub(crate) mod distortion;
pub(crate) mod regret;
pub(crate) mod structure;
