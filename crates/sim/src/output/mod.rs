//! Basics of every command's output: files that are complete or absent, results folders, caches, kept records, locks,
//! interruptions, free memory, formatted numbers, progress bars, tables for the terminal, and the error for wrong usage. Nothing about
//! rankers or bandits, and no figures.

pub mod cache;
pub mod checksum;
pub mod data_cache;
pub mod difference;
mod files;
pub mod input;
pub mod interrupt;
pub mod lock;
pub mod machine;
pub mod numbers;
pub mod progress;
pub mod records;
pub mod results_folder;
pub mod text_table;
pub mod usage;

use std::io::Write as _;

pub use files::*;
pub use machine::memory;

/// Prints a warning on standard error: a line about something that was mended.
pub fn warn(text: &str) {
    // There is nowhere to report that standard error is closed.
    let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
}
