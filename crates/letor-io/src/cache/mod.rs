//! The binary cache: what was parsed once is mapped into memory the next time.
//!
//! The first [`open`](crate::open) of files writes a file beside them; later ones map it and read what
//! they need. A cache is used only where it says that it was made of these very files (names, sizes,
//! times of change), read with the same options by the same version; anything else, and anything
//! damaged, is read from the text and written again. Its header and index are checked at opening, the
//! values of each query at their first use.
//!
//! # Format
//!
//! Integers are little-endian. Hashes are XXH3 of 64 bits.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | `letorbin` |
//! | 4 | `0x01020304`, which tells the order of bytes |
//! | 4 | the format's version |
//! | 8, 8 | lengths of the whole file and of the index |
//! | 8 | hash of the index |
//! | 8 | hash of all before |
//!
//! | bytes | index |
//! |---|---|
//! | 4, n | what it was made of, as text |
//! | 1, 8 | 1 where the text is not proof enough (it had just been written), and the hash of its bytes |
//! | 64 | checksum of the content, hex |
//! | 4, 8, 8, 8 | features, queries, documents, bytes of all ids |
//! | 4 a query | where its id ends |
//! | 4 a query | its documents |
//! | 4 a query | bytes of its block |
//! | 8 a query | hash of its block |
//! | 4 a document | its label |
//! | n | all ids |
//!
//! The queries' blocks follow, each as it is in memory.

mod check;
mod format;
mod source;
mod store;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::dataset::{Dataset, Provenance, Recipe};
use crate::error::Error;
use crate::registry;
use source::Stamps;

pub(crate) use check::check_bytes;

/// Where the binary cache of what is opened is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cache {
    /// In the folder that the environment variable `ORE_CACHE_DIR` names, else beside the data. Where
    /// that cannot be written, there is none.
    #[default]
    Beside,
    /// In this folder, which is made where it is not there.
    Folder(PathBuf),
    /// Nowhere: text is read each time.
    Off,
}

/// The environment variable that names a folder for all caches.
const FOLDER_VARIABLE: &str = "ORE_CACHE_DIR";

/// Text of fewer bytes than this is read sooner than anybody notices, and gets no cache.
const WORTH_A_CACHE: u64 = 64 << 10;

/// The ending of cache files.
const ENDING: &str = ".letor-cache";

/// Whether the name of `path` is that of a cache, which is no data file.
pub(crate) fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(ENDING))
}

impl Cache {
    /// The folder for the cache of data whose first file is `first`, and whether that is beside it.
    fn folder(&self, first: &Path) -> Option<(PathBuf, bool)> {
        match self {
            Self::Off => None,
            Self::Folder(folder) => Some((folder.clone(), false)),
            Self::Beside => match std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
                Some(folder) => Some((folder.into(), false)),
                None => {
                    let folder = first.parent().filter(|folder| !folder.as_os_str().is_empty());
                    Some((folder.unwrap_or(Path::new(".")).into(), true))
                }
            },
        }
    }
}

/// Opens the data made of `files` from its cache, or by `read` and then leaves a cache.
///
/// `options` says how text is read, and `recipe` makes a way to read it again later.
pub(crate) fn through(
    cache: &Cache,
    (name, provenance): (&str, Provenance),
    (files, options): (&[PathBuf], &str),
    recipe: impl FnOnce() -> Recipe,
    read: impl FnOnce() -> Result<Dataset, Error>,
) -> Result<Dataset, Error> {
    let place = files.first().and_then(|first| cache.folder(first));
    let Some((folder, beside)) = place else {
        return read();
    };
    let Some(before) = Stamps::of(files, beside.then_some(&folder)).filter(|stamps| stamps.bytes() >= WORTH_A_CACHE)
    else {
        return read();
    };
    let path = folder.join(file_name(files, options, beside));
    let key = before.key(options);
    if let Some((dataset, proved)) = store::load(&path, &key, (name, provenance), files, recipe) {
        if proved && !before.just_written() {
            // From now on the times are proof enough.
            store::save(&path, &key, None, &dataset);
        }
        return Ok(dataset);
    }
    let dataset = read()?;
    let proof = if before.just_written() { source::hash(files) } else { None };
    // What changed while it was read is of no one state.
    let after = Stamps::of(files, beside.then_some(&folder));
    if after.is_some_and(|after| after.same_files(&before)) && (proof.is_some() || !before.just_written()) {
        store::save(&path, &key, proof, &dataset);
    }
    Ok(dataset)
}

/// Fewer bytes than this in memory are generated sooner than anybody notices.
const WORTH_KEEPING: usize = 1 << 20;

/// Opens the look-alike `name` from its cache, where that holds what `is_same` accepts, or by `make`.
///
/// Look-alikes have no files to lie beside: unless a folder is named, their caches lie in `look-alikes`
/// in the folder of registered data, `root`, where that folder, or the one that it is to be made in, is
/// there already.
pub(crate) fn generated(
    cache: &Cache,
    root: Option<&Path>,
    name: &str,
    make: impl Fn() -> Result<Dataset, Error> + Send + Sync + 'static,
    is_same: impl Fn(&Dataset) -> bool,
) -> Result<Dataset, Error> {
    let root = || root.map_or_else(registry::data_root, Path::to_path_buf);
    let folder = match cache.folder(&root().join("look-alikes").join(name)) {
        Some((folder, true)) => folder.ancestors().skip(1).take(2).any(Path::is_dir).then_some(folder),
        named => named.map(|(folder, _)| folder),
    };
    let Some(folder) = folder else {
        return make();
    };
    let path = folder.join(format!("{}{ENDING}", name.replace(':', "-")));
    let key = source::key_of(name);
    let provenance = Provenance::LookAlike { name: name.to_string() };
    let make = Arc::new(make);
    let recipe = || -> Recipe {
        let make = Arc::clone(&make);
        Box::new(move || make())
    };
    if let Some((dataset, _)) = store::load(&path, &key, (name, provenance), &[], recipe)
        && is_same(&dataset)
    {
        return Ok(dataset);
    }
    let dataset = make()?;
    if dataset.memory() >= WORTH_KEEPING {
        store::save(&path, &key, None, &dataset);
    }
    Ok(dataset)
}

/// What to call the cache of these files under these options.
fn file_name(files: &[PathBuf], options: &str, beside: bool) -> String {
    let mut said = options.to_string();
    for file in files {
        let full = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let shown = if beside { full.file_name().unwrap_or_default().into() } else { full };
        said += &format!("\n{}", shown.display());
    }
    let hash = xxhash_rust::xxh3::xxh3_64(said.as_bytes()) as u32;
    let first = files[0].file_name().unwrap_or_default().display();
    let more = if files.len() > 1 { format!("+{}", files.len() - 1) } else { String::new() };
    format!("{first}{more}.{hash:08x}{ENDING}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookalike;

    #[test]
    fn what_other_rules_generated_is_made_again() {
        let root = tempfile::tempdir().unwrap();
        let through = |seed: u64, is_same: &dyn Fn(&Dataset) -> bool| {
            let make = move || lookalike::generate("np2004-lookalike", 0.2, seed);
            generated(&Cache::Beside, Some(root.path()), "made", make, is_same).unwrap()
        };
        let first = through(1, &|_| true);
        assert!(through(2, &|_| true) == first, "taken from the cache");
        let second = through(2, &|found| *found != first);
        assert!(second != first);
        assert!(through(3, &|_| true) == second, "and kept in its place");
    }
}
