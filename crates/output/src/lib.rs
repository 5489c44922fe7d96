//! The output of all commands. Nothing about rankers or bandits, and no figures.
//!
//! | module | holds |
//! |---|---|
//! | the crate's root | files that are complete or absent: [`write_atomic`], [`create_folder`], CSV and JSON |
//! | [`results_folder`] | the folder of a command's results: claimed, locked, continued |
//! | [`records`], [`checksum`] | records that are kept line by line, each with a checksum |
//! | [`shards`] | the work of a command in shares that processes do anywhere, and their parts |
//! | [`cache`] | values that are computed once, and where they are kept |
//! | [`lock`], [`interrupt`] | one writer per folder; Ctrl-C and termination |
//! | [`machine`] | free memory, threads, the name of the program |
//! | [`input`] | opens and reads files that others may have placed: never a device, never more than a limit |
//! | [`sealed_json`] | JSON files that describe the files beside them, with a checksum of their own |
//! | [`numbers`], [`difference`], [`text_table`] | numbers and tables as people read them |
//! | [`progress`] | progress on a terminal, silence in a pipe |
//! | [`messages`] | lines on standard error, at three levels |
//! | [`usage`] | the error for wrong usage, which has its own exit code |

pub mod cache;
pub mod checksum;
mod claimed_folder;
pub mod difference;
mod files;
pub mod input;
pub mod interrupt;
pub mod lock;
pub mod machine;
pub mod messages;
pub mod mutations;
pub mod numbers;
pub mod progress;
pub mod records;
pub mod results_folder;
pub mod sealed_json;
pub mod shards;
pub mod text_table;
pub mod usage;

pub use files::*;
pub use machine::{memory, program, threads};
