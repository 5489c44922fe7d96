//! The output of an experiment: its folder, its figure, the index of all claims, and HTML pages of all results.

mod command_folder;
mod command_tables;
mod experiment_section;
pub(crate) mod figure;
pub(crate) mod folder;
pub(crate) mod index;
mod markup;
pub(crate) mod pages;
