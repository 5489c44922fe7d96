//! Keys of callers.

use std::collections::BTreeMap;

use rusqlite::Row;

use super::SqliteStore;
use crate::store::{Key, KeyRow, Operation, Role, StoreError};

impl SqliteStore {
    pub(in crate::store) fn add_key(
        &self,
        role: Role,
        experiment: Option<&str>,
        label: &str,
        now: i64,
        expires: Option<i64>,
    ) -> Result<Key, StoreError> {
        let text = Key::fresh_text()?;
        self.inject(Operation::Insert)?;
        self.connection.execute(
            "INSERT INTO keys (role, experiment, label, hash, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (role.name(), experiment, label, &KeyRow::hash_of(&text)[..], now, expires),
        )?;
        Ok(Key { id: self.connection.last_insert_rowid(), text })
    }

    pub(in crate::store) fn revoke_key(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        self.inject(Operation::Insert)?;
        let changed =
            self.connection.execute("UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL", (id, now))?;
        Ok(changed == 1)
    }

    pub(in crate::store) fn set_used(&self, used: &BTreeMap<i64, i64>) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let mut query = self.connection.prepare_cached("UPDATE keys SET used = ?2 WHERE id = ?1")?;
        used.iter().try_for_each(|used| query.execute(used).map(drop))?;
        Ok(())
    }

    pub(in crate::store) fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        self.inject(Operation::Read)?;
        let mut query = self.connection.prepare_cached(
            "SELECT id, role, experiment, label, created, revoked, hash, expires, used FROM keys ORDER BY id",
        )?;
        let rows = query.query_map([], |row| Ok(key(row)))?;
        rows.map(|row| row?).collect()
    }

    pub(in crate::store) fn data_version(&self) -> Result<i64, StoreError> {
        self.inject(Operation::Read)?;
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}

fn key(row: &Row<'_>) -> Result<KeyRow, StoreError> {
    let (id, role, hash): (i64, String, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(6)?);
    let damaged = || KeyRow::damaged(id);
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
