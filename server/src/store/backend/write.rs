//! Writing to a store.

use std::collections::BTreeSet;

use traffic::Marks;

use super::{Backend, Store};
use crate::ids::{NameHash, UnitHash};
use crate::store::{DisplayedPage, NewEvent, ShownDocuments, StoreError, StoredPage};

delegate! {
    /// Begins a transaction; until its end there is no other writer.
    ///
    /// # Errors
    /// If another process has written for longer than five seconds, or the store is broken.
    pub fn begin(&self) -> Result<(), StoreError>;

    /// Names a new experiment, makes its tables, and returns its number; `converts`: whether conversions count.
    ///
    /// # Errors
    /// If there is one of this name, or the store cannot be written.
    pub fn insert_experiment(&self, name: &str, converts: bool) -> Result<u32, StoreError>;

    /// Deletes an experiment and all that there is of it. Its number is never given out again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn delete_experiment(&self, experiment: u32) -> Result<(), StoreError>;

    /// Writes an event.
    ///
    /// # Errors
    /// If the number is taken, or the store cannot be written.
    pub fn insert_event(&self, row: &NewEvent<'_>) -> Result<(), StoreError>;

    /// Forgets the documents of an impression, if it has some. It is recorded that it had some, to distinguish this from a damaged row.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_shown(&self, experiment: u32, impression: u64) -> Result<(), StoreError>;

    /// Numbers a unit.
    ///
    /// # Errors
    /// If the unit is there, or the store cannot be written.
    pub fn insert_unit(&self, experiment: u32, number: u64, hash: &UnitHash) -> Result<(), StoreError>;

    /// Forgets a unit: its number no longer leads to it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_unit(&self, experiment: u32, hash: &UnitHash) -> Result<(), StoreError>;

    /// Writes the marks by which an impression is found again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_marks(&self, experiment: u32, time: i64, impression: u64, marks: Marks) -> Result<(), StoreError>;

    /// Forgets the marks by which an impression is found again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_marks(&self, experiment: u32, impression: u64) -> Result<(), StoreError>;

    /// The same of all impressions up to one; of all if `None`.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_marks_until(&self, experiment: u32, last: Option<u64>) -> Result<(), StoreError>;

    /// Records that a server had the store open at `time` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_alive(&self, time: i64) -> Result<(), StoreError>;

    /// Moves all writes from the log of SQLite to its file, and returns whether that is done: it does not wait for a reader in the way. No
    /// copy of deleted data is left then.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn checkpoint(&self) -> Result<bool, StoreError>;

    /// Writes the write-ahead log once more, as it is, and waits until it is on the disk. No other process writes meanwhile, and readers
    /// find the same bytes.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn rewrite_log(&self) -> Result<(), StoreError>;

    /// Numbers a name of a unit.
    ///
    /// # Errors
    /// If the name is there, or the store cannot be written.
    pub fn insert_name(&self, experiment: u32, unit: u64, hash: &NameHash, number: u32) -> Result<(), StoreError>;

    /// Forgets the names of a unit's orders and documents, if the experiment has such names.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn forget_names(&self, experiment: u32, unit: u64) -> Result<(), StoreError>;
}

impl Store {
    /// Makes the transaction permanent. When this returns, it is on the disk. Answers about the experiments `answered` leave then,
    /// whether or not it has events of them.
    ///
    /// # Errors
    /// If it could not be written. Whether it is there is then unknown: open the store again and look. If another node leads by now,
    /// nothing was written.
    pub fn commit(&self, answered: &BTreeSet<u32>) -> Result<(), StoreError> {
        match &self.0 {
            Backend::Sqlite(store) => store.commit(),
            Backend::Postgres(store) => store.commit(answered),
        }
    }

    /// Writes the documents that an impression mixed, and the hash of the request that brought its lists, if they came later.
    ///
    /// # Errors
    /// If the impression has some, or the store cannot be written.
    pub fn insert_shown(
        &self,
        experiment: u32,
        impression: u64,
        ids: &[String],
        request: Option<u64>,
    ) -> Result<(), StoreError> {
        let shown = StoredPage { mixed: ids.to_vec(), displayed: None, request };
        on!(self, store => store.insert_shown(experiment, impression, &shown))
    }

    /// Writes the displayed page of an impression.
    ///
    /// # Errors
    /// If the store cannot be read or written, or has no documents of the impression.
    pub fn set_displayed(&self, experiment: u32, impression: u64, page: &DisplayedPage) -> Result<(), StoreError> {
        match self.shown(experiment, impression)? {
            ShownDocuments::Shown(shown) => {
                let shown = StoredPage { displayed: Some(page.clone()), ..shown };
                on!(self, store => store.change_shown(experiment, impression, &shown))
            }
            ShownDocuments::Deleted | ShownDocuments::Never => Ok(()),
        }
    }
}
