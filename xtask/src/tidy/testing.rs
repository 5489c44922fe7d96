//! Small trees of files that a check is run on.

use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;

use super::Findings;

/// A folder with these files: path and content.
pub(super) fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    folder
}

/// The findings of `check` in the tree.
pub(super) fn checked(tree: &TempDir, check: impl FnOnce(&Path, &mut Findings) -> Result<()>) -> Vec<String> {
    let mut findings = Findings::new(tree.path());
    check(tree.path(), &mut findings).expect("the tree can be read");
    findings.found
}
