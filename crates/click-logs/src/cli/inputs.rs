//! Input files, given as names, folders or patterns.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use output::usage::usage;

use crate::error::LogError;

/// The files that paths stand for: a folder stands for all files below it; a path with `*`, `?` or `**`, unless a file has that name, for
/// all files that match. They are ordered by name, so that files named by day are in the order of time.
///
/// In both, names that begin with a dot or an underscore are skipped, by the convention of engines.
///
/// # Errors
/// If a folder or pattern stands for no file, a folder cannot be read, or it belongs to a table that keeps outdated files beside
/// the current ones.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            add_files_below(path, &mut files)?;
            if files.len() == before {
                let message = "a folder without files; name files, or a folder that holds some";
                return Err(LogError::new(message).in_file(path).into());
            }
        } else if is_pattern(path) && !path.exists() {
            let found = files_matching(path)?;
            if found.is_empty() {
                bail!(usage(format!("{}: no file has a name of this pattern", path.display())));
            }
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']))
}

/// The entries of a folder, ordered by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, LogError> {
    let failed = |error: &std::io::Error| LogError::io(folder, "cannot be read", error);
    let entries = fs::read_dir(folder).map_err(|error| failed(&error))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    if let Ok(paths) = &mut paths {
        paths.sort();
    }
    paths.map_err(|error| failed(&error))
}

/// Adds all files below a folder.
fn add_files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let kind = if folder.join("_delta_log").is_dir() {
        Some("Delta")
    } else if folder.join("metadata").is_dir() && folder.join("data").is_dir() {
        Some("Iceberg")
    } else {
        None
    };
    if let Some(kind) = kind {
        let message = format!(
            "a table of {kind}, whose folder also keeps files that no longer count; write the rows of a day to files with the engine that \
             owns it, or pass them to rankduel.credit_frame"
        );
        return Err(LogError::new(message).in_file(folder).into());
    }
    for path in entries(folder)?.into_iter().filter(|path| !is_hidden(path)) {
        if path.is_dir() { add_files_below(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?'])
}

/// The files of a pattern.
fn files_matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = vec![PathBuf::new()];
    let mut components = pattern.components().peekable();
    while let Some(component) = components.next() {
        let text = component.as_os_str().to_string_lossy().into_owned();
        let is_last = components.peek().is_none();
        let mut next = Vec::new();
        for folder in paths {
            match component {
                Component::Normal(_) if text == "**" => {
                    next.push(folder.clone());
                    folders_below(&folder, &mut next)?;
                    if is_last {
                        bail!(usage(format!(
                            "{}: `**` stands for folders; add a name, e.g. **/*.jsonl",
                            pattern.display()
                        )));
                    }
                }
                Component::Normal(_) if text.contains(['*', '?']) => {
                    let name_matches = |path: &PathBuf| {
                        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                        matches(&text.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
                            && (!is_hidden(path) || text.starts_with(['.', '_']))
                    };
                    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
                    let of_here = |path: PathBuf| path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
                    let named = entries(here)?.into_iter().filter(name_matches).map(of_here);
                    next.extend(named.filter(|path| if is_last { path.is_file() } else { path.is_dir() }));
                }
                _ => {
                    let path = folder.join(component);
                    if path.exists() && (!is_last || path.is_file()) {
                        next.push(path);
                    }
                }
            }
        }
        paths = next;
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Adds all folders below one.
fn folders_below(folder: &Path, folders: &mut Vec<PathBuf>) -> Result<()> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for path in entries(here)?.into_iter().filter(|path| path.is_dir() && !is_hidden(path)) {
        let path = path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
        folders.push(path.clone());
        folders_below(&path, folders)?;
    }
    Ok(())
}

/// Whether a name matches a pattern: `*` stands for any characters, `?` for one.
fn matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|skipped| matches(rest, &name[skipped..])),
        (['?', rest @ ..], [_, name @ ..]) => matches(rest, name),
        ([first, rest @ ..], [letter, name @ ..]) => first == letter && matches(rest, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_stand_for_their_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for name in
            ["day=2/b.jsonl", "day=1/c.jsonl", "day=1/a.csv", "day=1/_SUCCESS", "day=1/.a.crc", "_temporary/x.jsonl"]
        {
            let path = at.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| at.join(name)).collect();
            let found = files(&paths).map_err(|error| error.to_string())?;
            let name = |path: &PathBuf| path.strip_prefix(at).unwrap().to_string_lossy().into_owned();
            Ok::<_, String>(found.iter().map(name).collect::<Vec<_>>())
        };
        assert_eq!(found(&[""]).unwrap(), ["day=1/a.csv", "day=1/c.jsonl", "day=2/b.jsonl"]);
        assert_eq!(found(&["*/*.jsonl"]).unwrap(), ["day=1/c.jsonl", "day=2/b.jsonl"]);
        assert_eq!(found(&["**/?.jsonl"]).unwrap(), ["day=1/c.jsonl", "day=2/b.jsonl"]);
        assert_eq!(found(&["day=2", "day=1/a*", "nosuch"]).unwrap(), ["day=2/b.jsonl", "day=1/a.csv", "nosuch"]);
        // A file with a name like a pattern is that file.
        fs::write(at.join("day=2/*"), "").unwrap();
        assert_eq!(found(&["day=2/*"]).unwrap(), ["day=2/*"]);
        assert!(found(&["day=3/*"]).unwrap_err().contains("no file has a name of this pattern"));
        assert!(found(&["**"]).unwrap_err().contains("`**` stands for folders"));
        fs::create_dir_all(at.join("empty/.hidden")).unwrap();
        assert!(found(&["empty"]).unwrap_err().contains("a folder without files"));
        fs::create_dir_all(at.join("table/_delta_log")).unwrap();
        fs::write(at.join("table/part-0.parquet"), "").unwrap();
        assert!(found(&["table"]).unwrap_err().contains("a table of Delta"));
    }
}
