//! The licences in `deny.toml`: each dependency offers one of them, and each is one that a dependency needs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use toml::{Table, Value};

use super::Findings;
use super::source::read;

/// What `cargo metadata` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    /// The registry; nothing for a crate of this workspace.
    source: Option<String>,
    license: Option<String>,
}

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let path = root.join("deny.toml");
    let deny: Table = toml::from_str(&read(&path)?).context("failed to parse deny.toml")?;
    let allowed = deny.get("licenses").and_then(|licences| licences.get("allow")).and_then(Value::as_array);
    let allowed = allowed.context("deny.toml has no list `licenses.allow`")?;
    let allowed: BTreeSet<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let mut dependencies = BTreeMap::new();
    let mut is_complete = true;
    for folder in [".", "python", "server"] {
        let found = match metadata(&root.join(folder)) {
            Ok(found) => found,
            // Nothing is downloaded to check it: of the other workspaces, that may still have to happen.
            Err(_) if folder != "." => {
                findings.note(format!("licences of {folder}/: skipped, its dependencies are not downloaded"));
                is_complete = false;
                continue;
            }
            Err(error) => return Err(error),
        };
        for package in found.packages.into_iter().filter(|package| package.source.is_some()) {
            dependencies.insert(format!("{} {}", package.name, package.version), package.license.unwrap_or_default());
        }
    }
    compare(&allowed, &dependencies, is_complete, &path, findings);
    Ok(())
}

fn compare(
    allowed: &BTreeSet<&str>,
    dependencies: &BTreeMap<String, String>,
    is_complete: bool,
    path: &Path,
    findings: &mut Findings,
) {
    for (dependency, licence) in dependencies {
        if !is_offered(licence, &|one| allowed.contains(one)) {
            findings.add(path, None, format!("{dependency} has the licence {licence:?}, none of those allowed"));
        }
    }
    for licence in allowed.iter().filter(|_| is_complete) {
        let others = |one: &str| one != *licence && allowed.contains(one);
        let all = |one: &str| allowed.contains(one);
        let is_needed = |offered: &String| is_offered(offered, &all) && !is_offered(offered, &others);
        if !dependencies.values().any(is_needed) {
            findings.add(path, None, format!("no dependency needs the licence {licence}: remove it"));
        }
    }
    findings.note(format!("{} dependencies, {} licences", dependencies.len(), allowed.len()));
}

/// The dependencies for this platform, from what is downloaded already.
fn metadata(root: &Path) -> Result<Metadata> {
    let output = |command: &mut Command| -> Result<Vec<u8>> {
        let run = command.current_dir(root).output().context("failed to start cargo")?;
        ensure!(run.status.success(), "cargo: {}", String::from_utf8_lossy(&run.stderr).trim_end().replace('\n', " "));
        Ok(run.stdout)
    };
    let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let version = String::from_utf8(output(cargo().arg("-vV"))?)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("cargo names no host")?;
    let metadata = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    Ok(serde_json::from_slice(&output(cargo().args(metadata))?)?)
}

/// Whether the SPDX expression `licence` can be met with licences of which `allowed` is true.
fn is_offered(licence: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    // `/` is an old form of OR.
    let spaced = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    match words.next() {
        Some("(") => {
            let met = any(words, allowed);
            words.next_if_eq(&")").is_some() && met
        }
        Some(licence) if words.next_if_eq(&"WITH").is_some() => {
            let exception = words.next().unwrap_or_default();
            allowed(&format!("{licence} WITH {exception}"))
        }
        Some(licence) => allowed(licence),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_understood() {
        let allowed = |licence: &str| ["MIT", "ISC", "Unicode-3.0"].contains(&licence);
        for licence in [
            "MIT",
            "MIT OR Apache-2.0",
            "Apache-2.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
            "GPL-3.0 AND MIT OR ISC",
        ] {
            assert!(is_offered(licence, &allowed), "{licence}");
        }
        for licence in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH X", "(MIT", "MIT MIT", "ISC AND (GPL-3.0 OR X)"] {
            assert!(!is_offered(licence, &allowed), "{licence}");
        }
    }

    #[test]
    fn a_licence_too_few_and_one_too_many_are_found() {
        let dependencies = [("a 1", "MIT OR Apache-2.0"), ("b 2", "BSD-3-Clause")];
        let dependencies = dependencies.map(|(name, licence)| (name.to_owned(), licence.to_owned())).into();
        let mut findings = Findings::new(Path::new("/r"));
        compare(&["MIT", "ISC"].into(), &dependencies, true, Path::new("/r/deny.toml"), &mut findings);
        assert_eq!(
            findings.found,
            [
                "deny.toml: b 2 has the licence \"BSD-3-Clause\", none of those allowed",
                "deny.toml: no dependency needs the licence ISC: remove it",
            ]
        );
    }
}
