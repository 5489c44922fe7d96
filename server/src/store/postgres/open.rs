//! Opening a database, its tables, and its secrets.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::TABLES;
use super::pending::Pending;
use super::recent::Recent;
use super::session::{SCHEMA_NAME, Session};
use crate::store::faults::{Injected, inject};
use crate::store::secrets::{PLACES_SALT, ROTATED_SECRETS, before_name, fresh, replaced, secret};
use crate::store::{Access, Database, Faults, Operation, RotatedSecret, Secrets, StoreError};

/// A lock, held while tables are made or moved, so that two starting servers do not both do it.
const TABLES_LOCK: i64 = 0x524b_444c;

/// The name of the secret by which nodes recognize each other.
pub(super) const NODES_SECRET: &str = "nodes";

/// A store in a database.
#[derive(Debug)]
pub(in crate::store) struct PostgresStore {
    pub(super) session: Session,
    /// The pending writes of the transaction.
    pub(super) pending: RefCell<Pending>,
    /// The rows it wrote and read a moment ago, while it leads.
    pub(super) recent: RefCell<Recent>,
    /// Whether a transaction has begun: otherwise, writes are committed immediately.
    pub(super) is_open: Cell<bool>,
    /// The epoch in which this store may write experiments. Without one, as in a command, it writes none.
    pub(super) epoch: Cell<Option<i64>>,
    /// A number that changes with keys and secrets, and the text it was made of.
    pub(super) version: RefCell<(i64, String)>,
    faults: Injected,
}

/// Whether a database has the tables of a store.
pub(in crate::store) fn is_made(database: &Database) -> Result<bool, StoreError> {
    has_tables(&Session::connect(database, Access::Read)?)
}

fn has_tables(session: &Session) -> Result<bool, StoreError> {
    let sql = "SELECT to_regclass($1::text) IS NOT NULL";
    Ok(session.one(sql, &[&format!("{SCHEMA_NAME}.meta")])?.get(0))
}

impl PostgresStore {
    pub(in crate::store) fn open(
        database: &Database,
        access: Access,
        faults: Option<Arc<dyn Faults>>,
    ) -> Result<Self, StoreError> {
        inject(&faults, Operation::Open)?;
        let session = Session::connect(database, access)?;
        let store = Self {
            session,
            pending: RefCell::default(),
            recent: RefCell::default(),
            is_open: Cell::new(false),
            epoch: Cell::new(None),
            version: RefCell::default(),
            faults,
        };
        if access == Access::Serve {
            store.make_tables()?;
        } else if !has_tables(&store.session)? {
            return Err(StoreError::NoTables(database.to_string()));
        }
        match store.tables()? {
            known if known == TABLES.len() => Ok(store),
            found => Err(StoreError::OtherTables { database: database.to_string(), found, known: TABLES.len() }),
        }
    }

    /// Makes the tables of a new store, or moves those of an earlier version to this build's.
    fn make_tables(&self) -> Result<(), StoreError> {
        let session = &self.session;
        if has_tables(session)? && self.tables()? >= TABLES.len() {
            return Ok(());
        }
        session.batch("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")?;
        session.one("SELECT pg_advisory_xact_lock($1)::text", &[&TABLES_LOCK])?;
        session.batch(&format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA_NAME}"))?;
        let tables_made = if has_tables(session)? { self.tables()? } else { 0 };
        for (version, sql) in TABLES.iter().enumerate().skip(tables_made) {
            session.batch(sql)?;
            self.set_meta("tables", &(version as u32 + 1).to_be_bytes())?;
        }
        if tables_made == 0 {
            for name in ROTATED_SECRETS.into_iter().chain([PLACES_SALT, NODES_SECRET]) {
                self.set_meta(name, &fresh()?)?;
            }
        }
        session.batch("COMMIT")
    }

    /// The version of the tables.
    fn tables(&self) -> Result<usize, StoreError> {
        let found = self.meta("tables")?.and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
        let damaged = || StoreError::Damaged("the store does not say which tables it has; restore it".to_owned());
        found.map(|found| found as usize).ok_or_else(damaged)
    }

    /// Sets the epoch in which this store writes.
    pub(in crate::store) fn lead(&self, epoch: i64) {
        self.epoch.set(Some(epoch));
    }

    pub(super) fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.session.row("SELECT value FROM meta WHERE name = $1", &[&name])?.map(|row| row.get(0)))
    }

    pub(super) fn set_meta(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        self.session.execute(include_str!("sql/set_meta.sql"), &[&name, &value]).map(drop)
    }

    pub(in crate::store) fn secrets(&self) -> Result<Secrets, StoreError> {
        self.inject(Operation::Read)?;
        Secrets::read(|name| self.meta(name))
    }

    pub(in crate::store) fn set_places(&self, salt: &[u8; 32]) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.set_meta(PLACES_SALT, salt)
    }

    pub(in crate::store) fn rotate(&self, which: RotatedSecret, until: i64) -> Result<(), StoreError> {
        let name = which.name();
        self.session.batch("BEGIN; LOCK TABLE meta IN EXCLUSIVE MODE")?;
        for (name, value) in replaced(&secret(|name| self.meta(name), name)?, name, until)? {
            self.set_meta(&name, &value)?;
        }
        self.session.batch("COMMIT")
    }

    pub(in crate::store) fn forget_expired_secrets(&self, now: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        for name in ROTATED_SECRETS {
            if secret(|name| self.meta(name), name)?.previous.is_some_and(|(_, until)| until <= now) {
                self.queue_command("DELETE FROM meta WHERE name = $1", vec![Box::new(before_name(name))])?;
            }
        }
        Ok(())
    }

    pub(super) fn inject(&self, operation: Operation) -> Result<(), StoreError> {
        inject(&self.faults, operation)
    }
}
