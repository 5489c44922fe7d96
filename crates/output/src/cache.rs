//! Values that are stored from run to run under a key that contains everything they depend on.
//!
//! A key is a text. The name of a file has the first digits of its hash, and JSON files contain the whole key, so that
//! collisions are detected. Every file has a checksum. A file that is unreadable, damaged or has another key is replaced;
//! one of an earlier build, without a checksum, counts if it can be read, and gets its checksum then.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::checksum::sha256_hex;
use crate::checksum::{seal, unseal};
use crate::files::{check_writable, create_folder, remove_leftovers, write_atomic, write_json_pretty};
use crate::warn;

/// A folder of stored values.
#[derive(Debug, Clone, Copy)]
pub struct Cache<'a> {
    folder: &'a Path,
}

/// A value with its whole key.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    /// Earlier builds stored ground truths under another field name.
    #[serde(alias = "truth")]
    value: Value,
    /// Of key and value; missing in files of earlier builds.
    #[serde(default)]
    checksum: Option<String>,
}

impl Kept {
    fn new<T: Serialize>(key: &str, value: &T) -> Result<Self> {
        let mut kept = Self { key: key.to_owned(), value: serde_json::to_value(value)?, checksum: None };
        kept.checksum = Some(kept.sum());
        Ok(kept)
    }

    fn sum(&self) -> String {
        sha256_hex(&format!("{}\n{}", self.key, self.value))
    }
}

/// What the file of a value holds.
enum Found<T> {
    /// The value.
    Whole(T),
    /// The value, without a checksum.
    Unsealed(T),
    /// A value that was changed since it was stored.
    Damaged,
    /// Something else, or nothing.
    Nothing,
}

impl<'a> Cache<'a> {
    /// A cache in `folder`, which is created when a value is stored.
    #[must_use]
    pub fn new(folder: &'a Path) -> Self {
        Self { folder }
    }

    fn path(&self, what: &str, key: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{what}-{}.{extension}", &sha256_hex(key)[..24]))
    }

    /// The value stored under `key` if it is `sound`; otherwise calls `compute`, and stores and returns its value. The
    /// name of the file starts with `what`.
    ///
    /// # Errors
    /// Those of `compute`, and if the cache cannot be written, which is checked before `compute` is called.
    pub fn json<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        key: &str,
        sound: impl Fn(&T) -> bool,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let path = self.path(what, key, "json");
        let find = |bytes: &[u8]| {
            let Ok(kept) = serde_json::from_slice::<Kept>(bytes) else { return Found::Damaged };
            let sealed = kept.checksum.is_some();
            if kept.checksum.as_ref().is_some_and(|checksum| *checksum != kept.sum()) {
                return Found::Damaged;
            }
            match serde_json::from_value::<T>(kept.value) {
                Ok(value) if kept.key == key && sound(&value) => {
                    if sealed {
                        Found::Whole(value)
                    } else {
                        Found::Unsealed(value)
                    }
                }
                _ => Found::Nothing,
            }
        };
        self.find_or(&path, find, |value| write_json_pretty(&path, &Kept::new(key, value)?), compute)
    }

    /// The same for values with a file format of their own. `read` returns `None` for bytes that are not such a value, and
    /// the key is compared only by its hash.
    ///
    /// # Errors
    /// As for [`json`](Self::json).
    pub fn file<T>(
        &self,
        (what, extension): (&str, &str),
        key: &str,
        read: impl Fn(&[u8]) -> Option<T>,
        write: impl Fn(&T) -> Vec<u8>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let path = self.path(what, key, extension);
        let find = |bytes: &[u8]| match unseal(bytes).and_then(&read) {
            Some(value) => Found::Whole(value),
            None => read(bytes).map_or(Found::Damaged, Found::Unsealed),
        };
        self.find_or(&path, find, |value| write_atomic(&path, &seal(write(value))), compute)
    }

    /// The value that `find` finds in the file at `path`; otherwise the one that `compute` returns, after `store` has
    /// stored it.
    fn find_or<T>(
        &self,
        path: &Path,
        find: impl FnOnce(&[u8]) -> Found<T>,
        store: impl FnOnce(&T) -> Result<()>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match std::fs::read(path).map_or(Found::Nothing, |bytes| find(&bytes)) {
            Found::Whole(value) => return Ok(value),
            Found::Unsealed(value) => {
                // A cache that cannot be written to is as good as before.
                let _ = store(&value);
                return Ok(value);
            }
            Found::Damaged => warn(&format!("{} is damaged and will be made again", path.display())),
            Found::Nothing => {}
        }
        create_folder(self.folder)?;
        remove_leftovers(path);
        check_writable(path)?;
        let value = compute()?;
        store(&value)?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_computed_once_per_key() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("new");
        let cache = Cache::new(&inside);
        let get = |key: &str, sound: bool, value: f64| cache.json("v", key, |_| sound, || Ok(value)).unwrap();
        assert_eq!(get("a", true, 0.1), 0.1);
        assert_eq!((get("a", true, 2.0), get("b", true, 2.0)), (0.1, 2.0));
        assert_eq!((get("a", false, 3.0), get("a", true, 4.0)), (3.0, 3.0), "a value that is not sound is replaced");
        // A damaged file, and a file with the same name but another key, are replaced.
        for text in ["{", "{\"key\": \"z\", \"value\": 9.0}"] {
            std::fs::write(cache.path("v", "a", "json"), text).unwrap();
            assert_eq!(get("a", true, 5.0), 5.0);
        }
        let old = "{\"key\": \"a\", \"truth\": 6.5}";
        std::fs::write(cache.path("v", "a", "json"), old).unwrap();
        assert_eq!(get("a", true, 7.0), 6.5, "files of earlier builds are read");
        let sealed = std::fs::read_to_string(cache.path("v", "a", "json")).unwrap();
        assert!(sealed.contains("\"value\": 6.5") && sealed.contains("\"checksum\""), "{sealed}");
        for (from, to) in [("6.5", "6.4"), ("\"a\"", "\"b\""), ("checksum\": \"", "checksum\": \"0")] {
            std::fs::write(cache.path("v", "a", "json"), sealed.replace(from, to)).unwrap();
            assert_eq!(get("a", true, 6.5), 6.5);
            assert_eq!(std::fs::read_to_string(cache.path("v", "a", "json")).unwrap(), sealed, "{from}");
        }
    }

    #[test]
    fn values_with_their_own_format_are_computed_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let get = |value: u8| {
            let read = |bytes: &[u8]| (bytes.len() == 1).then(|| bytes[0]);
            cache.file(("n", "bin"), "k", read, |value| vec![*value], || Ok(value)).unwrap()
        };
        assert_eq!((get(1), get(2)), (1, 1));
        std::fs::write(cache.path("n", "k", "bin"), "no").unwrap();
        assert_eq!(get(3), 3);
        // Every byte is covered, and a file of an earlier build gets its checksum.
        let path = cache.path("n", "k", "bin");
        let sealed = std::fs::read(&path).unwrap();
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(get(3), 3, "byte {at}");
        }
        std::fs::write(&path, [3]).unwrap();
        assert_eq!((get(4), std::fs::read(&path).unwrap()), (3, sealed));
    }
}
