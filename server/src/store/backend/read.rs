//! Reading a store.

use traffic::Marks;

use super::{Backend, Store};
use crate::ids::{NameHash, UnitHash};
use crate::store::{ShownDocuments, StoreError, StoredEvent, UnitRow};

delegate! {
    /// All experiments: number and name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn experiments(&self) -> Result<Vec<(u32, String)>, StoreError>;

    /// The number of an experiment's last event; 0 if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_event(&self, experiment: u32) -> Result<u64, StoreError>;

    /// The number of an experiment's first event: 1, unless the beginning was forgotten, or there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn first_event(&self, experiment: u32) -> Result<u64, StoreError>;

    /// The documents of an impression.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn shown(&self, experiment: u32, impression: u64) -> Result<ShownDocuments, StoreError>;

    /// The number of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit(&self, experiment: u32, hash: &UnitHash) -> Result<Option<u64>, StoreError>;

    /// Reads all units of an experiment: a unit with a lost row would count as a new one. `each` sees every one; returns the highest
    /// number.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn check_units(&self, experiment: u32, each: impl FnMut(UnitRow)) -> Result<u64, StoreError>;

    /// All marks of an experiment, in the order of impressions: when it was asked for, its number, and what finds it again.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn marks(&self, experiment: u32) -> Result<Vec<(i64, u64, Marks)>, StoreError>;

    /// The last time when a server had the store open, in milliseconds since 1970, as far as it was recorded.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn alive(&self) -> Result<Option<i64>, StoreError>;

    /// The next units in the order of their hashes, after one.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn units_after(&self, experiment: u32, after: &[u8], most: u64) -> Result<Vec<UnitRow>, StoreError>;

    /// The number of a name of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn name(&self, experiment: u32, unit: u64, hash: &NameHash) -> Result<Option<u32>, StoreError>;

    /// The highest number of a name of a unit; 0 if it has none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_name(&self, experiment: u32, unit: u64) -> Result<u32, StoreError>;

    /// The unit that asked for an impression of an experiment in which conversions count; `None` if that is forgotten.
    ///
    /// # Errors
    /// If the store cannot be read, or the event is damaged.
    pub fn unit_that_asked(&self, experiment: u32, impression: u64) -> Result<Option<u64>, StoreError>;
}

impl Store {
    /// Gives the events of an experiment after number `after` to `each`, in order; those that were forgotten are left out, so that the
    /// first may have any number.
    ///
    /// # Errors
    /// If the store cannot be read, a row is damaged, or a number is missing; and errors of `each`.
    pub fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        on!(self, store => store.events(experiment, after, each))
    }

    /// The bytes of the last event after number `after` that changed the state of an experiment, in a store in a database: nodes that do
    /// not lead read nothing else.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_change(&self, experiment: u32, after: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.0 {
            // A file has one server.
            Backend::Sqlite(_) => Ok(None),
            Backend::Postgres(store) => store.last_change(experiment, after),
        }
    }
}
