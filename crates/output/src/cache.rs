//! Values that are stored from run to run under a key that contains everything they depend on.
//!
//! A key is a text. The name of a file has the first digits of its hash, and JSON files contain the whole key, so that
//! collisions are detected. Every file has a checksum. A file that is unreadable or has another key is replaced, and so is a
//! damaged one: its checksum is missing or does not match.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tracing::debug;

pub use crate::checksum::sha256_hex;
use crate::checksum::{seal, unseal};
use crate::files::{check_writable, create_folder, remove_leftovers, write_atomic, write_json_pretty};
use crate::input;
use crate::messages::warn;

/// A larger file is not a stored value.
const MOST_BYTES: u64 = 1 << 34;

/// A folder of stored values.
#[derive(Debug, Clone, Copy)]
pub struct Cache<'a> {
    folder: &'a Path,
}

/// A value with its whole key.
#[derive(Serialize, Deserialize)]
struct CachedValue {
    key: String,
    value: Value,
    /// The checksum of key and value.
    checksum: String,
}

impl CachedValue {
    fn new<T: Serialize>(key: &str, value: &T) -> Result<Self> {
        let mut cached = Self { key: key.to_owned(), value: serde_json::to_value(value)?, checksum: String::new() };
        cached.checksum = cached.checksum();
        Ok(cached)
    }

    fn checksum(&self) -> String {
        sha256_hex(&format!("{}\n{}", self.key, self.value))
    }
}

/// The state of a value's file.
enum StoredState<T> {
    /// The value.
    Whole(T),
    /// A value that was changed since it was stored, or has no checksum.
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

    fn path(&self, kind: &str, key: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{kind}-{}.{extension}", &sha256_hex(key)[..24]))
    }

