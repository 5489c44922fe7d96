//! Keys of callers, sign-ins with them, and the audit.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::open::PostgresStore;
use super::session::Value;
use crate::store::sign_ins::MAX_SIGN_INS;
use crate::store::{Audit, Key, KeyRow, Operation, Role, SignIn, StoreError};

impl PostgresStore {
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
        let sql = "INSERT INTO keys (role, experiment, label, hash, created, expires) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        let hash = KeyRow::hash_of(&text);
        let row = self.session.one(sql, &[&role.name(), &experiment, &label, &&hash[..], &now, &expires])?;
        Ok(Key { id: row.get(0), text })
    }

    pub(in crate::store) fn revoke_key(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        self.inject(Operation::Insert)?;
        let sql = "WITH ended AS (DELETE FROM sign_ins WHERE key = $1)
            UPDATE keys SET revoked = $2 WHERE id = $1 AND revoked IS NULL";
        Ok(self.session.execute(sql, &[&id, &now])? == 1)
    }

    pub(in crate::store) fn set_used(&self, used: &BTreeMap<i64, i64>) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let ids: Vec<i64> = used.keys().copied().collect();
        let times: Vec<i64> = used.values().copied().collect();
        let values: Vec<Value> = vec![Box::new(ids), Box::new(times)];
        self.queue_command(include_str!("sql/set_used.sql"), values)
    }

    pub(in crate::store) fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT id, role, experiment, label, created, revoked, hash, expires, used FROM keys ORDER BY id";
        self.session.rows(sql, &[])?.iter().map(key).collect()
    }

    /// A number that differs whenever keys, secrets or sign-ins have changed since the last call; times of use do not count.
    pub(in crate::store) fn data_version(&self) -> Result<i64, StoreError> {
        self.inject(Operation::Read)?;
        let found: String = self.session.one(include_str!("sql/version.sql"), &[])?.get(0);
        let mut version = self.version.borrow_mut();
        if version.1 != found {
            *version = (version.0 + 1, found);
        }
        Ok(version.0)
    }

    pub(in crate::store) fn insert_sign_in(&self, sign_in: &SignIn, now: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.forget_sign_ins_until(now)?;
        let sql = "DELETE FROM sign_ins WHERE hash IN (SELECT hash FROM sign_ins ORDER BY until DESC OFFSET $1)";
        self.queue_command(sql, vec![Box::new(MAX_SIGN_INS as i64 - 1)])?;
        let SignIn { hash, key, until } = *sign_in;
        let sql = "INSERT INTO sign_ins (hash, key, until) VALUES ($1, $2, $3)";
        self.queue_command(sql, vec![Box::new(hash.to_vec()), Box::new(key), Box::new(until)])
    }

    pub(in crate::store) fn forget_sign_in(&self, hash: &[u8; 32]) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.queue_command("DELETE FROM sign_ins WHERE hash = $1", vec![Box::new(hash.to_vec())])
    }

    pub(in crate::store) fn forget_sign_ins_until(&self, now: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.queue_command("DELETE FROM sign_ins WHERE until <= $1", vec![Box::new(now)])
    }

    pub(in crate::store) fn sign_ins(&self) -> Result<Vec<SignIn>, StoreError> {
        self.inject(Operation::Read)?;
        let rows = self.session.rows("SELECT hash, key, until FROM sign_ins", &[])?;
        let sign_in = |row: &Row| {
            let hash: Vec<u8> = row.get(0);
            let damaged = |_| StoreError::Damaged("a sign-in of the store is damaged; delete it".to_owned());
            Ok(SignIn { hash: hash.try_into().map_err(damaged)?, key: row.get(1), until: row.get(2) })
        };
        rows.iter().map(sign_in).collect()
    }

    pub(in crate::store) fn audits(&self, since: i64) -> Result<Vec<Audit>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT time, who, what, detail FROM audit WHERE time >= $1 ORDER BY id";
        let rows = self.session.rows(sql, &[&since])?;
        let audit = |row: &Row| Audit { time: row.get(0), who: row.get(1), what: row.get(2), detail: row.get(3) };
        Ok(rows.iter().map(audit).collect())
    }
}

fn key(row: &Row) -> Result<KeyRow, StoreError> {
    let (id, role, hash): (i64, String, Vec<u8>) = (row.get(0), row.get(1), row.get(6));
    let damaged = || KeyRow::damaged(id);
    Ok(KeyRow {
        id,
        role: Role::of(&role).ok_or_else(damaged)?,
        experiment: row.get(2),
        label: row.get(3),
        created: row.get(4),
        revoked: row.get(5),
        hash: hash.try_into().map_err(|_| damaged())?,
        expires: row.get(7),
        used: row.get(8),
    })
}
