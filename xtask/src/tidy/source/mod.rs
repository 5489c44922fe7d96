//! Rust source as far as the checks need it: tokens with their lines, and the tree of modules with its imports.
//!
//! Not a parser of Rust. `syn` would be one, but drops comments and costs seconds of compilation; the questions asked
//! here need tokens only.

mod lexer;
mod modules;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(super) use self::lexer::{Kind, Token, tokens, without_tests};
pub(super) use self::modules::{Crate, Import};

/// Reads the text at `path`.
pub(super) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))
}

/// All files of the repository with this extension, in order of their paths, build output and caches apart.
pub(super) fn files(root: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(root, extension, &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> Result<()> {
    let failed = || format!("failed to read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Folders of git and cargo, and those that .gitignore names.
        if name.starts_with('.') && name != ".github"
            || matches!(&*name, "target" | "cache" | "corpus") && !in_src(&path)
        {
            continue;
        }
        if path.is_dir() {
            walk(&path, extension, found)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether the path lies in a crate's sources, where a folder may be called `cache`.
fn in_src(path: &Path) -> bool {
    path.components().any(|component| component.as_os_str() == "src")
}