    /// The value stored under `key` if it is `sound`; otherwise calls `compute`, and stores and returns its value. The
    /// name of the file starts with `kind`.
    ///
    /// # Errors
    /// Errors of `compute`, and if the cache cannot be written, which is checked before `compute` is called.
    pub fn json<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        key: &str,
        sound: impl Fn(&T) -> bool,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let path = self.path(kind, key, "json");
        let find = |bytes: &[u8]| Self::value_in(bytes, key, sound);
        self.find_or(&path, find, |value| write_json_pretty(&path, &CachedValue::new(key, value)?), compute)
    }

    /// The value under `key` in the bytes of a JSON file.
    fn value_in<T: DeserializeOwned>(bytes: &[u8], key: &str, sound: impl Fn(&T) -> bool) -> StoredState<T> {
        let cached =
            serde_json::from_slice::<CachedValue>(bytes).ok().filter(|cached| cached.checksum == cached.checksum());
        let Some(cached) = cached else { return StoredState::Damaged };
        match serde_json::from_value::<T>(cached.value) {
            Ok(value) if cached.key == key && sound(&value) => StoredState::Whole(value),
            _ => StoredState::Nothing,
        }
    }

    /// As [`json`](Self::json), for values with a file format of their own. `parse` returns `None` for bytes that are not such a value, and
    /// the key is compared only by its hash.
    ///
    /// # Errors
    /// As for [`json`](Self::json).
    pub fn file<T>(
        &self,
        (what, extension): (&str, &str),
        key: &str,
        parse: impl Fn(&[u8]) -> Option<T>,
        write: impl Fn(&T) -> Vec<u8>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let path = self.path(what, key, extension);
        let find = |bytes: &[u8]| unseal(bytes).and_then(&parse).map_or(StoredState::Damaged, StoredState::Whole);
        self.find_or(&path, find, |value| write_atomic(&path, &seal(write(value))), compute)
    }

    /// The value that `find` finds in the file at `path`; otherwise the one that `compute` returns, after `store` has
    /// stored it.
    fn find_or<T>(
        &self,
        path: &Path,
        find: impl FnOnce(&[u8]) -> StoredState<T>,
        store: impl FnOnce(&T) -> Result<()>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match input::read_file(path, MOST_BYTES).map_or(StoredState::Nothing, |bytes| find(&bytes)) {
            StoredState::Whole(value) => {
                debug!("read {path:?}, which an earlier call computed");
                return Ok(value);
            }
            StoredState::Damaged => warn(false, &format!("{} is damaged and will be made again", path.display())),
            StoredState::Nothing => debug!("computing what will be kept in {path:?}"),
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
    use crate::mutations::Mutations;

    #[test]
    fn values_are_computed_once_per_key() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("new");
        let cache = Cache::new(&inside);
        let get = |key: &str, sound: bool, value: f64| cache.json("v", key, |_| sound, || Ok(value)).unwrap();
        assert_eq!(get("a", true, 0.1), 0.1);
        assert_eq!((get("a", true, 2.0), get("b", true, 2.0)), (0.1, 2.0));
        assert_eq!((get("a", false, 3.0), get("a", true, 4.0)), (3.0, 3.0), "a value that is not sound is replaced");
        let path = cache.path("v", "a", "json");
        // A file with the same name but another key is replaced, and so is a damaged one.
        let other = serde_json::to_vec(&CachedValue::new("z", &9.0).unwrap()).unwrap();
        for text in [&other[..], b"{", b"", b"{\"key\": \"a\", \"value\": 9.0}", b"{\"key\": \"a\", \"truth\": 9.0}"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(get("a", true, 6.5), 6.5);
        }
        let sealed = std::fs::read_to_string(&path).unwrap();
        assert!(sealed.contains("\"value\": 6.5") && sealed.contains("\"checksum\""), "{sealed}");
        let checksum = sealed.split("\"checksum\": ").nth(1).unwrap().lines().next().unwrap();
        for without in [",\n  \"checksum\": ".to_owned() + checksum, checksum.trim_matches('"').to_owned()] {
            assert!(sealed.contains(&without), "{sealed}");
            std::fs::write(&path, sealed.replace(&without, "").replace("6.5", "6.4")).unwrap();
            assert_eq!(get("a", true, 6.5), 6.5, "without a checksum");
        }
        std::fs::write(&path, sealed.replace(checksum, "null").replace("6.5", "6.4")).unwrap();
        assert_eq!(get("a", true, 6.5), 6.5, "without a checksum");
        for (from, to) in [("6.5", "6.4"), ("\"a\"", "\"b\""), ("checksum\": \"", "checksum\": \"0")] {
            std::fs::write(&path, sealed.replace(from, to)).unwrap();
            assert_eq!(get("a", true, 6.5), 6.5);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), sealed, "{from}");
        }
    }

    #[test]
    fn no_mutated_value_is_believed() {
        let value = vec![0.25, 0.5, 12.75];
        let file = serde_json::to_string_pretty(&CachedValue::new("a key", &value).unwrap()).unwrap().into_bytes();
        let mut mutations = Mutations::new(2);
        let (mut believed, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mutated = mutations.mutate(&file);
            match Cache::value_in::<Vec<f64>>(&mutated, "a key", |_| true) {
                StoredState::Whole(found) => {
                    assert_eq!(found, value, "{}", String::from_utf8_lossy(&mutated));
                    believed += 1;
                }
                StoredState::Damaged => refused += 1,
                StoredState::Nothing => panic!("{}", String::from_utf8_lossy(&mutated)),
            }
        }
        assert!(believed > 100 && refused > 10_000, "{believed} believed, {refused} refused");
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
        // Every byte is covered, and a file without a checksum is damaged.
        let path = cache.path("n", "k", "bin");
        let sealed = std::fs::read(&path).unwrap();
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(get(3), 3, "byte {at}");
        }
        std::fs::write(&path, [3]).unwrap();
        assert_eq!((get(4), get(5)), (4, 4));
    }
}
