//! `cargo xtask publishable`: a copy of the workspace with packages under their published names.
//!
//! Half of the names in this tree are taken on the public registry. Packages are published under one prefix, and their libraries keep
//! the names that they have here, so that code, examples and documentation read the same: `cargo add rankduel-bandits`, then
//! `use bandits::...`. The program itself is the package that has the prefix as its name: `cargo install rankduel`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

/// The package that has the prefix as its name.
const PROGRAM: &str = "sim";

/// Writes a copy of the workspace under the names that are published
///
/// Check it there: `cargo publish --dry-run --workspace`, `cargo test --workspace --doc`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to write; it must not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// What all names begin with
    #[arg(long, value_name = "NAME", default_value = "rankduel")]
    prefix: String,
    /// The address of the repository, which registries show
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// The repository's top folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
}

/// Writes the copy and names its packages.
///
/// # Errors
/// If the folder exists, the prefix is not a name, a manifest is not of the expected form, or a file cannot be read or written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { folder, prefix, repository, root } = arguments;
    let is_name = prefix.starts_with(|first: char| first.is_ascii_lowercase())
        && prefix.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !is_name {
        bail!("--prefix: found {prefix:?}; expected lower-case letters, digits and hyphens, a letter first");
    }
    if folder.exists() {
        bail!("{} exists; choose another folder", folder.display());
    }
    let names = names(root, prefix)?;
    // Written aside and renamed: a folder of that name is complete.
    let mut aside = folder.as_os_str().to_owned();
    aside.push(".part");
    let aside = PathBuf::from(aside);
    if aside.exists() {
        fs::remove_dir_all(&aside).with_context(|| format!("cannot remove {}", aside.display()))?;
    }
    for file in files(root)? {
        let (from, to) = (root.join(&file), aside.join(&file));
        let copied = || format!("cannot copy {} to {}", from.display(), to.display());
        fs::create_dir_all(to.parent().unwrap_or(&aside)).with_context(copied)?;
        if file.file_name().is_some_and(|name| name == "Cargo.toml") {
            let text = fs::read_to_string(&from).with_context(copied)?;
            let text = match file.parent().and_then(Path::file_name) {
                None => workspace(&text, &names, repository.as_deref()),
                Some(_) => package(&text, &names, repository.is_some()),
            };
            fs::write(&to, text.with_context(|| from.display().to_string())?).with_context(copied)?;
        } else {
            fs::copy(&from, &to).with_context(copied)?;
        }
    }
    for name in names.keys() {
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let to = aside.join("crates").join(name).join(license);
            fs::copy(root.join(license), &to).with_context(|| format!("cannot write {}", to.display()))?;
        }
    }
    fs::rename(&aside, folder).with_context(|| format!("cannot write {}", folder.display()))?;
    for (here, published) in &names {
        println!("{here}\t{published}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The names of all packages in `crates`, and those that they are published under.
fn names(root: &Path, prefix: &str) -> Result<BTreeMap<String, String>> {
    let crates = root.join("crates");
    let read = || format!("cannot read {}", crates.display());
    let mut names = BTreeMap::new();
    for entry in fs::read_dir(&crates).with_context(read)? {
        let name = entry.with_context(read)?.file_name().to_string_lossy().into_owned();
        let published = if name == PROGRAM { prefix.to_owned() } else { format!("{prefix}-{name}") };
        names.insert(name, published);
    }
    Ok(names)
}

/// The files that are published, and the build files: those tracked by the repository.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let parts = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "LICENSE-APACHE", "LICENSE-MIT", "crates"];
    let output = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z", "--"]).args(parts).output();
    let output = output.context("cannot run git, which lists the files")?;
    if !output.status.success() {
        bail!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let listed = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    Ok(listed.split_terminator('\0').map(PathBuf::from).collect())
}

/// The manifest of the workspace: the same packages by other names.
fn workspace(text: &str, names: &BTreeMap<String, String>, repository: Option<&str>) -> Result<String> {
    let mut seen = 0;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("members = ") {
            lines.push("members = [\"crates/*\"]".to_owned());
            continue;
        }
        let internal =
            line.split_once(" = { path = \"crates/").and_then(|(name, rest)| Some((names.get_key_value(name)?, rest)));
        match internal {
            Some(((name, published), rest)) => {
                seen += 1;
                lines.push(format!("{name} = {{ package = \"{published}\", path = \"crates/{rest}"));
            }
            None => lines.push(line.to_owned()),
        }
        if let (true, Some(url)) = (line == "[workspace.package]", repository) {
            lines.push(format!("repository = {url:?}"));
        }
    }
    if seen != names.len() {
        bail!(
            "{seen} of {} packages are among the dependencies of the workspace, each on a line of its own",
            names.len()
        );
    }
    Ok(lines.join("\n") + "\n")
}

/// The manifest of a package: its published name, the name of its library, and nothing of tests.
fn package(text: &str, names: &BTreeMap<String, String>, has_repository: bool) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut section = "";
    let mut library = None;
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let name = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"'));
        if let (true, Some(name)) = (section == "[package]", name) {
            let Some(published) = names.get(name) else { bail!("the package {name:?} is not in a folder of its name") };
            library = Some(name.replace('-', "_"));
            lines.push(format!("name = \"{published}\""));
            lines.push("exclude = [\"tests/**\", \"benches/**\"]".to_owned());
            if has_repository {
                lines.push("repository.workspace = true".to_owned());
            }
            continue;
        }
        // Without a version, a dependency of tests is not published: packages test each other in cycles.
        let tested = line.split_once([' ', '.', '=']).filter(|_| section == "[dev-dependencies]");
        if let Some((key, published)) = tested.and_then(|(key, _)| names.get_key_value(key)) {
            let features = line
                .split_once("features = ")
                .map(|(_, rest)| format!(", features = {}", rest.trim_end_matches([' ', '}'])));
            let features = features.unwrap_or_default();
            lines.push(format!("{key} = {{ package = \"{published}\", path = \"../{key}\"{features} }}"));
            continue;
        }
        lines.push(line.to_owned());
    }
    let Some(library) = library else { bail!("no name in [package]") };
    let line = format!("name = \"{library}\"");
    match lines.iter().position(|line| line == "[lib]") {
        Some(at)
            if !lines[at + 1..]
                .iter()
                .take_while(|line| !line.starts_with('['))
                .any(|line| line.starts_with("name")) =>
        {
            lines.insert(at + 1, line);
        }
        Some(_) => {}
        None => lines.extend([String::new(), "[lib]".to_owned(), line]),
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> BTreeMap<String, String> {
        [("sim", "rankduel"), ("click-logs", "rankduel-click-logs")]
            .map(|(here, there)| (here.to_owned(), there.to_owned()))
            .into()
    }

    #[test]
    fn libraries_keep_their_names() {
        let text = "[package]\nname = \"click-logs\"\nversion.workspace = true\n\n[dependencies]\nsim.workspace = true\n\n\
                    [dev-dependencies]\nclick-logs = { workspace = true, features = [\"a\", \"b\"] }\nsim.workspace = true\ntempfile.workspace = true\n";
        let expected = "[package]\nname = \"rankduel-click-logs\"\nexclude = [\"tests/**\", \"benches/**\"]\nversion.workspace = true\n\n\
                        [dependencies]\nsim.workspace = true\n\n[dev-dependencies]\n\
                        click-logs = { package = \"rankduel-click-logs\", path = \"../click-logs\", features = [\"a\", \"b\"] }\n\
                        sim = { package = \"rankduel\", path = \"../sim\" }\ntempfile.workspace = true\n\n[lib]\nname = \"click_logs\"\n";
        assert_eq!(package(text, &two(), false).unwrap(), expected);
        assert!(package("[package]\nname = \"other\"\n", &two(), false).is_err());
        assert!(package("[dependencies]\n", &two(), false).is_err());
    }

    #[test]
    fn dependencies_have_the_published_names() {
        let text = "[workspace]\nmembers = [\"crates/*\", \"xtask\"]\n[workspace.package]\n[workspace.dependencies]\n\
                    sim = { path = \"crates/sim\", version = \"=0.1.0\" }\nclick-logs = { path = \"crates/click-logs\", version = \"=0.1.0\" }\n";
        let expected = "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nrepository = \"https://a.example\"\n[workspace.dependencies]\n\
                        sim = { package = \"rankduel\", path = \"crates/sim\", version = \"=0.1.0\" }\n\
                        click-logs = { package = \"rankduel-click-logs\", path = \"crates/click-logs\", version = \"=0.1.0\" }\n";
        assert_eq!(workspace(text, &two(), Some("https://a.example")).unwrap(), expected);
        assert!(workspace("[workspace]\n", &two(), None).is_err());
    }
}
