//! What the tests of the command line share.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// A data set of some fifty queries.
pub const TINY: &str = "mslr-lookalike:0.002";

/// `sim` as a person starts it in `folder`.
pub fn sim(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("sim").expect("the binary is built with its tests");
    command.current_dir(folder).env_remove("SIM_LOG").env_remove("ORE_DATA_DIR");
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All files of a folder but the timings, by name.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("a readable folder"));
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default()))
        .filter(|(name, _)| !name.contains("timings"))
        .collect();
    files.sort();
    files
}
