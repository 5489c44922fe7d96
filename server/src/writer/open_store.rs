//! The store and its content.

use std::collections::BTreeMap;

use super::load::{LoadedStore, load};
use super::maintenance::Maintenance;
use super::{LoadError, LoadedExperiment, Options};
use crate::store::{Access, Store, StoreError};

/// The experiment with the next maintenance: writes go before mere reads.
pub(super) fn next_maintenance(loaded: &BTreeMap<u32, LoadedExperiment>) -> Option<u32> {
    let next = |is_next: fn(&Maintenance) -> bool| {
        loaded.iter().find(|(_, loaded)| is_next(&loaded.maintenance)).map(|(id, _)| *id)
    };
    next(Maintenance::is_writing).or_else(|| next(Maintenance::is_due))
}

/// The store and its content.
pub(super) struct OpenStore {
    pub(super) store: Store,
    pub(super) content: LoadedStore,
}

impl OpenStore {
    pub(super) fn new(
        options: &Options,
        epoch: i64,
        damage_found: &BTreeMap<u32, StoreError>,
        events_seen: &BTreeMap<u32, u64>,
    ) -> Result<Self, LoadError> {
        let store = Store::open_with(&options.store, Access::Serve, options.faults.clone())?;
        // The epoch in which this server began to lead, even if another one has begun by now: commits are refused then.
        store.lead(epoch);
        // After a failed `fsync`, the content of a write-ahead log can be read but may not be on the disk, and a second `fsync` proves
        // nothing. Writing it once more does. Readers are not in the way.
        store.rewrite_log()?;
        let checked_units = if options.is_strict { u64::MAX } else { options.checked_units };
        let mut loaded = load(&store, damage_found, checked_units)?;
        loaded.keep_apart(&store, events_seen);
        if let Some(lock) = &options.lock {
            lock.look();
        }
        Ok(Self { store, content: loaded })
    }
}
