//! What every command needs to write anything: whole files, formatted numbers, locks, progress bars and
//! the mark of wrong usage. Nothing of rankers or bandits.

pub mod cache;
mod files;
pub mod lock;
pub mod machine;
pub mod numbers;
pub mod progress;
pub mod usage;

pub use files::*;
