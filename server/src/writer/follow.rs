//! The state of experiments on a server that does not lead: enough to answer with the list of their fallback.

use std::collections::{BTreeMap, BTreeSet};

use traffic::{Event, RecordedEvent};

use super::load::fold_rest;
use super::{ExperimentHandle, LoadError, Options, Shared};
use crate::store::{Access, Store, StoreError};

/// The position up to which the experiments of a store were read.
#[derive(Default)]
pub(super) struct Follower {
    /// Absent until it can be opened.
    store: Option<Store>,
    /// The last event of each that was looked at.
    events_seen: BTreeMap<u32, u64>,
    data_version: Option<i64>,
}

impl Follower {
    pub(super) fn of(store: Store) -> Self {
        Self { store: Some(store), ..Self::default() }
    }

    /// Reads changes, and opens the store again where that failed.
    pub(super) fn follow(&mut self, options: &Options, shared: &Shared) -> Result<(), LoadError> {
        if self.store.is_none() {
            self.store = Some(Store::open_with(&options.store, Access::Serve, options.faults.clone())?);
        }
        let looked = self.look(shared);
        if looked.is_err() {
            self.store = None;
        }
        looked
    }

    /// Notes the last event of each experiment ever seen; experiments deleted by another server are forgotten.
    pub(super) fn note_seen(&self, all: &mut BTreeMap<u32, u64>) {
        all.retain(|id, _| self.events_seen.contains_key(id));
        for (&id, &last) in &self.events_seen {
            let most = all.entry(id).or_insert(last);
            *most = last.max(*most);
        }
    }

    /// Reads changes.
    pub(super) fn look(&mut self, shared: &Shared) -> Result<(), LoadError> {
        let Some(store) = &self.store else { return Ok(()) };
        let version = store.data_version()?;
        if self.data_version != Some(version) {
            shared.read_keys(store)?;
            self.data_version = Some(version);
        }
        let names_by_id: BTreeMap<u32, String> = store.experiments()?.into_iter().collect();
        let known: BTreeSet<u32> = shared.directory.all().values().map(|entry| entry.id).collect();
        if known.iter().any(|id| !names_by_id.contains_key(id)) {
            // The others are read again.
            shared.directory.replace([]);
            self.events_seen.clear();
        }
        for (id, name) in names_by_id {
            let last = store.last_event(id)?;
            match (shared.directory.of_id(id), self.events_seen.get(&id)) {
                (Some(_), Some(&seen)) if seen == last => {}
                (Some(entry), Some(&seen)) => {
                    if let Some(changed) = store.last_change(id, seen)?
                        && let Ok(Event::Changed { state, .. }) =
                            RecordedEvent::read(changed).map(RecordedEvent::into_event)
                    {
                        entry.set_state(state);
                    }
                }
                _ => shared.directory.add(read(store, id, &name)?),
            }
            self.events_seen.insert(id, last);
        }
        shared.metrics.experiments.set(self.events_seen.len() as u64);
        Ok(())
    }
}

/// An experiment, as its log has it now.
fn read(store: &Store, id: u32, name: &str) -> Result<ExperimentHandle, LoadError> {
    match fold_rest(store, id, name, false) {
        Ok((folded, _)) => Ok(ExperimentHandle::of(id, &folded.experiment)),
        Err(LoadError::Store(error)) if error.experiment().is_none() => Err(error.into()),
        Err(error) => Ok(ExperimentHandle::damaged(id, &super::load::damage(store, id, name, error.to_string()))),
    }
}

impl Shared {
    /// Reads keys, secrets and sign-ins of the store.
    pub(super) fn read_keys(&self, store: &Store) -> Result<(), StoreError> {
        self.keys.set(store.keys()?);
        let secrets = store.secrets()?;
        self.signer.set(&secrets.ids);
        self.hashes.set(&secrets.hashes);
        self.read_sign_ins(store)
    }

    /// Reads the sign-ins, if the store keeps them.
    pub(super) fn read_sign_ins(&self, store: &Store) -> Result<(), StoreError> {
        if let Some(all) = store.sign_ins()? {
            self.sign_ins.set(all);
        }
        Ok(())
    }
}
