//! What no log of an experiment has, and who did it: deletions, exports, keys, secrets, keys that were refused.

use super::{Operation, Store, StoreError};

/// Something that was done. Never whom it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// Who did it: a key, `local` where none is needed, or `command` on this machine.
    pub who: String,
    /// What, in a word.
    pub what: String,
    /// More about it.
    pub detail: String,
}

impl Store {
    /// Writes down what was done.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn audit(&self, audit: &Audit) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let Audit { time, who, what, detail } = audit;
        let sql = "INSERT INTO audit (time, who, what, detail) VALUES (?1, ?2, ?3, ?4)";
        self.connection.prepare_cached(sql)?.execute((time, who, what, detail))?;
        Ok(())
    }

    /// What was done since a time (milliseconds since 1970), from the first to the last.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn audits(&self, since: i64) -> Result<Vec<Audit>, StoreError> {
        self.inject(Operation::Read)?;
        let sql = "SELECT time, who, what, detail FROM audit WHERE time >= ?1 ORDER BY id";
        let mut query = self.connection.prepare(sql)?;
        let rows = query.query_map([since], |row| {
            Ok(Audit { time: row.get(0)?, who: row.get(1)?, what: row.get(2)?, detail: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
