//! Opens data sets from their caches, or reads them and writes the caches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::{debug, info};

use super::stamps::{self, Stamps};
use super::store;
use crate::dataset::{Dataset, Provenance, Recipe};
use crate::error::Error;
use crate::file_names::CACHE_ENDING;

/// Text of fewer bytes than this is read so fast that it needs no cache.
const MIN_SOURCE_BYTES: u64 = 64 << 10;

/// Opens the data set of `files` from its cache in the folder `cache`; if there is none, calls `read` and writes the cache.
///
/// `options` describes how the text is read, and `recipe` returns a function that reads it again.
pub(crate) fn open_files(
    cache: Option<&Path>,
    (name, provenance): (&str, Provenance),
    (files, options): (&[PathBuf], &str),
    recipe: impl FnOnce() -> Recipe,
    read: impl FnOnce() -> Result<Dataset, Error>,
) -> Result<Dataset, Error> {
    let Some(folder) = cache.filter(|_| !files.is_empty()) else {
        info!("{name:?}: reading the text of {} files, without a cache", files.len());
        return read();
    };
    let Some(before) = Stamps::of(files).filter(|stamps| stamps.bytes() >= MIN_SOURCE_BYTES) else {
        info!("{name:?}: reading the text of {} files, which need no cache", files.len());
        return read();
    };
    store::remove_leftovers(folder);
    let path = folder.join(file_name(files, options));
    let key = before.key(options);
    let loaded = store::load(&path, &key, (name, provenance), files, recipe);
    if let Err(why) = &loaded {
        info!("{name:?}: reading the text of {} files; the cache {path:?} is not used: {why}", files.len());
    }
    if let Ok((dataset, proved)) = loaded {
        info!("{name:?}: from the cache {path:?}");
        if proved && !before.just_written() {
            // The sources are old enough now for their times to be reliable.
            store::save(&path, &key, None, &dataset);
        }
        return Ok(dataset);
    }
    let dataset = read()?;
    let proof = if before.just_written() { stamps::hash_files(files) } else { None };
    // Files that changed while they were read have no single state to cache.
    let after = Stamps::of(files);
    if after.is_some_and(|after| after.same_files(&before)) && (proof.is_some() || !before.just_written()) {
        store::save(&path, &key, proof, &dataset);
        debug!("{name:?}: kept in the cache {path:?}");
    } else {
        debug!("{name:?}: not kept in a cache: its files changed while they were read");
    }
    Ok(dataset)
}

/// Data of fewer bytes in memory than this are generated so fast that they need no cache.
const MIN_KEPT_BYTES: usize = 1 << 20;

/// Opens the look-alike `name` from its cache in the folder `cache` if `is_same` accepts the contents; otherwise calls
/// `make` and writes the cache. Look-alikes have no source files.
pub(crate) fn open_generated(
    cache: Option<&Path>,
    name: &str,
    make: impl Fn() -> Result<Dataset, Error> + Send + Sync + 'static,
    is_same: impl Fn(&Dataset) -> bool,
) -> Result<Dataset, Error> {
    let Some(folder) = cache else {
        return make();
    };
    store::remove_leftovers(folder);
    let path = folder.join(format!("{}{CACHE_ENDING}", name.replace(':', "-")));
    let key = stamps::key_of(name);
    let provenance = Provenance::LookAlike { name: name.to_string() };
    let make = Arc::new(make);
    let recipe = || -> Recipe {
        let make = Arc::clone(&make);
        Box::new(move || make())
    };
    let loaded = store::load(&path, &key, (name, provenance), &[], recipe);
    let loaded =
        loaded.and_then(|(dataset, _)| if is_same(&dataset) { Ok(dataset) } else { Err("other rules made it") });
    let why = match loaded {
        Ok(dataset) => {
            info!("{name:?}: from the cache {path:?}");
            return Ok(dataset);
        }
        Err(why) => why,
    };
    info!("{name:?}: generating it; the cache {path:?} is not used: {why}");
    let dataset = make()?;
    if dataset.memory() >= MIN_KEPT_BYTES {
        store::save(&path, &key, None, &dataset);
    }
    Ok(dataset)
}

/// The most characters of a data file's name in the name of its cache.
const MAX_NAME_WIDTH: usize = 80;

/// The name of the cache of `files` read with `options`.
fn file_name(files: &[PathBuf], options: &str) -> String {
    let mut key = options.to_string();
    for file in files {
        let full = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        key += &format!("\n{}", full.display());
    }
    let hash = xxhash_rust::xxh3::xxh3_64(key.as_bytes());
    let first: String =
        files[0].file_name().unwrap_or_default().to_string_lossy().chars().take(MAX_NAME_WIDTH).collect();
    let more = if files.len() > 1 { format!("+{}", files.len() - 1) } else { String::new() };
    format!("{first}{more}.{hash:016x}{CACHE_ENDING}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookalike;

    #[test]
    fn a_cache_of_other_rules_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let through = |seed: u64, is_same: &dyn Fn(&Dataset) -> bool| {
            let make = move || lookalike::generate("np2004-lookalike", 0.2, seed);
            open_generated(Some(folder.path()), "made", make, is_same).unwrap()
        };
        let first = through(1, &|_| true);
        assert!(through(2, &|_| true) == first, "opened from the cache");
        let second = through(2, &|found| *found != first);
        assert!(second != first);
        assert!(through(3, &|_| true) == second, "the cache was replaced");
    }
}
