//! Snapshots of experiments, and states of their units.

use traffic::UnitState;

use super::{Backend, Store};
use crate::store::{SnapshotHead, StoreError};

delegate! {
    /// Writes a part of a snapshot after event `n`, from 1.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_part(&self, experiment: u32, n: u64, part: u32, body: &[u8]) -> Result<(), StoreError>;

    /// Writes the state of a unit at the snapshot after event `n`. Keeps its earlier states that are needed from the snapshot `base` on.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_state(&self, experiment: u32, n: u64, state: &UnitState, base: u64) -> Result<(), StoreError>;

    /// Deletes a part of a snapshot before `base`, its head first; whether there was one.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_part(&self, experiment: u32, base: u64) -> Result<bool, StoreError>;

    /// Deletes some of the events up to number `last`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_events(&self, experiment: u32, last: u64, most: u64) -> Result<bool, StoreError>;

    /// Deletes the documents of some of the impressions before `first`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_shown(&self, experiment: u32, first: u64, most: u64) -> Result<bool, StoreError>;

    /// Deletes all snapshots and states of an experiment, if there are any.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn drop_snapshots(&self, experiment: u32) -> Result<(), StoreError>;

    /// Forgets all states of a unit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_states(&self, experiment: u32, number: u64) -> Result<(), StoreError>;
}

impl Store {
    /// The snapshots of an experiment that are whole, in their order.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn snapshots(&self, experiment: u32) -> Result<Vec<SnapshotHead>, StoreError> {
        on!(self, store => store.snapshots(experiment)).map_err(StoreError::in_snapshot)
    }

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// If the store cannot be read, or a part is damaged or missing.
    pub fn snapshot(&self, experiment: u32, head: &SnapshotHead) -> Result<Vec<u8>, StoreError> {
        on!(self, store => store.snapshot(experiment, head)).map_err(StoreError::in_snapshot)
    }

    /// The state of a unit at a snapshot; `None` if it had none.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit_state(&self, experiment: u32, number: u64, snapshot: u64) -> Result<Option<UnitState>, StoreError> {
        on!(self, store => store.unit_state(experiment, number, snapshot)).map_err(StoreError::in_snapshot)
    }

    /// Writes its head: from now on it is whole.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_head(&self, experiment: u32, head: SnapshotHead) -> Result<(), StoreError> {
        self.insert_part(experiment, head.n, 0, &head.body()?)
    }
}
