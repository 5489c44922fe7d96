//! Rows as they are, for another database or from one.

use rusqlite::types::{Value, ValueRef};

use super::{SqliteStore, schema};
use crate::store::StoreError;
use crate::store::transfer::{BATCH_ROWS, Cell, Kind, Table};

impl SqliteStore {
    fn table_name(table: &Table, experiment: Option<u32>) -> String {
        experiment.map_or_else(|| table.name.to_owned(), |id| format!("{}_{id}", table.name))
    }

    /// Gives all rows of a table to `each`, some at a time.
    pub(in crate::store) fn each_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        each: &mut dyn FnMut(Vec<Vec<Cell>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let name = Self::table_name(table, experiment);
        let sql = format!("SELECT {} FROM {name} ORDER BY {}", table.names(), table.key);
        let mut query = self.connection.prepare(&sql)?;
        let mut rows = query.query([])?;
        let mut batch = Vec::with_capacity(BATCH_ROWS);
        while let Some(row) = rows.next()? {
            let cell = |(at, (_, kind)): (usize, &(&str, Kind))| -> rusqlite::Result<Cell> {
                Ok(match kind {
                    Kind::Whole => Cell::Whole(row.get(at)?),
                    Kind::Text => Cell::Text(row.get(at)?),
                    Kind::Bytes => Cell::Bytes(match row.get_ref(at)? {
                        ValueRef::Null => None,
                        found => Some(found.as_blob()?.to_vec()),
                    }),
                })
            };
            batch.push(table.columns.iter().enumerate().map(cell).collect::<rusqlite::Result<Vec<Cell>>>()?);
            if batch.len() == BATCH_ROWS {
                each(std::mem::take(&mut batch))?;
            }
        }
        if batch.is_empty() { Ok(()) } else { each(batch) }
    }

    /// Writes rows as they are.
    pub(in crate::store) fn insert_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        rows: Vec<Vec<Cell>>,
    ) -> Result<(), StoreError> {
        let name = Self::table_name(table, experiment);
        let places = vec!["?"; table.columns.len()].join(", ");
        let sql = format!("INSERT OR REPLACE INTO {name} ({}) VALUES ({places})", table.names());
        let mut query = self.connection.prepare_cached(&sql)?;
        for row in rows {
            let values = row.into_iter().map(|cell| match cell {
                Cell::Whole(Some(value)) => Value::Integer(value),
                Cell::Text(Some(text)) => Value::Text(text),
                Cell::Bytes(Some(bytes)) => Value::Blob(bytes),
                Cell::Whole(None) | Cell::Text(None) | Cell::Bytes(None) => Value::Null,
            });
            query.execute(rusqlite::params_from_iter(values))?;
        }
        Ok(())
    }

    /// Whether an experiment counts conversions.
    pub(in crate::store) fn converts(&self, experiment: u32) -> Result<bool, StoreError> {
        self.has_names(experiment)
    }

    /// The highest number of an experiment that was ever given out.
    pub(in crate::store) fn last_number(&self) -> Result<u32, StoreError> {
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'experiments'";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    pub(in crate::store) fn begin_import(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("BEGIN IMMEDIATE")?)
    }

    pub(in crate::store) fn end_import(&self, is_done: bool) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch(if is_done { "COMMIT" } else { "ROLLBACK" })?)
    }

    /// Names an experiment, and makes its tables.
    pub(in crate::store) fn import_experiment(&self, id: u32, name: &str, converts: bool) -> Result<(), StoreError> {
        self.connection.execute("INSERT INTO experiments (id, name) VALUES (?1, ?2)", (id, name))?;
        self.connection.execute_batch(&schema::tables_of(id))?;
        if converts {
            self.connection.execute_batch(&schema::conversions_of(id))?;
        }
        Ok(())
    }

    /// Goes on with numbers of experiments after the last one that was given out.
    pub(in crate::store) fn finish_import(&self, last_number: u32) -> Result<(), StoreError> {
        let sql = "DELETE FROM sqlite_sequence WHERE name = 'experiments'";
        self.connection.execute(sql, [])?;
        let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES ('experiments', ?1)";
        self.connection.execute(sql, [last_number])?;
        Ok(())
    }
}
