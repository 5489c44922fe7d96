//! Keys of callers: 256 random bits, shown once, stored as their SHA-256.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sha2::{Digest as _, Sha256};

use super::{StoreError, secrets};
use crate::ids;

/// The prefix of every key, so that scanners of source code find one that was committed.
const KEY_PREFIX: &str = "rankduel_";

/// The permissions of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    Admin,
    /// Impressions, duels and events.
    Serve,
    /// Status.
    Read,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Serve, Self::Read];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Serve => "serve",
            Self::Read => "read",
        }
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A new key: its text is known only now.
#[derive(Debug)]
pub struct Key {
    /// Its number.
    pub id: i64,
    /// The text, to be given to the caller.
    pub text: String,
}

impl Key {
    /// A new text of a key.
    pub(super) fn fresh_text() -> Result<String, StoreError> {
        Ok(format!("{KEY_PREFIX}{}", ids::encode(&secrets::fresh()?)))
    }
}

/// A key as stored.
#[derive(Clone)]
pub struct KeyRow {
    /// Its number.
    pub id: i64,
    /// Its permissions.
    pub role: Role,
    /// The only experiment that it may be used for; any if `None`.
    pub experiment: Option<String>,
    /// Its owner, in words.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was revoked.
    pub revoked: Option<i64>,
    /// From when on it no longer works.
    pub expires: Option<i64>,
    /// When it was last used, to the minute.
    pub used: Option<i64>,
    /// The hash of its text.
    pub(super) hash: [u8; 32],
}

impl std::fmt::Debug for KeyRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyRow({}, {})", self.id, self.role.name())
    }
}

impl KeyRow {
    /// The error of a store with something else instead of a key.
    pub(super) fn damaged(id: i64) -> StoreError {
        StoreError::Damaged(format!("key {id} of the store is damaged; restore it from a backup"))
    }

    /// Whether it works at `now`.
    fn works(&self, now: i64) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }

    /// Whether `hash` is that of this key, in a time that does not depend on their common part.
    #[must_use]
    pub fn has_hash(&self, hash: &[u8; 32]) -> bool {
        let differs = self.hash.iter().zip(hash).fold(0_u8, |differs, (a, b)| differs | (a ^ b));
        std::hint::black_box(differs) == 0
    }

    /// The hash of a key's text, as stored.
    #[must_use]
    pub fn hash_of(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}

/// The keys of the store, as of now.
#[derive(Debug, Default)]
pub struct Keys {
    loaded_keys: RwLock<Arc<[KeyRow]>>,
    /// The times of use since they were last written.
    used: Mutex<BTreeMap<i64, i64>>,
}

impl Keys {
    /// Replaces the keys.
    pub fn set(&self, keys: Vec<KeyRow>) {
        *self.loaded_keys.write().unwrap_or_else(PoisonError::into_inner) = keys.into();
    }

    /// Takes the times of use since the last call.
    pub fn take_used(&self) -> BTreeMap<i64, i64> {
        std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> Arc<[KeyRow]> {
        Arc::clone(&self.loaded_keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the store has never had a key. A key that was revoked counts: revoking the last one opens nothing.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.now().is_empty()
    }

    /// The key of this number, if it works at `now`.
    #[must_use]
    pub fn of_id(&self, id: i64, now: i64) -> Option<KeyRow> {
        self.now().iter().find(|key| key.id == id && key.works(now)).cloned()
    }

    /// The key with this text. Every key is compared, and each takes the same time.
    #[must_use]
    pub fn find(&self, text: &str, now: i64) -> Option<KeyRow> {
        let hash = KeyRow::hash_of(text);
        let keys = self.now();
        let key_found =
            keys.iter().fold(None, |key_found, key| if key.has_hash(&hash) { Some(key) } else { key_found });
        let key_found = key_found.filter(|key| key.works(now)).cloned();
        if let Some(key) = &key_found {
            self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(key.id, now);
        }
        key_found
    }
}
