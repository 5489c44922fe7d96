//! Copying a store into another one, table by table.

use super::{Backend, Store};
use crate::store::StoreError;
use crate::store::transfer::{Cell, Table};

delegate! {
    /// Gives all rows of a table to `each`, some at a time.
    pub(in crate::store) fn each_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        each: &mut dyn FnMut(Vec<Vec<Cell>>) -> Result<(), StoreError>
    ) -> Result<(), StoreError>;

    /// Writes rows as they are.
    pub(in crate::store) fn insert_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        rows: Vec<Vec<Cell>>
    ) -> Result<(), StoreError>;

    /// Whether an experiment counts conversions.
    pub(in crate::store) fn converts(&self, experiment: u32) -> Result<bool, StoreError>;

    /// The highest number of an experiment that was ever given out.
    pub(in crate::store) fn last_number(&self) -> Result<u32, StoreError>;

    pub(in crate::store) fn begin_import(&self) -> Result<(), StoreError>;

    pub(in crate::store) fn end_import(&self, is_done: bool) -> Result<(), StoreError>;

    pub(in crate::store) fn import_experiment(&self, id: u32, name: &str, converts: bool) -> Result<(), StoreError>;

    pub(in crate::store) fn finish_import(&self, last_number: u32) -> Result<(), StoreError>;
}
