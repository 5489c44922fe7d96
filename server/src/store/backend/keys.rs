//! Keys of callers, sign-ins, and what was done with them.

use std::collections::BTreeMap;

use super::{Backend, Store};
use crate::store::{Audit, Key, KeyRow, Role, SignIn, StoreError};

delegate! {
    /// Records an action in the audit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn audit(&self, audit: &Audit) -> Result<(), StoreError>;

    /// The audit since a time (milliseconds since 1970), oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn audits(&self, since: i64) -> Result<Vec<Audit>, StoreError>;

    /// Makes a key, which works until `expires` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_key(&self, role: Role, experiment: Option<&str>, label: &str, now: i64, expires: Option<i64>) -> Result<Key, StoreError>;

    /// Revokes a key; `false` if there is none of this number that works.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn revoke_key(&self, id: i64, now: i64) -> Result<bool, StoreError>;

    /// Records when keys were last used.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_used(&self, used: &BTreeMap<i64, i64>) -> Result<(), StoreError>;

    /// All keys, also those revoked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StoreError>;

    /// A number that changes whenever another process changes the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError>;
}

impl Store {
    /// Keeps a sign-in, with a store in a database, and forgets those that have ended at `now` (milliseconds since 1970). A file has one
    /// server, which holds them in memory.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_sign_in(&self, sign_in: &SignIn, now: i64) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(()),
            Backend::Postgres(store) => store.insert_sign_in(sign_in, now),
        }
    }

    /// Forgets the one with this hash.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_sign_in(&self, hash: &[u8; 32]) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(()),
            Backend::Postgres(store) => store.forget_sign_in(hash),
        }
    }

    /// Forgets those that have ended at `now` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_sign_ins_until(&self, now: i64) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(()),
            Backend::Postgres(store) => store.forget_sign_ins_until(now),
        }
    }

    /// The sign-ins; `None` if the store does not keep them.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn sign_ins(&self) -> Result<Option<Vec<SignIn>>, StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(None),
            Backend::Postgres(store) => store.sign_ins().map(Some),
        }
    }
}
