//! Keys of callers: 256 random bits, shown once, stored as their SHA-256.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::Row;
use sha2::{Digest as _, Sha256};

use super::{Operation, Store, StoreError};
use crate::ids;

/// What every key begins with, so that scanners of source code find one that was committed.
const PREFIX: &str = "rankduel_";

/// What a key may do.
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

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A key that was just made: the only moment at which its text is known.
#[derive(Debug)]
pub struct Key {
    /// Its number.
    pub id: i64,
    /// The text, to be given to the caller.
    pub text: String,
}

/// A key, as the store knows it.
#[derive(Clone)]
pub struct KeyRow {
    /// Its number.
    pub id: i64,
    /// What it may do.
    pub role: Role,
    /// The only experiment that it may be used for; any if `None`.
    pub experiment: Option<String>,
    /// Whose it is, in words.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was revoked.
    pub revoked: Option<i64>,
    /// From when on it no longer works.
    pub expires: Option<i64>,
    /// When it was last used, to the minute.
    pub used: Option<i64>,
    hash: [u8; 32],
}

impl std::fmt::Debug for KeyRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyRow({}, {})", self.id, self.role.name())
    }
}

impl KeyRow {
    /// Whether it works at `now`.
    fn works(&self, now: i64) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }

    /// Whether `hash` is that of this key, in a time that does not depend on how much of it agrees.
    #[must_use]
    pub fn has_hash(&self, hash: &[u8; 32]) -> bool {
        let differs = self.hash.iter().zip(hash).fold(0_u8, |differs, (a, b)| differs | (a ^ b));
        std::hint::black_box(differs) == 0
    }

    /// What the store keeps of a key's text.
    #[must_use]
    pub fn hash_of(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}

impl Store {
    /// Makes a key, which works until `expires` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_key(
        &self,
        role: Role,
        experiment: Option<&str>,
        label: &str,
        now: i64,
        expires: Option<i64>,
    ) -> Result<Key, StoreError> {
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits).map_err(|error| StoreError::Io(format!("no random numbers: {error}")))?;
        let text = format!("{PREFIX}{}", ids::encode(&bits));
        self.inject(Operation::Insert)?;
        self.connection.execute(
            "INSERT INTO keys (role, experiment, label, hash, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (role.name(), experiment, label, &KeyRow::hash_of(&text)[..], now, expires),
        )?;
        Ok(Key { id: self.connection.last_insert_rowid(), text })
    }

    /// Revokes a key; `false` if there is none of this number that works.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn revoke_key(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        self.inject(Operation::Insert)?;
        let changed =
            self.connection.execute("UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL", (id, now))?;
        Ok(changed == 1)
    }

    /// Writes down when keys were last used.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_used(&self, used: &BTreeMap<i64, i64>) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let mut query = self.connection.prepare_cached("UPDATE keys SET used = ?2 WHERE id = ?1")?;
        used.iter().try_for_each(|used| query.execute(used).map(drop))?;
        Ok(())
    }

    /// All keys, also those revoked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached(
            "SELECT id, role, experiment, label, created, revoked, hash, expires, used FROM keys ORDER BY id",
        )?;
        let rows = query.query_map([], |row| Ok(key(row)))?;
        rows.map(|row| row?).collect()
    }

    /// A number that changes whenever another process changes the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.inject(Operation::Read)?;
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}

fn key(row: &Row<'_>) -> Result<KeyRow, StoreError> {
    let (id, role, hash): (i64, String, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(6)?);
    let damaged = || StoreError::Damaged(format!("key {id} of the store is damaged; restore it from a backup"));
    Ok(KeyRow {
        id,
        role: Role::of(&role).ok_or_else(damaged)?,
        experiment: row.get(2)?,
        label: row.get(3)?,
        created: row.get(4)?,
        revoked: row.get(5)?,
        hash: hash.try_into().map_err(|_| damaged())?,
        expires: row.get(7)?,
        used: row.get(8)?,
    })
}

/// The keys of the store, as of now.
#[derive(Debug, Default)]
pub struct Keys {
    known: RwLock<Arc<[KeyRow]>>,
    /// When which were used since that was last written down.
    used: Mutex<BTreeMap<i64, i64>>,
}

impl Keys {
    /// Replaces the keys.
    pub fn set(&self, keys: Vec<KeyRow>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = keys.into();
    }

    /// Which keys were used when, since this was last asked.
    pub fn take_used(&self) -> BTreeMap<i64, i64> {
        std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> Arc<[KeyRow]> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
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
        let found = keys.iter().fold(None, |found, key| if key.has_hash(&hash) { Some(key) } else { found });
        let found = found.filter(|key| key.works(now)).cloned();
        if let Some(key) = &found {
            self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(key.id, now);
        }
        found
    }
}
