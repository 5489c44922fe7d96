//! The output of an experiment: its folder, its figure, the index of all claims, and one HTML page of all results.

pub(crate) mod figure;
pub(crate) mod folder;
pub(crate) mod html;
pub(crate) mod index;
mod own;
mod tables;
