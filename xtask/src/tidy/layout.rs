//! The shape of the source tree: small folders, one module style, folders that describe their content.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::source::read;
use super::{Findings, with_server};

/// A folder of sources holds at most this many files.
const MAX_FILES: usize = 15;
/// A longer file deserves a look at whether it holds two subjects.
const LONG_FILE_LINES: usize = 450;

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    for name in with_server(root)? {
        let src = root.join(name).join("src");
        if src.is_dir() {
            check_folder(&src, true, findings)?;
        }
    }
    Ok(())
}

fn check_folder(folder: &Path, top: bool, findings: &mut Findings) -> Result<()> {
    let failed = || format!("failed to read {}", folder.display());
    let entries = std::fs::read_dir(folder).with_context(failed)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>().with_context(failed)?;
    paths.sort();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
    if files.len() > MAX_FILES {
        findings.add(folder, None, format!("{} files in one folder: at most {MAX_FILES}", files.len()));
    }
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        if folders.contains(&file.with_extension("")) {
            findings.add(file, None, "stands beside the folder of its name: move it there as mod.rs".to_owned());
        }
        let lines = read(file)?.lines().count();
        if lines > LONG_FILE_LINES {
            findings.warn(file, format!("{lines} lines: more than {LONG_FILE_LINES}"));
        }
    }
    let head = folder.join("mod.rs");
    if !top && files.contains(&head) {
        let text = read(&head)?;
        if !text.starts_with("//!") {
            findings.add(
                &head,
                None,
                "does not begin with `//!`: say what is in this folder and what is not".to_owned(),
            );
        }
    }
    folders.iter().try_for_each(|folder| check_folder(folder, false, findings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn every_fault_of_a_tree_is_found() {
        let folder = tree(&[
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", "mod b;\nmod c;\n"),
            ("crates/a/src/b.rs", ""),
            ("crates/a/src/b/d.rs", ""),
            ("crates/a/src/c/mod.rs", "mod d;\n"),
        ]);
        for number in 0..14 {
            std::fs::write(folder.path().join(format!("crates/a/src/f{number}.rs")), "").expect("a file");
        }
        assert_eq!(
            checked(&folder, check),
            [
                "crates/a/src: 16 files in one folder: at most 15",
                "crates/a/src/b.rs: stands beside the folder of its name: move it there as mod.rs",
                "crates/a/src/c/mod.rs: does not begin with `//!`: say what is in this folder and what is not",
            ]
        );
    }

    #[test]
    fn long_files_are_a_warning() {
        let folder = tree(&[("crates/a/Cargo.toml", ""), ("crates/a/src/lib.rs", &"\n".repeat(451))]);
        let mut findings = Findings::new(folder.path());
        check(folder.path(), &mut findings).expect("a tree");
        assert_eq!((findings.found.len(), findings.warnings.len()), (0, 1));
    }
}
