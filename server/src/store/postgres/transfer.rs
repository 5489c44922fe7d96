//! Rows as they are, for another database or from one.

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::open::PostgresStore;
use super::session::Value;
use crate::store::StoreError;
use crate::store::transfer::{BATCH_ROWS, Cell, Kind, Table};

/// The entries that belong to one database: its tables, and the secret of its nodes.
const OWN_ENTRIES: &str = "('tables', 'nodes')";

impl PostgresStore {
    /// Gives all rows of a table to `each`, some at a time; within a transaction.
    pub(in crate::store) fn each_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        each: &mut dyn FnMut(Vec<Vec<Cell>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let only = match experiment {
            Some(id) => format!("WHERE experiment = {id}"),
            None if table.name == "meta" => format!("WHERE name NOT IN {OWN_ENTRIES}"),
            None => String::new(),
        };
        let (name, key) = (table.name, table.key);
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|(name, kind)| if *kind == Kind::Whole { format!("{name}::bigint") } else { (*name).to_owned() })
            .collect();
        let columns = columns.join(", ");
        self.session
            .batch(&format!("DECLARE moved NO SCROLL CURSOR FOR SELECT {columns} FROM {name} {only} ORDER BY {key}"))?;
        loop {
            // A prepared statement of a cursor fits one table only.
            let rows = self.session.rows_once(&format!("FETCH {BATCH_ROWS} FROM moved"))?;
            if rows.is_empty() {
                return self.session.batch("CLOSE moved");
            }
            each(rows.iter().map(|row| cells(table, row)).collect())?;
        }
    }

    /// Writes rows as they are.
    pub(in crate::store) fn insert_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        rows: Vec<Vec<Cell>>,
    ) -> Result<(), StoreError> {
        let columns: Vec<Value> = table
            .columns
            .iter()
            .enumerate()
            .map(|(column_index, (_, kind))| column(*kind, &rows, column_index))
            .collect();
        let typed_column = |(column_index, (_, kind)): (usize, &(&str, Kind))| {
            let kind = match kind {
                Kind::Whole => "bigint",
                Kind::Text => "text",
                Kind::Bytes => "bytea",
            };
            format!("${}::{kind}[]", column_index + 1)
        };
        let typed_column: Vec<String> = table.columns.iter().enumerate().map(typed_column).collect();
        let (name, names, typed_column) = (table.name, table.names(), typed_column.join(", "));
        let (of, number) =
            experiment.map_or_else(Default::default, |id| ("experiment, ".to_owned(), format!("{id}, ")));
        let replaced = if name == "meta" { "ON CONFLICT (name) DO UPDATE SET value = excluded.value" } else { "" };
        let sql = format!(
            "INSERT INTO {name} ({of}{names}) SELECT {number}rows.* FROM unnest({typed_column}) AS rows {replaced}"
        );
        let values: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| &**column as &(dyn ToSql + Sync)).collect();
        self.session.execute(&sql, &values).map(drop)
    }

    /// Whether an experiment counts conversions.
    pub(in crate::store) fn converts(&self, experiment: u32) -> Result<bool, StoreError> {
        Ok(self.session.one("SELECT converts FROM experiments WHERE id = $1", &[&(experiment as i32)])?.get(0))
    }

    /// The highest number of an experiment that was ever given out.
    pub(in crate::store) fn last_number(&self) -> Result<u32, StoreError> {
        let sql = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM experiment_numbers";
        Ok(self.session.one(sql, &[])?.get::<_, i64>(0) as u32)
    }

    pub(in crate::store) fn begin_import(&self) -> Result<(), StoreError> {
        self.session.batch("BEGIN")
    }

    pub(in crate::store) fn end_import(&self, is_done: bool) -> Result<(), StoreError> {
        self.session.batch(if is_done { "COMMIT" } else { "ROLLBACK" })
    }

    /// Names an experiment.
    pub(in crate::store) fn import_experiment(&self, id: u32, name: &str, converts: bool) -> Result<(), StoreError> {
        let sql = "INSERT INTO experiments (id, name, converts) VALUES ($1, $2, $3)";
        self.session.execute(sql, &[&(id as i32), &name, &converts]).map(drop)
    }

    /// Sets where each log ends, and continues after the last numbers that were given out.
    pub(in crate::store) fn finish_import(&self, last_number: u32) -> Result<(), StoreError> {
        self.session.batch(include_str!("sql/finish_import.sql"))?;
        if last_number > 0 {
            self.session.one("SELECT setval('experiment_numbers', $1)", &[&i64::from(last_number)])?;
        }
        Ok(())
    }

    /// Refuses a store that servers have open.
    pub(in crate::store) fn check_unused(&self) -> Result<(), StoreError> {
        let sql = "SELECT node FROM nodes WHERE until > clock_timestamp() LIMIT 1";
        match self.session.row(sql, &[])? {
            None => Ok(()),
            Some(_) => Err(StoreError::InUse("the database".to_owned())),
        }
    }
}

fn cells(table: &Table, row: &Row) -> Vec<Cell> {
    let cell = |(at, (_, kind)): (usize, &(&str, Kind))| match kind {
        Kind::Whole => Cell::Whole(row.get(at)),
        Kind::Text => Cell::Text(row.get(at)),
        Kind::Bytes => Cell::Bytes(row.get(at)),
    };
    table.columns.iter().enumerate().map(cell).collect()
}

/// One column of all rows.
fn column(kind: Kind, rows: &[Vec<Cell>], at: usize) -> Value {
    let cells = rows.iter().map(|row| row[at].clone());
    match kind {
        Kind::Whole => {
            Box::new(cells.map(|cell| if let Cell::Whole(one) = cell { one } else { None }).collect::<Vec<_>>())
        }
        Kind::Text => {
            Box::new(cells.map(|cell| if let Cell::Text(one) = cell { one } else { None }).collect::<Vec<_>>())
        }
        Kind::Bytes => {
            Box::new(cells.map(|cell| if let Cell::Bytes(one) = cell { one } else { None }).collect::<Vec<_>>())
        }
    }
}
