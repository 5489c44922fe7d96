//! A store, whatever database keeps it.
//!
//! One `match` per operation chooses; nothing is called through a pointer for each row.

use std::path::Path;
use std::sync::Arc;

use super::postgres::PostgresStore;
use super::sqlite::SqliteStore;
use super::{Access, Faults, Location, RotatedSecret, Secrets, StoreError};

/// Does the same with either.
macro_rules! on {
    ($opened:expr, $store:ident => $what:expr) => {
        match &$opened.0 {
            Backend::Sqlite($store) => $what,
            Backend::Postgres($store) => $what,
        }
    };
}

/// Defines operations of a [`Store`] that either database has under the same name.
macro_rules! delegate {
    ($($(#[$docs:meta])* $visibility:vis fn $name:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        impl Store {
            $(
                $(#[$docs])*
                $visibility fn $name(&self $(, $argument: $type)*) -> $result {
                    on!(self, store => store.$name($($argument),*))
                }
            )*
        }
    };
}

mod check;
mod keys;
mod read;
mod snapshots;
mod transfer;
mod write;

/// An open store.
#[derive(Debug)]
pub struct Store(Backend);

/// The database behind it.
#[derive(Debug)]
enum Backend {
    Sqlite(SqliteStore),
    Postgres(Box<PostgresStore>),
}

delegate! {
    /// The secrets of the store.
    ///
    /// # Errors
    /// If one is missing.
    pub fn secrets(&self) -> Result<Secrets, StoreError>;

    /// Sets the salt of positions. Only while no experiment has units: it would move them in and out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_places(&self, salt: &[u8; 32]) -> Result<(), StoreError>;

    /// Replaces the secret of ids or of hashes; the one before counts until then (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn rotate(&self, which: RotatedSecret, until: i64) -> Result<(), StoreError>;

    /// Forgets previous secrets that are expired at `now` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_expired_secrets(&self, now: i64) -> Result<(), StoreError>;
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open(location: impl Into<Location>, access: Access) -> Result<Self, StoreError> {
        Self::open_with(&location.into(), access, None)
    }

    /// Opens a store with some failing operations, for tests.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open_with(location: &Location, access: Access, faults: Option<Arc<dyn Faults>>) -> Result<Self, StoreError> {
        Ok(Self(match location {
            Location::File(path) => Backend::Sqlite(SqliteStore::open(path, access, faults)?),
            Location::Postgres(database) => Backend::Postgres(Box::new(PostgresStore::open(database, access, faults)?)),
        }))
    }

    /// Sets the epoch in which a store in a database writes experiments from now on; every commit is refused once another node leads.
    pub fn lead(&self, epoch: i64) {
        if let Backend::Postgres(store) = &self.0 {
            store.lead(epoch);
        }
    }

    /// Copies the store, as it is at one moment, to a file that must not exist; a server may run meanwhile.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(store) => store.backup(to),
            Backend::Postgres(_) => {
                let (what, instead) = ("a backup", "copy the database with `pg_dump --schema=rankduel`".to_owned());
                Err(StoreError::NeedsFile { what: what.to_owned(), instead })
            }
        }
    }

    /// Does something with the store as it is at one moment, whatever a server writes meanwhile.
    ///
    /// # Errors
    /// If the store cannot be read, and errors of `what`.
    pub fn at_one_moment<T, E: From<StoreError>>(&self, what: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        on!(self, store => store.begin_moment())?;
        let done = what(self);
        // Nothing was written; if it cannot even be ended, later reads report it.
        let ended = on!(self, store => store.end_moment());
        let value = done?;
        ended?;
        Ok(value)
    }

    /// Refuses a store in a database that servers have open; a file has a [lock](crate::store::StoreLock) for that.
    ///
    /// # Errors
    /// If there is such a server, or the database cannot be asked.
    pub fn check_unused(&self) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(()),
            Backend::Postgres(store) => store.check_unused(),
        }
    }
}
