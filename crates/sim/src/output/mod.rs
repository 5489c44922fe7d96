//! What every command needs for its output: files written whole or not at all, formatted numbers, locks, progress
//! bars, and the error for wrong usage. Nothing about rankers or bandits.

pub mod cache;
mod files;
pub mod lock;
pub mod machine;
pub mod numbers;
pub mod progress;
pub mod usage;

pub use files::*;
