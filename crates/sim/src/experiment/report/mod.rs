//! What an experiment leaves behind: its folder, its figure, the index of all claims, and one page of
//! everything.

pub(crate) mod figure;
pub(crate) mod folder;
pub mod html;
pub mod index;
