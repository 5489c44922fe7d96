//! The audit: actions and their authors.

use super::SqliteStore;
use crate::store::{Audit, Operation, StoreError};

impl SqliteStore {
    pub(in crate::store) fn audit(&self, audit: &Audit) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let Audit { time, who, what, detail } = audit;
        let sql = "INSERT INTO audit (time, who, what, detail) VALUES (?1, ?2, ?3, ?4)";
        self.connection.prepare_cached(sql)?.execute((time, who, what, detail))?;
        Ok(())
    }

    pub(in crate::store) fn audits(&self, since: i64) -> Result<Vec<Audit>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT time, who, what, detail FROM audit WHERE time >= ?1 ORDER BY id";
        let mut query = self.connection.prepare(sql)?;
        let rows = query.query_map([since], |row| {
            Ok(Audit { time: row.get(0)?, who: row.get(1)?, what: row.get(2)?, detail: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
