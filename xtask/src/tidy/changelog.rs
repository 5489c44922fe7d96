//! CHANGELOG.md names every renamed file, column and key that `cargo xtask compare-results` knows.

use std::path::Path;

use anyhow::Result;

use super::Findings;
use super::source::read;
use crate::compare_results::renames::{RENAMES, Rename, Renames};

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    check_against(root, &RENAMES, findings)
}

fn check_against(root: &Path, renames: &Renames, findings: &mut Findings) -> Result<()> {
    let path = root.join("CHANGELOG.md");
    let text = read(&path)?;
    let lines: Vec<&str> = text.lines().collect();
    for rename in [renames.files, renames.columns, renames.keys, renames.values].into_iter().flatten() {
        let Rename { old, new, .. } = rename;
        let both = |line: &str| line.contains(&format!("`{old}`")) && line.contains(&format!("`{new}`"));
        if !lines.iter().any(|line| both(line)) {
            findings.add(
                &path,
                None,
                format!("no line has both `{old}` and `{new}`, as compare_results/renames.rs does"),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn a_rename_that_is_not_told_is_found() {
        const COLUMNS: &[Rename] =
            &[Rename { file: "*", old: "a", new: "b" }, Rename { file: "*", old: "c", new: "d" }];
        let renames = Renames { files: &[], columns: COLUMNS, keys: &[], values: &[], only_in_one: &[] };
        let folder = tree(&[("CHANGELOG.md", "| `a` | `b` |\n| `c` | d |\n")]);
        assert_eq!(
            checked(&folder, |root, findings| check_against(root, &renames, findings)),
            ["CHANGELOG.md: no line has both `c` and `d`, as compare_results/renames.rs does"]
        );
    }
}
