//! Values that are stored from run to run under a key that contains everything they depend on.
//!
//! A key is a text. The name of a file has the first digits of its hash, and JSON files contain the whole key, so that
//! collisions are detected. A file that is unreadable or has another key is replaced.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::{check_writable, create_folder, write_atomic, write_json_pretty};

/// SHA-256 of `text` in hexadecimal.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder of stored values.
#[derive(Debug, Clone, Copy)]
pub struct Cache<'a> {
    folder: &'a Path,
}

/// A value with its whole key.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    key: String,
    /// Earlier builds stored ground truths under another field name.
    #[serde(alias = "truth")]
    value: T,
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
        if let Ok(bytes) = std::fs::read(&path)
            && let Ok(kept) = serde_json::from_slice::<Kept<T>>(&bytes)
            && kept.key == key
            && sound(&kept.value)
        {
            return Ok(kept.value);
        }
        self.check(&path)?;
        let kept = Kept { key: key.to_owned(), value: compute()? };
        write_json_pretty(&path, &kept)?;
        Ok(kept.value)
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
        if let Some(value) = std::fs::read(&path).ok().and_then(|bytes| read(&bytes)) {
            return Ok(value);
        }
        self.check(&path)?;
        let value = compute()?;
        write_atomic(&path, &write(&value))?;
        Ok(value)
    }

    fn check(&self, path: &Path) -> Result<()> {
        create_folder(self.folder)?;
        check_writable(path)
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
    }

    #[test]
    fn hashes_are_sha_256() {
        assert_eq!(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
