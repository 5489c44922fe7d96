//! What a job may do while the writer carries it out.

use std::collections::{BTreeMap, BTreeSet};

use traffic::{Experiment, Refused};

use super::Shared;
use crate::ids::{ImpressionId, UnitHash};
use crate::store::{Displayed, Shown, Store, StoreError, StoredEvent};

/// An experiment in memory: the fold of its log.
#[derive(Debug)]
pub struct Held {
    /// Its state.
    pub experiment: Experiment,
    /// The highest number of a unit.
    pub(super) last_unit: u64,
    /// How many impressions the log has.
    pub(super) asked: u64,
}

/// An impression that a caller is about to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The impression.
    pub of: ImpressionId,
    /// Whether the same request, sent again, gets the same impression.
    pub can_be_asked_again: bool,
}

/// The experiments during a transaction.
pub struct Session<'a> {
    /// The time of the transaction, in milliseconds since 1970.
    pub now: i64,
    /// The most open impressions of an experiment.
    pub open_impressions: usize,
    /// What callers see without the writer.
    pub shared: &'a Shared,
    pub(super) store: &'a Store,
    pub(super) held: &'a mut BTreeMap<u32, Held>,
    /// The experiments that may have events to be written.
    pub(super) touched: BTreeSet<u32>,
    /// The first failure of the store: nothing of the transaction will be kept.
    pub(super) failure: Option<StoreError>,
    /// Whether something personal was deleted.
    pub(super) has_deleted: bool,
    pub(super) offer: Option<Offer>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session(at {})", self.now)
    }
}

impl Session<'_> {
    /// An experiment, advanced to the time of the transaction.
    pub fn experiment(&mut self, id: u32) -> Option<&mut Experiment> {
        let held = self.held.get_mut(&id)?;
        if self.touched.insert(id) {
            held.experiment.advance(self.now);
        }
        Some(&mut held.experiment)
    }

    /// The experiment of an impression. `None` if this store has no such impression: another one of the same number is not meant.
    pub fn experiment_of(&mut self, of: &ImpressionId) -> Option<&mut Experiment> {
        self.experiment(of.experiment).filter(|experiment| experiment.start_of(of.impression) == of.start)
    }

    /// All experiments, as they are.
    pub fn experiments(&self) -> impl Iterator<Item = (u32, &Experiment)> {
        self.held.iter().map(|(&id, held)| (id, &held.experiment))
    }

    /// Says that the answer of this job is an impression: if nobody gets it, it is closed in the next transaction, before
    /// any click of it.
    pub fn offer(&mut self, offer: Offer) {
        self.offer = Some(offer);
    }

    pub(super) fn take_offer(&mut self) -> Option<Offer> {
        self.offer.take()
    }

    /// Adds an experiment, and starts it.
    ///
    /// # Errors
    /// If the policy of this build refuses the settings.
    pub fn create(&mut self, mut experiment: Experiment) -> Result<(), Refused> {
        experiment.started(self.now, self.shared.start)?;
        let name = experiment.config().name.clone();
        if let Some(id) = self.attempt(|store| store.insert_experiment(&name)) {
            self.held.insert(id, Held { experiment, last_unit: 0, asked: 0 });
            self.touched.insert(id);
        }
        Ok(())
    }

    /// The number of a unit; a unit that was never seen gets the next one.
    pub fn unit(&mut self, experiment: u32, hash: &UnitHash) -> Option<u64> {
        if let Some(number) = self.attempt(|store| store.unit(hash))? {
            return Some(number);
        }
        let held = self.held.get_mut(&experiment)?;
        held.last_unit += 1;
        let number = held.last_unit;
        // Until the transaction ends well, the number is used in memory alone.
        self.touched.insert(experiment);
        self.attempt(|store| store.insert_unit(experiment, number, hash))?;
        Some(number)
    }

    /// The number of a unit that will never be seen again.
    pub fn unit_of_its_own(&mut self, experiment: u32) -> Option<u64> {
        let held = self.held.get_mut(&experiment)?;
        held.last_unit += 1;
        let number = held.last_unit;
        self.touched.insert(experiment);
        self.attempt(|store| store.insert_number(experiment, number))?;
        Some(number)
    }

    /// Keeps the documents that an impression mixed, and the hash of the request that brought its lists, if they came later.
    pub fn keep_shown(&mut self, experiment: u32, impression: u64, ids: &[String], request: Option<u64>) {
        self.attempt(|store| store.insert_shown(experiment, impression, ids, request));
    }

    /// Keeps what the page of an impression displayed.
    pub fn keep_displayed(&mut self, experiment: u32, impression: u64, page: &Displayed) {
        self.attempt(|store| store.set_displayed(experiment, impression, page));
    }

    /// The documents of an impression.
    pub fn shown(&mut self, experiment: u32, impression: u64) -> Option<Shown> {
        self.attempt(|store| store.shown(experiment, impression)).flatten()
    }

    /// Forgets whose a unit's number is, and which documents these impressions mixed.
    pub fn forget(&mut self, hash: &UnitHash, experiment: u32, impressions: &[u64]) {
        self.has_deleted = true;
        self.attempt(|store| store.forget_unit(hash));
        for &impression in impressions {
            self.attempt(|store| store.forget_shown(experiment, impression));
        }
    }

    /// Gives the stored events of an experiment after number `after` to `each`.
    pub fn stored_events(
        &mut self,
        experiment: u32,
        after: u64,
        each: impl FnMut(StoredEvent) -> Result<(), StoreError>,
    ) {
        self.attempt(|store| store.events(experiment, after, each));
    }

    /// Does something with the store; after its first failure nothing more, because nothing will be kept.
    fn attempt<T>(&mut self, what: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        if self.failure.is_some() {
            return None;
        }
        what(self.store).map_err(|error| self.failure = Some(error)).ok()
    }
}
