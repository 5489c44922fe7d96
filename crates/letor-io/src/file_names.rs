//! Names of the files that lie beside data files.

use std::path::{Path, PathBuf};

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
