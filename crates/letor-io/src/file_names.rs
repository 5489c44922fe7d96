//! Names of the files that lie beside data files, and what files are called.

use std::path::{Path, PathBuf};

/// Endings that are not part of the name of a run or of scores.
const ENDINGS: [&str; 12] =
    [".gz", ".run", ".trec", ".txt", ".res", ".tsv", ".dat", ".out", ".npy", ".csv", ".pred", ".scores"];
/// The ending of cache files.
pub(crate) const CACHE_ENDING: &str = ".letor-cache";

/// Whether `path` is named like a cache, and so is not a data file.
pub(crate) fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(CACHE_ENDING))
}

/// The path that a file of group sizes for `data` has: `rank.train.query` for `rank.train`.
pub(crate) fn group_sizes_of(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_os_string();
    name.push(".query");
    name.into()
}

/// Splits `NAME=PATH`; a file of that very name is a path.
pub(crate) fn split_name(text: &str) -> (Option<&str>, &Path) {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !Path::new(text).exists() => (Some(name), Path::new(path)),
        _ => (None, Path::new(text)),
    }
}

/// The name of a file without endings that say what it is: `bm25` for `runs/bm25.run.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut name = full.as_str();
    // At most two, e.g. `.run.gz`: dots in names are common.
    for _ in 0..2 {
        let stripped = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
        name = stripped.filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_their_names_without_endings() {
        for (file, name) in [
            ("runs/bm25.run.gz", "bm25"),
            ("bm25", "bm25"),
            ("input.bm25-k1.2", "input.bm25-k1.2"),
            ("a.b.txt", "a.b"),
            (".run", ".run"),
        ] {
            assert_eq!(stem(Path::new(file)), name, "{file}");
        }
    }

    #[test]
    fn a_file_of_that_very_name_is_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("k1=0.9.run");
        std::fs::write(&file, "").unwrap();
        let text = file.to_str().unwrap();
        assert_eq!(split_name(text), (None, file.as_path()));
        assert_eq!(split_name("bm25=a=b.run"), (Some("bm25"), Path::new("a=b.run")));
        assert_eq!(split_name("=a.run"), (None, Path::new("=a.run")));
    }
}
