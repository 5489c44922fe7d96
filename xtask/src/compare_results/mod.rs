//! `cargo xtask compare-results`: whether two builds computed the same numbers.
//!
//! Names and values must be equal exactly. Not here: figures and pages, which are compared byte by byte on request only.

mod csv;
mod json;
mod matrix;
mod report;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::report::Report;

/// Compares the results of two builds, number by number
///
/// OLD and NEW are two folders or two files. CSV files are compared by column and key, JSON and TOML by path, matrices
/// entry by entry; timings are skipped. Exits with 1 if anything differs, with 2 if OLD or NEW cannot be compared.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Results of the old build: a folder or a file
    old: PathBuf,

    /// Results of the new build: a folder or a file
    new: PathBuf,

    /// Compare figures and pages too (SVG, PNG, HTML, Markdown, text), byte by byte
    #[arg(long)]
    bytes: bool,

    /// Compare only files whose path contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Print at most N differences per file; the summary counts all of them
    #[arg(long, value_name = "N", default_value_t = 20)]
    at_most: usize,
}

/// CSV columns that identify a row. All others hold measurements.
const KEY_COLUMNS: &[&str] = &[
    "setting",
    "clicks",
    "algorithm",
    "curve",
    "metric",
    "method",
    "run",
    "step",
    "x",
    "horizon",
    "impressions",
    "arms",
    "arm",
    "first",
    "second",
    "third",
    "bound",
    "steps",
];

/// Columns and keys that differ between any two calls or builds: never compared.
const IGNORED: &[&str] = &["version", "fingerprint", "seconds", "threads", "machine", "date", "time", "resumed"];

/// Files that differ between any two calls: never compared.
const IGNORED_FILES: &[&str] = &["timings.json"];

/// JSON and TOML keys that hold prose. Of these only the numbers in them are compared, in their order.
const PROSE: &[&str] = &["about", "says", "title", "figure", "place", "comment", "note", "notes", "numbers", "truth"];

/// Exit code of wrong usage.
const WRONG_USAGE: u8 = 2;

/// Compares, prints every difference and a summary.
///
/// # Errors
/// When a file cannot be read.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    for path in [&arguments.old, &arguments.new] {
        if !path.exists() {
            eprintln!("error: {} does not exist", path.display());
            return Ok(WRONG_USAGE.into());
        }
    }
    if arguments.old.is_dir() != arguments.new.is_dir() {
        eprintln!("error: one of OLD and NEW is a folder, the other is a file");
        return Ok(WRONG_USAGE.into());
    }
    let report = compare(arguments)?;
    let same = report.differences() == 0;
    report.lines().for_each(|line| println!("{line}"));
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare(arguments: &Arguments) -> Result<Report> {
    let Arguments { old, new, bytes, only, at_most } = arguments;
    let mut report = Report::new(*at_most);
    if old.is_file() {
        let name = new.file_name().unwrap_or_default().to_string_lossy().into_owned();
        compare_files(&name, [old, new], *bytes, &mut report)?;
        return Ok(report);
    }
    let [old, new] = [old, new].map(|folder| {
        let mut found = BTreeMap::new();
        list(folder, "", &mut found).map(|()| found)
    });
    let (old, new) = (old?, new?);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let wanted = names.into_iter().filter(|name| only.as_ref().is_none_or(|text| name.contains(text.as_str())));
    for name in wanted {
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => compare_files(name, [old, new], *bytes, &mut report)?,
            _ if is_ignored(name) => report.skip("timings.json"),
            (Some(_), None) => report.missing_file(name, "NEW"),
            _ => report.missing_file(name, "OLD"),
        }
    }
    if report.files() == 0 {
        bail!("there is nothing to compare in these folders");
    }
    Ok(report)
}

/// Adds all files of `folder`, at any depth, by their path in it.
fn list(folder: &Path, prefix: &str, found: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    let failed = || format!("failed to read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            list(&path, &format!("{name}/"), found)?;
        } else {
            found.insert(name, path);
        }
    }
    Ok(())
}

fn compare_files(name: &str, paths: [&PathBuf; 2], bytes: bool, report: &mut Report) -> Result<()> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    if is_ignored(name) {
        report.skip("timings.json");
        return Ok(());
    }
    let figure = matches!(extension, "svg" | "png" | "html" | "md" | "stdout" | "stderr" | "log");
    if figure && !bytes {
        report.skip(&format!(".{extension}"));
        return Ok(());
    }
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("failed to read {}", path.display()));
    let [old, new] = [read(paths[0])?, read(paths[1])?];
    report.begin(name);
    let outcome = match extension {
        "csv" => csv::compare([&old, &new], report),
        "json" => json::compare_json([&old, &new], report),
        "toml" => json::compare_toml([&old, &new], report),
        "npy" => matrix::compare_npy([&old, &new], report),
        "npz" => matrix::compare_npz([&old, &new], report),
        "txt" => matrix::compare_text([&old, &new], report),
        _ => {
            compare_bytes([&old, &new], report);
            Ok(())
        }
    };
    outcome.with_context(|| format!("failed to compare {name}"))
}

/// Whether a file of this name, or with this ending, is never compared: `timings.json`, `P.timings.json`.
fn is_ignored(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    IGNORED_FILES
        .iter()
        .any(|ignored| file.strip_suffix(ignored).is_some_and(|start| start.is_empty() || start.ends_with('.')))
}

fn compare_bytes([old, new]: [&[u8]; 2], report: &mut Report) {
    report.count(1, "byte streams");
    if old != new {
        let at = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        report.difference(&format!("byte {at}"), &format!("{} bytes", old.len()), &format!("{} bytes", new.len()));
    }
}
