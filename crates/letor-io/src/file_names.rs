//! Names of the files that lie beside data files, and what files are called.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// Endings that are not part of the name of a run or of scores.
const ENDINGS: [&str; 12] =
    [".gz", ".run", ".trec", ".txt", ".res", ".tsv", ".dat", ".out", ".npy", ".csv", ".pred", ".scores"];
/// The ending of cache files.
pub(crate) const CACHE_ENDING: &str = ".letor-cache";

/// Whether `path` is named like a cache, and so is not a data file.
pub(crate) fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(CACHE_ENDING))
}

/// Why `path`, a file of a folder that stands for its files, is not meant: programs leave hidden files and copies beside those that
/// they edit, with the same lines.
pub(crate) fn reason_it_is_not_meant(path: &Path) -> Option<&'static str> {
    const COPIES: [&str; 8] = ["~", ".bak", ".orig", ".old", ".rej", ".swo", ".swp", ".tmp"];
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if name.starts_with('.') {
        return Some("it is hidden; name it to have it read");
    }
    let is_copy = COPIES.iter().any(|ending| name.ends_with(ending)) || name.starts_with('#') && name.ends_with('#');
    is_copy.then_some("it is called like the copy that an editor keeps; name it to have it read")
}

/// The endings of files of group sizes: LightGBM's and XGBoost's.
pub(crate) const GROUP_ENDINGS: [&str; 2] = [".query", ".group"];

/// The files of group sizes beside `data`: `rank.train.query` or `rank.train.group` for `rank.train`. Only files that
/// exist are returned.
pub(crate) fn group_sizes_of(data: &Path) -> impl Iterator<Item = PathBuf> {
    let named = |ending: &str| {
        let mut name = data.as_os_str().to_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    GROUP_ENDINGS.map(named).into_iter().filter(|path| path.is_file())
}

/// Splits `NAME=PATH`; a file of that very name is a path.
pub(crate) fn split_name(text: &str) -> (Option<&str>, &Path) {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !Path::new(text).exists() => (Some(name), Path::new(path)),
        _ => (None, Path::new(text)),
    }
}

/// Why the first of `paths` that does not exist may not: they are the parts between the commas of a file's name, since
/// commas separate files. `None` if no parts together are the name of a file.
pub(crate) fn cut_at_comma<S: AsRef<str>>(paths: &[S]) -> Option<Error> {
    // More parts than that are a list.
    const MAX_LISTED: usize = 8;
    let exists = |text: &str| split_name(text).1.exists();
    let first = paths.iter().position(|path| !exists(path.as_ref()))?;
    let parts: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
    let spans = (0..=first).rev().flat_map(|from| (first + 1..=parts.len()).map(move |to| from..to));
    let whole = spans.filter(|span| (2..=MAX_LISTED).contains(&span.len())).map(|span| parts[span].join(","));
    let whole = whole.into_iter().find(|text| exists(text))?;
    let message = "this file's name has a comma, but commas separate files: rename it, or give a folder that holds it";
    Some(Error::new(ErrorKind::Io, message).in_file(split_name(&whole).1))
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
    fn a_name_with_commas_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["a,b,c.run", "plain.run"] {
            std::fs::write(path(name), "").unwrap();
        }
        let cut = |text: &str| cut_at_comma(&text.split(',').collect::<Vec<_>>()).map(|error| error.to_string());
        let (odd, plain) = (path("a,b,c.run"), path("plain.run"));
        for given in [odd.clone(), format!("{plain},{odd}"), format!("{odd},{plain}"), format!("x={odd}")] {
            let error = cut(&given).expect(&given);
            assert!(error.starts_with(&format!("{odd}: ")) && error.contains("has a comma"), "{error}");
        }
        for given in [plain.clone(), format!("{plain},{}", path("none.run")), path("a,b")] {
            assert_eq!(cut(&given), None, "{given}");
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
