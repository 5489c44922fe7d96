//! What an experiment writes: its folder, its figure, the index of all claims, and one HTML page of all
//! results.

pub(crate) mod figure;
pub(crate) mod folder;
pub mod html;
pub mod index;
