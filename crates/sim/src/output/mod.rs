//! Basics of every command's output: files that are complete or absent, caches, locks, formatted numbers, progress bars,
//! tables for the terminal, and the error for wrong usage. Nothing about rankers or bandits, and no figures.

pub mod cache;
pub mod data_cache;
mod files;
pub mod input;
pub mod lock;
pub mod machine;
pub mod numbers;
pub mod progress;
pub mod text_table;
pub mod usage;

pub use files::*;
