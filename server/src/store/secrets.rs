//! The secrets of a store, as its table `meta` has them.

use super::StoreError;
use crate::ids::Secret;

/// The secrets of a store: a copy of the file has them.
#[derive(Clone)]
pub struct Secrets {
    /// Signs impression ids.
    pub ids: Secret,
    /// Hashes units, queries and requests.
    pub hashes: Secret,
    /// The key of the positions of units. It is never replaced.
    pub places: [u8; 32],
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(..)")
    }
}

impl Secrets {
    /// Reads them; `value` returns the entry of a name.
    pub(super) fn read(value: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError>) -> Result<Self, StoreError> {
        let secret = |name| secret(&value, name);
        Ok(Self { ids: secret("ids")?, hashes: secret("hashes")?, places: secret(PLACES_SALT)?.current })
    }
}

/// The secrets that can be replaced.
pub(super) const ROTATED_SECRETS: [&str; 2] = ["ids", "hashes"];
/// The name of the salt of places.
pub(super) const PLACES_SALT: &str = "places";

/// The name of a secret that counts no longer than its time.
pub(super) fn before_name(name: &str) -> String {
    format!("{name}-before")
}

/// A secret; `value` returns the entry of a name.
pub(super) fn secret(
    value: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError>,
    name: &str,
) -> Result<Secret, StoreError> {
    let damaged =
        || StoreError::Damaged(format!("the store has no secret `{name}` of 32 bytes; restore it from a backup"));
    let current = value(name)?.and_then(|value| value.try_into().ok()).ok_or_else(damaged)?;
    let number = match value(&format!("{name}-number"))?.as_deref() {
        // Never replaced.
        None => 1,
        Some(&[number]) => number,
        Some(_) => return Err(damaged()),
    };
    let secret_before = match value(&before_name(name))? {
        None => None,
        Some(bytes) => {
            let (secret, until) = bytes.split_first_chunk().ok_or_else(damaged)?;
            Some((*secret, i64::from_be_bytes(until.try_into().map_err(|_| damaged())?)))
        }
    };
    Ok(Secret { number, current, previous: secret_before })
}

/// The rows to keep, by name, once a secret is replaced by a new one; the old one stays valid until `until` (milliseconds since 1970).
pub(super) fn replaced(secret: &Secret, name: &str, until: i64) -> Result<[(String, Vec<u8>); 3], StoreError> {
    let before = [&secret.current[..], &until.to_be_bytes()].concat();
    Ok([
        (name.to_owned(), fresh()?.to_vec()),
        (format!("{name}-number"), vec![secret.number.wrapping_add(1)]),
        (before_name(name), before),
    ])
}

/// A new secret.
pub(super) fn fresh() -> Result<[u8; 32], StoreError> {
    let mut secret = [0_u8; 32];
    fill(&mut secret)?;
    Ok(secret)
}

fn fill(bytes: &mut [u8]) -> Result<(), StoreError> {
    getrandom::fill(bytes).map_err(|error| StoreError::Io(format!("no random numbers: {error}")))
}

/// A random number.
///
/// # Errors
/// If the machine gives none.
pub fn random() -> Result<u64, StoreError> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
