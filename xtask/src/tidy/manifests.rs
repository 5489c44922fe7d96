//! The requirements of a package registry on every manifest.

use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::source::read;
use super::{Findings, crates};

/// Keys of `[package]` that every crate under `crates/` has, its own or the workspace's.
const KEYS: [&str; 5] = ["description", "keywords", "categories", "readme", "license"];
/// Limits of package registries.
const MAX_KEYWORDS: usize = 5;

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    for name in crates(root)?.into_iter().filter(|name| name.starts_with("crates/")) {
        let path = root.join(&name).join("Cargo.toml");
        let manifest: Table =
            toml::from_str(&read(&path)?).with_context(|| format!("failed to parse {name}/Cargo.toml"))?;
        let package = manifest.get("package").and_then(Value::as_table);
        for key in KEYS {
            let value = package.and_then(|package| package.get(key));
            match value {
                None => findings.add(&path, None, format!("[package] has no {key}")),
                Some(Value::String(text)) if text.trim().is_empty() => {
                    findings.add(&path, None, format!("{key} is empty"));
                }
                Some(Value::Array(items)) if items.is_empty() => findings.add(&path, None, format!("{key} is empty")),
                Some(Value::Array(items)) if items.len() > MAX_KEYWORDS => {
                    findings.add(&path, None, format!("{} {key}: at most {MAX_KEYWORDS}", items.len()));
                }
                Some(Value::String(file)) if key == "readme" && !root.join(&name).join(file).is_file() => {
                    findings.add(&path, None, format!("readme {file} does not exist"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn missing_and_empty_keys_are_found() {
        let manifest = "[package]\ndescription = ''\nkeywords = ['a', 'b', 'c', 'd', 'e', 'f']\nreadme = 'README.md'\n\
            license.workspace = true\n";
        let folder = tree(&[("crates/a/Cargo.toml", manifest)]);
        let found = checked(&folder, check);
        assert_eq!(
            found,
            [
                "crates/a/Cargo.toml: description is empty",
                "crates/a/Cargo.toml: 6 keywords: at most 5",
                "crates/a/Cargo.toml: [package] has no categories",
                "crates/a/Cargo.toml: readme README.md does not exist",
            ]
        );
    }
}
