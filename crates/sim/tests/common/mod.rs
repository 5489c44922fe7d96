//! Helpers for the tests of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A data set of about fifty queries.
pub(crate) const TINY: &str = "mslr-lookalike:0.002";

/// The program, to be run in `folder`.
pub(crate) fn sim(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("rankduel").expect("the binary is built with its tests");
    command.current_dir(folder).env_remove("RANKDUEL_DATA_DIR").env("RANKDUEL_CACHE_DIR", folder.join("caches"));
    command
}

/// Copies the program to `to`, by another process: children of tests on other threads would hold a file open that this one writes, and what is
/// open for writing cannot be run ("text file busy").
#[cfg(unix)]
pub(crate) fn copy_program(to: &Path) {
    let mut copy = std::process::Command::new("cp");
    let status = copy.arg(env!("CARGO_BIN_EXE_rankduel")).arg(to).status().expect("cp is there");
    assert!(status.success(), "room for the program");
}

/// Writes a program of the shell with this text, by another process as well.
#[cfg(unix)]
pub(crate) fn write_program(to: &Path, body: &str) {
    let mut write = std::process::Command::new("/bin/sh");
    write.args(["-c", "printf '%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"", "sh", body]).arg(to);
    assert!(write.status().expect("there is a shell").success(), "a writable folder");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All files of a folder except the timings and hidden ones, by name.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("a readable folder"));
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default()))
        .filter(|(name, _)| !name.contains("timings") && !name.starts_with('.'))
        .collect();
    files.sort();
    files
}

/// The contents of all files in a folder, by their paths in it.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

/// All files in `folder` and below it except the timings, hidden ones included.
pub(crate) fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            tree.extend(self::tree(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else if !name.contains("timings") {
            tree.insert(name, fs::read(&path).expect("a readable file"));
        }
    }
    tree
}

/// The folder `name` of real data: in `RANKDUEL_TEST_DATA`, or beside the checkout.
pub(crate) fn real_data(name: &str) -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = letor_io::environment::TEST_DATA.value().map_or(beside, PathBuf::from).join(name);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
