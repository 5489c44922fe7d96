//! `cargo xtask tidy`: checks beyond the compiler and the linter. One module per check.
//!
//! Not here: formatting, lints and broken links in documentation, which `.ci/run` leaves to cargo.

mod commands;
mod costs;
mod cycles;
mod idiom_list;
mod idioms;
mod ignored;
mod layout;
mod links;
mod manifests;
mod opening;
mod references;
mod source;
mod table;
mod tables;
#[cfg(test)]
mod testing;
mod toml_files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

/// Checks the layout, generated tables, READMEs, data files and wording of this repository
///
/// Exits with 1 if a check fails.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Rewrite the generated tables instead of reporting that they are out of date
    #[arg(long)]
    fix: bool,

    /// Run only these checks
    #[arg(value_enum, value_name = "CHECK")]
    only: Vec<Check>,

    /// Print what was checked too: the modules and edges of every crate, every warning
    #[arg(long)]
    verbose: bool,

    /// The repository's top folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
}

/// A check, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Check {
    /// Module cycles within a crate
    Cycles,
    /// Generated tables and counts in READMEs and crate documentation
    Tables,
    /// References in the documentation of every algorithm
    References,
    /// Commands in READMEs
    Commands,
    /// Links between files, and headings of tables
    Links,
    /// Experiments and data sets
    Toml,
    /// Wording
    Idioms,
    /// Folders, modules and file lengths
    Layout,
    /// Cargo.toml of every crate
    Manifests,
    /// Where files are opened
    Opening,
    /// Ignored tests
    Ignored,
}

impl Check {
    fn run(self, root: &Path, fix: bool, findings: &mut Findings) -> Result<()> {
        match self {
            Self::Cycles => cycles::check(root, findings),
            Self::Tables => tables::check(root, fix, findings),
            Self::References => references::check(root, findings),
            Self::Commands => commands::check(root, findings),
            Self::Links => links::check(root, findings),
            Self::Toml => toml_files::check(root, findings),
            Self::Idioms => idioms::check(root, findings),
            Self::Layout => layout::check(root, findings),
            Self::Manifests => manifests::check(root, findings),
            Self::Opening => opening::check(root, findings),
            Self::Ignored => ignored::check(root, findings),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Runs the checks and prints their findings.
///
/// # Errors
/// When a file cannot be read or written, or `--root` is not the repository.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = &arguments.root;
    if !root.join("crates").is_dir() {
        bail!("{} has no folder crates/: run this at the repository's top, or give --root", root.display());
    }
    let checks = match arguments.only.as_slice() {
        [] => Check::value_variants().to_vec(),
        only => only.to_vec(),
    };
    let mut failed = Vec::new();
    for check in checks {
        let mut findings = Findings::new(root);
        check.run(root, arguments.fix, &mut findings).with_context(|| format!("check {} failed", check.name()))?;
        let verdict = match findings.found.len() {
            0 => "ok".to_owned(),
            count => format!("{count} found"),
        };
        println!("{}: {verdict}", check.name());
        findings.print(arguments.verbose);
        if !findings.found.is_empty() {
            failed.push(check.name());
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("failed: {}", failed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// Rewrites the generated tables; for other commands.
///
/// # Errors
/// As [`run`].
pub(crate) fn write_tables(root: &Path) -> Result<ExitCode> {
    run(&Arguments { fix: true, only: vec![Check::Tables], verbose: false, root: root.to_owned() })
}

/// The findings of one check.
#[derive(Debug)]
struct Findings {
    root: PathBuf,
    found: Vec<String>,
    warnings: Vec<String>,
    notes: Vec<String>,
    details: Vec<String>,
}

impl Findings {
    fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), found: vec![], warnings: vec![], notes: vec![], details: vec![] }
    }

    /// Something is wrong in this file.
    fn add(&mut self, file: &Path, line: Option<usize>, message: String) {
        let place = self.place(file, line);
        self.found.push(format!("{place}: {message}"));
    }

    /// Something should be better: reported, but no failure.
    fn warn(&mut self, file: &Path, message: String) {
        let place = self.place(file, None);
        self.warnings.push(format!("{place}: {message}"));
    }

    /// A line about a check.
    fn note(&mut self, text: String) {
        self.details.push(text);
    }

    /// A line for `--verbose` only.
    fn detail(&mut self, text: String) {
        self.details.push(text);
    }

    /// A line that is printed whatever was found.
    fn summary(&mut self, text: String) {
        self.notes.push(text);
    }

    fn place(&self, file: &Path, line: Option<usize>) -> String {
        let file = file.strip_prefix(&self.root).unwrap_or(file).display();
        line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
    }

    fn print(&self, verbose: bool) {
        let details = if verbose { self.details.as_slice() } else { &[] };
        self.found.iter().chain(&self.notes).chain(details).for_each(|line| println!("  {line}"));
        match self.warnings.len() {
            0 => {}
            _ if verbose => self.warnings.iter().for_each(|line| println!("  warning: {line}")),
            count => println!("  {count} warnings (--verbose lists them)"),
        }
    }
}

/// The folders of the workspace's crates, relative to `root`, in order.
fn crates(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let folder = root.join("crates");
    for entry in std::fs::read_dir(&folder).with_context(|| format!("failed to read {}", folder.display()))? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            found.push(format!("crates/{}", path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }
    found.sort();
    found.extend(root.join("xtask/Cargo.toml").is_file().then(|| "xtask".to_owned()));
    Ok(found)
}

/// The same with the folders of other workspaces that have the same rules: the server's.
fn with_server(root: &Path) -> Result<Vec<String>> {
    let mut found = crates(root)?;
    found.extend(root.join("server/Cargo.toml").is_file().then(|| "server".to_owned()));
    Ok(found)
}

/// The number of findings of each file, most first.
fn by_file(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> = counts.iter().map(|(file, &count)| (file.as_str(), count)).collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}
