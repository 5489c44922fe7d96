//! A store from one database into another, row by row: logs stay byte for byte the same, and so do checksums.

use super::{Store, StoreError};

/// A table that is moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
    /// The columns that its rows are ordered by.
    pub(super) key: &'static str,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Whole,
    Text,
    Bytes,
}

/// The value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Whole(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

use Kind::{Bytes, Text, Whole};

/// Tables of a store as a whole. The entry of `meta` that lists the tables is not moved.
pub(super) const SHARED_TABLES: [Table; 3] = [
    Table { name: "meta", columns: &[("name", Text), ("value", Bytes)], key: "name" },
    Table {
        name: "keys",
        columns: &[
            ("id", Whole),
            ("role", Text),
            ("experiment", Text),
            ("label", Text),
            ("hash", Bytes),
            ("created", Whole),
            ("revoked", Whole),
            ("expires", Whole),
            ("used", Whole),
        ],
        key: "id",
    },
    Table {
        name: "audit",
        columns: &[("id", Whole), ("time", Whole), ("who", Text), ("what", Text), ("detail", Text)],
        key: "id",
    },
];

/// Tables of an experiment; the last one only where conversions count.
pub(super) const EXPERIMENT_TABLES: [Table; 7] = [
    Table {
        name: "events",
        columns: &[("n", Whole), ("kind", Whole), ("impression", Whole), ("body", Bytes), ("sum", Whole)],
        key: "n",
    },
    Table {
        name: "shown",
        columns: &[("impression", Whole), ("ids", Text), ("displayed", Text), ("request", Whole), ("sum", Whole)],
        key: "impression",
    },
    Table { name: "units", columns: &[("hash", Bytes), ("number", Whole), ("sum", Whole)], key: "hash" },
    Table {
        name: "marks",
        columns: &[
            ("impression", Whole),
            ("time", Whole),
            ("query", Whole),
            ("key", Whole),
            ("request", Whole),
            ("sum", Whole),
        ],
        key: "impression",
    },
    Table {
        name: "snapshots",
        columns: &[("n", Whole), ("part", Whole), ("body", Bytes), ("sum", Whole)],
        key: "n, part",
    },
    Table {
        name: "states",
        columns: &[("number", Whole), ("n", Whole), ("seen", Whole), ("body", Bytes), ("sum", Whole)],
        key: "number, n",
    },
    Table {
        name: "converted",
        columns: &[("unit", Whole), ("hash", Bytes), ("number", Whole), ("sum", Whole)],
        key: "unit, hash",
    },
];

impl Table {
    /// The names of its columns, as a statement has them.
    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// The number of rows moved at a time.
pub(super) const BATCH_ROWS: usize = 1_000;

impl Store {
    /// Moves all that another store has into this one, which has nothing yet. No server may have either.
    ///
    /// # Errors
    /// If this store has experiments or keys, or either cannot be read or written: then this one is as it was.
    pub fn import(&self, from: &Self) -> Result<(), StoreError> {
        if !self.experiments()?.is_empty() || !self.keys()?.is_empty() {
            return Err(StoreError::Io(
                "the store has experiments or keys already; import into one that is new".to_owned(),
            ));
        }
        from.at_one_moment(|from| {
            self.begin_import()?;
            let done = self.import_all(from);
            // Where it cannot even be undone, the end of the connection does it.
            let ended = self.end_import(done.is_ok());
            done.and(ended)
        })
    }

    fn import_all(&self, from: &Self) -> Result<(), StoreError> {
        for table in &SHARED_TABLES {
            from.each_rows(table, None, &mut |rows| self.insert_rows(table, None, rows))?;
        }
        for (id, name) in from.experiments()? {
            let converts = from.converts(id)?;
            self.import_experiment(id, &name, converts)?;
            let tables =
                if converts { &EXPERIMENT_TABLES[..] } else { &EXPERIMENT_TABLES[..EXPERIMENT_TABLES.len() - 1] };
            for table in tables {
                from.each_rows(table, Some(id), &mut |rows| self.insert_rows(table, Some(id), rows))?;
            }
        }
        self.finish_import(from.last_number()?)
    }
}
