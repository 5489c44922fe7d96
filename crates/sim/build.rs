//! The version that `rankduel --version` prints, with the commit where one is known.
//!
//! Only release builds ask git, so that a commit does not recompile everything in development. An archive of the crate
//! has its commit in `.cargo_vcs_info.json`; `SIM_COMMIT` overrules both. Without any of them the version stands alone.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SIM_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=SIM_VERSION={version}");
}

fn commit() -> Option<String> {
    let package = env::var("CARGO_MANIFEST_DIR").ok()?;
    let given = env::var("SIM_COMMIT").ok().filter(|commit| !commit.is_empty());
    let found = given.or_else(|| of_archive(Path::new(&package))).or_else(|| of_checkout(Path::new(&package)))?;
    let plain = found.trim();
    // Only a commit may be printed, whatever the environment holds.
    let is_hash = plain.len() >= 7 && plain.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| plain.chars().take(10).collect())
}

/// The commit that `cargo package` recorded.
fn of_archive(package: &Path) -> Option<String> {
    let text = fs::read_to_string(package.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    Some(rest.split('"').nth(1)?.to_owned())
}

/// The commit of the checkout that contains this package, in release builds.
fn of_checkout(package: &Path) -> Option<String> {
    if env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(package).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // An archive that was unpacked inside another checkout is not part of it.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "HEAD"])?;
    // The commit changes when HEAD names another branch, or its branch another commit.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            let path = package.join(path);
            // A file that is not there would make every build run this again.
            if path.exists() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    Some(commit)
}
