//! Keys of callers: 256 random bits, shown once, stored as their SHA-256.

use std::sync::{Arc, PoisonError, RwLock};

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
    hash: [u8; 32],
}

impl std::fmt::Debug for KeyRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyRow({}, {})", self.id, self.role.name())
    }
}

impl KeyRow {
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
    /// Makes a key.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_key(&self, role: Role, experiment: Option<&str>, label: &str, now: i64) -> Result<Key, StoreError> {
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits).map_err(|error| StoreError::Io(format!("no random numbers: {error}")))?;
        let text = format!("{PREFIX}{}", ids::encode(&bits));
        self.inject(Operation::Insert)?;
        self.connection.execute(
            "INSERT INTO keys (role, experiment, label, hash, created) VALUES (?1, ?2, ?3, ?4, ?5)",
            (role.name(), experiment, label, &KeyRow::hash_of(&text)[..], now),
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

    /// All keys, also those revoked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self
            .connection
            .prepare_cached("SELECT id, role, experiment, label, created, revoked, hash FROM keys ORDER BY id")?;
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
    })
}

/// The keys of the store, as of now.
#[derive(Debug, Default)]
pub struct Keys {
    known: RwLock<Arc<[KeyRow]>>,
}

impl Keys {
    /// Replaces the keys.
    pub fn set(&self, keys: Vec<KeyRow>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = keys.into();
    }

    fn now(&self) -> Arc<[KeyRow]> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the store has never had a key. A key that was revoked counts: revoking the last one opens nothing.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.now().is_empty()
    }

    /// The key of this number, unless it was revoked.
    #[must_use]
    pub fn of_id(&self, id: i64) -> Option<KeyRow> {
        self.now().iter().find(|key| key.id == id && key.revoked.is_none()).cloned()
    }

    /// The key with this text. Every key is compared, and each takes the same time.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<KeyRow> {
        let hash = KeyRow::hash_of(text);
        let keys = self.now();
        let found = keys.iter().fold(None, |found, key| if key.has_hash(&hash) { Some(key) } else { found });
        found.filter(|key| key.revoked.is_none()).cloned()
    }
}
