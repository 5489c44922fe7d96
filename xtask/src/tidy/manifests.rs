//! What a package registry wants of every manifest; and the profiles of the workspaces beside the main one.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::source::read;
use super::{Findings, crates};

/// Keys of `[package]` that every crate under `crates/` has, its own or the workspace's.
const KEYS: [&str; 5] = ["description", "keywords", "categories", "readme", "license"];
/// Limits of package registries.
const MOST_KEYWORDS: usize = 5;

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
                Some(Value::Array(items)) if items.len() > MOST_KEYWORDS => {
                    findings.add(&path, None, format!("{} {key}: at most {MOST_KEYWORDS}", items.len()));
                }
                Some(Value::String(file)) if key == "readme" && !root.join(&name).join(file).is_file() => {
                    findings.add(&path, None, format!("readme {file} does not exist"));
                }
                Some(_) => {}
            }
        }
    }
    OTHERS.iter().try_for_each(|folder| check_profiles(root, folder, findings))
}

/// The Python package and the server are workspaces of their own, whose profiles are those of the main one: all must build the
/// same code. Only what they are themselves has a section of its own.
const OTHERS: [&str; 2] = ["python", "server"];

fn check_profiles(root: &Path, folder: &str, findings: &mut Findings) -> Result<()> {
    let path = root.join(folder).join("Cargo.toml");
    if !path.is_file() {
        return Ok(());
    }
    let table = |file: &Path| -> Result<Table> {
        toml::from_str(&read(file)?).with_context(|| format!("failed to parse {}", file.display()))
    };
    let lock = table(&root.join(folder).join("Cargo.lock"))?;
    let locked = lock.get("package").and_then(Value::as_array).into_iter().flatten();
    let locked: Vec<&str> = locked.filter_map(|package| package.get("name")?.as_str()).collect();
    let manifest = table(&path)?;
    let own = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let (ours, its) = (sections(&table(&root.join("Cargo.toml"))?), sections(&manifest));
    let is_used = |name: &str| name == "*" || locked.contains(&name);
    let wanted: BTreeMap<_, _> =
        ours.into_iter().filter(|((_, package), _)| package.as_deref().is_none_or(is_used)).collect();
    for (section, settings) in &wanted {
        if its.get(section) != Some(settings) {
            findings.add(&path, None, format!("{} is not that of the workspace", heading(section)));
        }
    }
    for section in its.keys().filter(|section| !wanted.contains_key(*section) && section.1.as_deref() != own) {
        findings.add(&path, None, format!("{} is not in the workspace", heading(section)));
    }
    Ok(())
}

/// A profile, and the package that settings are for.
type Section = (String, Option<String>);

/// What a manifest says about profiles.
fn sections(manifest: &Table) -> BTreeMap<Section, Table> {
    let mut sections = BTreeMap::new();
    for (profile, settings) in manifest.get("profile").and_then(Value::as_table).into_iter().flatten() {
        let mut settings = settings.as_table().cloned().unwrap_or_default();
        if let Some(Value::Table(packages)) = settings.remove("package") {
            for (package, settings) in packages {
                let settings = settings.as_table().cloned().unwrap_or_default();
                sections.insert((profile.clone(), Some(package)), settings);
            }
        }
        sections.insert((profile.clone(), None), settings);
    }
    sections
}

fn heading((profile, package): &Section) -> String {
    package
        .as_ref()
        .map_or_else(|| format!("[profile.{profile}]"), |name| format!("[profile.{profile}.package.{name}]"))
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

    #[test]
    fn other_profiles_are_found() {
        let ours = "[profile.dev]\nopt-level = 2\n[profile.dev.package.a]\nopt-level = 1\n[profile.dev.package.b]\n\
            opt-level = 1\n[profile.dev.package.other]\nopt-level = 1\n[profile.release]\nlto = \"off\"\n";
        let its = "[profile.dev]\nopt-level = 2\n[profile.dev.package.a]\nopt-level = 1\n[profile.dev.package.b]\n\
            opt-level = 2\n[profile.dev.package.c]\nopt-level = 1\n";
        let lock = "[[package]]\nname = \"a\"\n[[package]]\nname = \"b\"\n[[package]]\nname = \"c\"\n";
        for folder in OTHERS {
            let (manifest, lock_file) = (format!("{folder}/Cargo.toml"), format!("{folder}/Cargo.lock"));
            let files = [("Cargo.toml", ours), (manifest.as_str(), its), (lock_file.as_str(), lock)];
            assert_eq!(
                checked(&tree(&files), |root, findings| check_profiles(root, folder, findings)),
                [
                    format!("{manifest}: [profile.dev.package.b] is not that of the workspace"),
                    format!("{manifest}: [profile.release] is not that of the workspace"),
                    format!("{manifest}: [profile.dev.package.c] is not in the workspace"),
                ]
            );
        }
    }
}
