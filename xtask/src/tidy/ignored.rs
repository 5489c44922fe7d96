//! Ignored tests: those that take minutes are marked in their names, so that `.ci/run` can leave them to `.ci/full`.

use std::path::Path;

use anyhow::Result;

use super::Findings;
use super::source::{files, read};

/// The end of the name of a test that `.ci/run` leaves out.
const SLOW_SUFFIX: &str = "_at_full_size";

/// The beginnings of the reasons of all other ignored tests: those run wherever their requirement is met.
const QUICK_REASONS: [&str; 2] = ["needs ", "writes "];

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    for folder in ["crates", "server", "xtask"] {
        for file in files(&root.join(folder), "rs")? {
            let text = read(&file)?;
            let mut lines = text.lines().enumerate();
            while let Some((number, line)) = lines.next() {
                let Some(reason) = line.trim_start().strip_prefix("#[ignore") else { continue };
                let reason = reason.trim_start_matches([' ', '=', '"']);
                let function = lines.by_ref().find_map(|(_, line)| line.trim_start().strip_prefix("fn "));
                let name = function.and_then(|function| function.split('(').next()).unwrap_or_default();
                let is_quick =
                    QUICK_REASONS.iter().any(|start| reason.starts_with(start)) && !reason.contains("minute");
                if is_quick == name.ends_with(SLOW_SUFFIX) {
                    let message = format!(
                        "`{name}` is ignored: either its reason begins with `needs` or `writes`, or its name ends with `{SLOW_SUFFIX}` and .ci/full runs it"
                    );
                    findings.add(&file, Some(number + 1), message);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, tree};
    use super::*;

    #[test]
    fn a_slow_test_says_so_in_its_name() {
        let of = |reason: &str, name: &str| {
            let code = format!("#[test]\n#[ignore{reason}]\nfn {name}() {{}}\n");
            let tree = tree(&[("crates/a/tests/a.rs", &code), ("server/a.rs", ""), ("xtask/a.rs", "")]);
            checked(&tree, check).len()
        };
        assert_eq!(of(" = \"needs ../shared/data\"", "mslr"), 0);
        assert_eq!(of(" = \"takes minutes\"", "worlds_at_full_size"), 0);
        assert_eq!(of(" = \"needs ../shared/data, and a minute\"", "steps_at_full_size"), 0);
        assert_eq!(of(" = \"takes minutes\"", "worlds"), 1);
        assert_eq!(of(" = \"needs ../shared/data\"", "mslr_at_full_size"), 1);
        assert_eq!(of(" = \"needs ../shared/data, and a minute\"", "steps"), 1);
        assert_eq!(of("", "mslr"), 1);
    }
}
