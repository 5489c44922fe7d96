//! Copying a store into another one, table by table.

use super::{Backend, Store};
use crate::store::StoreError;
use crate::store::transfer::{Cell, Table};

impl Store {
    /// Gives all rows of a table to `each`, some at a time.
    pub(in crate::store) fn each_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        each: &mut dyn FnMut(Vec<Vec<Cell>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        on!(self, store => store.each_rows(table, experiment, each))
    }

    /// Writes rows as they are.
    pub(in crate::store) fn insert_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        rows: Vec<Vec<Cell>>,
    ) -> Result<(), StoreError> {
        on!(self, store => store.insert_rows(table, experiment, rows))
    }

    /// Whether an experiment counts conversions.
    pub(in crate::store) fn converts(&self, experiment: u32) -> Result<bool, StoreError> {
        on!(self, store => store.converts(experiment))
    }

    /// The highest number of an experiment that was ever given out.
    pub(in crate::store) fn last_number(&self) -> Result<u32, StoreError> {
        on!(self, store => store.last_number())
    }

    pub(in crate::store) fn begin_import(&self) -> Result<(), StoreError> {
        on!(self, store => store.begin_import())
    }

    pub(in crate::store) fn end_import(&self, is_done: bool) -> Result<(), StoreError> {
        on!(self, store => store.end_import(is_done))
    }

    pub(in crate::store) fn import_experiment(&self, id: u32, name: &str, converts: bool) -> Result<(), StoreError> {
        on!(self, store => store.import_experiment(id, name, converts))
    }

    pub(in crate::store) fn finish_import(&self, last_number: u32) -> Result<(), StoreError> {
        on!(self, store => store.finish_import(last_number))
    }
}
