//! JSON files that describe the files beside them, such as the origin of an estimated matrix: sealed by a checksum of their own content in
//! the last field, so that no fact is lost or changed unnoticed.
//!
//! The seal covers the values, not blanks and line feeds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use crate::checksum::sha256_hex;

/// The name of the field.
pub const SEAL: &str = "seal";

/// A value with its seal.
#[derive(Debug, Serialize)]
pub struct Sealed<T> {
    #[serde(flatten)]
    value: T,
    seal: String,
}

impl<T: Serialize> Sealed<T> {
    /// Seals `value`, which is an object in JSON.
    ///
    /// # Errors
    /// If it has no JSON form.
    pub fn new(value: T) -> Result<Self> {
        // Through the text, because readers see its numbers.
        let reread: Value =
            serde_json::from_slice(&serde_json::to_vec(&value)?).context("failed to read what was written")?;
        Ok(Self { seal: checksum(&reread), value })
    }
}

/// The state of a file's seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// It fits.
    Intact,
    /// There is none: a person wrote the file.
    Missing,
    /// It does not fit: the file was changed.
    Broken,
}

/// The object in the bytes of a JSON file, without its seal; `None` if they hold none.
#[must_use]
pub fn unsealed(bytes: &[u8]) -> Option<(Value, Seal)> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let seal = value.as_object_mut()?.remove(SEAL);
    let state = match seal {
        None => Seal::Missing,
        Some(seal) if seal == checksum(&value) => Seal::Intact,
        Some(_) => Seal::Broken,
    };
    Some((value, state))
}

/// The file with the description of `path` beside it: `path`, or, if that is a symbolic link without a description (`is_described`) beside
/// it, its target.
#[must_use]
pub fn described_path(path: &Path, is_described: impl Fn(&Path) -> bool) -> PathBuf {
    let is_link = fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    let target = if is_link && !is_described(path) { fs::canonicalize(path).ok() } else { None };
    target.unwrap_or_else(|| path.to_path_buf())
}

/// Fields are in alphabetical order in a [`Value`].
fn checksum(value: &Value) -> String {
    sha256_hex(&value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mutations::Mutations;

    fn value() -> Value {
        json!({"command": "proxy", "site": {"synthetic": true, "rankers": [3, 9]}, "z": 2.25, "names": ["a", null]})
    }

    #[test]
    fn the_seal_is_that_of_the_values() {
        #[derive(Serialize)]
        struct Facts {
            zeta: f64,
            alpha: f32,
        }
        let text = serde_json::to_string_pretty(&Sealed::new(Facts { zeta: 0.1 + 0.2, alpha: 0.1 }).unwrap()).unwrap();
        assert!(text.starts_with("{\n  \"zeta\": 0.30000000000000004,\n  \"alpha\": 0.1,\n  \"seal\": \""), "{text}");
        let intact = |text: &str| unsealed(text.as_bytes()).map(|(_, seal)| seal);
        assert_eq!(intact(&text), Some(Seal::Intact));
        assert_eq!(intact(&text.replace([' ', '\n'], "")), Some(Seal::Intact));
        assert_eq!(intact(&text.replace("0.1,", "0.2,")), Some(Seal::Broken));
        assert_eq!(intact("{}"), Some(Seal::Missing));
        for none in ["", "{", "[]", "null", "3", "\"a\""] {
            assert_eq!(intact(none), None, "{none}");
        }
    }

    #[test]
    fn no_mutated_file_is_believed() {
        let file = serde_json::to_string_pretty(&Sealed::new(value()).unwrap()).unwrap().into_bytes();
        let mut mutations = Mutations::new(3);
        let mut counts = [0; 4];
        for _ in 0..10_000 {
            let mutated = mutations.mutate(&file);
            let at = match unsealed(&mutated) {
                Some((found, Seal::Intact)) => {
                    assert_eq!(found, value(), "{}", String::from_utf8_lossy(&mutated));
                    0
                }
                Some((_, Seal::Missing)) => 1,
                Some((_, Seal::Broken)) => 2,
                None => 3,
            };
            counts[at] += 1;
        }
        assert!(counts[0] > 50 && counts[2] > 1_000 && counts[3] > 2_000, "{counts:?}");
        assert!(counts[1] < 1_000, "a seal is rarely lost without a trace: {counts:?}");
    }
}
