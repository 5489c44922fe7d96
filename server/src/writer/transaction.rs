//! The operations of a job while the writer carries it out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use traffic::{CommandError, Experiment, Marks};

use super::Shared;
use super::load::Damage;
use super::maintenance::{Maintenance, fetch};
use crate::ids::{ImpressionId, NameHash, UnitHash, UnitHashes};
use crate::store::{Audit, DisplayedPage, ShownDocuments, SignIn, Store, StoreError, StoredEvent, StoredPage};

/// An experiment in memory: the fold of its log.
#[derive(Debug)]
pub struct LoadedExperiment {
    /// Its state.
    pub experiment: Experiment,
    /// The highest number of a unit.
    pub(super) last_unit: u64,
    /// The number of impressions in the log.
    pub(super) requests: u64,
    /// The last impression with forgotten marks.
    pub(super) forgotten: u64,
    /// Snapshots, and the remaining deletions.
    pub(super) maintenance: Maintenance,
}

/// An impression that a caller is about to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndeliveredImpression {
    /// The impression.
    pub id: ImpressionId,
    /// Whether the same request, sent again, gets the same impression.
    pub can_be_asked_again: bool,
}

/// The experiments during a transaction.
pub struct Transaction<'a> {
    /// The time of the transaction, in milliseconds since 1970.
    pub now: i64,
    /// The most open impressions of an experiment.
    pub open_impressions: usize,
    /// The state that callers see without the writer.
    pub shared: &'a Shared,
    pub(super) store: &'a Store,
    pub(super) experiments: &'a mut BTreeMap<u32, LoadedExperiment>,
    pub(super) damaged: &'a BTreeMap<u32, Damage>,
    /// The experiments that may have events to be written.
    pub(super) touched: BTreeSet<u32>,
    /// The first failure of the store: nothing of the transaction will be kept.
    pub(super) failure: Option<StoreError>,
    /// Whether something personal was deleted.
    pub(super) has_deleted: bool,
    /// The experiments that were deleted.
    pub(super) deleted: BTreeSet<u32>,
    /// Whether something must be written though nothing happened.
    pub(super) must_write: bool,
    pub(super) offer: Option<UndeliveredImpression>,
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transaction(at {})", self.now)
    }
}

impl Transaction<'_> {
    /// An experiment, advanced to the time of the transaction.
    pub fn experiment(&mut self, id: u32) -> Option<&mut Experiment> {
        let loaded = self.experiments.get_mut(&id)?;
        if self.touched.insert(id) {
            loaded.experiment.advance(self.now);
        }
        Some(&mut loaded.experiment)
    }

    /// The experiment of an impression. `None` if this store has no such impression, or another one with the same number.
    pub fn experiment_of(&mut self, of: &ImpressionId) -> Option<&mut Experiment> {
        self.experiment(of.experiment).filter(|experiment| experiment.start_number(of.impression) == of.start)
    }

    /// An experiment, as it is.
    #[must_use]
    pub fn known(&self, id: u32) -> Option<&Experiment> {
        self.experiments.get(&id).map(|loaded| &loaded.experiment)
    }

    /// Deletes an experiment with all that the store has of it.
    pub fn delete(&mut self, id: u32) {
        (self.has_deleted, self.must_write) = (true, true);
        if self.attempt(|store| store.delete_experiment(id)).is_some() {
            self.deleted.insert(id);
        }
    }

    /// All experiments, as they are.
    pub fn experiments(&self) -> impl Iterator<Item = (u32, &Experiment)> {
        self.experiments.iter().map(|(&id, loaded)| (id, &loaded.experiment))
    }

    /// The damaged experiments.
    pub fn damaged(&self) -> &BTreeMap<u32, Damage> {
        self.damaged
    }

    /// Makes the transaction write something, so that its commit shows whether writing is possible.
    pub fn must_write(&mut self) {
        self.must_write = true;
    }

    /// Forgets in the store the marks that an experiment has forgotten.
    pub(super) fn forget_old_marks(&mut self, experiment: u32) {
        let Some(loaded) = self.experiments.get_mut(&experiment) else { return };
        let last = loaded.experiment.forgotten_marks();
        if std::mem::replace(&mut loaded.forgotten, last) < last {
            self.attempt(|store| store.forget_marks_until(experiment, Some(last)));
        }
    }

    /// Begins to delete data that an experiment no longer keeps, unless such work is in progress.
    pub(super) fn forget_days(&mut self, experiment: u32) {
        let now = self.now;
        if let Some(loaded) = self.experiments.get_mut(&experiment).filter(|loaded| !loaded.maintenance.is_writing()) {
            loaded.forget_days(now);
        }
    }

    /// Marks the answer of this job as an impression: if it is not delivered, it is closed in the next transaction, before any click of it.
    pub fn offer(&mut self, offer: UndeliveredImpression) {
        self.offer = Some(offer);
    }

    pub(super) fn take_offer(&mut self) -> Option<UndeliveredImpression> {
        self.offer.take()
    }

    /// Adds an experiment, and starts it.
    ///
    /// # Errors
    /// If the policy of this build refuses the settings.
    pub fn create(&mut self, mut experiment: Experiment) -> Result<(), CommandError> {
        experiment.note_start(self.now, self.shared.start.load(Ordering::SeqCst))?;
        let name = experiment.config().name.clone();
        let converts = experiment.config().outcomes.is_some();
        if let Some(id) = self.attempt(|store| store.insert_experiment(&name, converts)) {
            self.experiments.insert(
                id,
                LoadedExperiment {
                    experiment,
                    last_unit: 0,
                    requests: 0,
                    forgotten: 0,
                    maintenance: Maintenance::default(),
                },
            );
            self.touched.insert(id);
        }
        Ok(())
    }

    /// The number of a unit; a new unit gets the next one. Brings the fold's state of it into memory.
    pub fn unit(&mut self, experiment: u32, unit: &UnitHashes) -> Option<u64> {
        let number = self.number_of(experiment, unit)?;
        self.fetch(experiment, number).then_some(number)
    }

    /// The number of a unit that was seen before.
    pub fn known_unit(&mut self, experiment: u32, unit: &UnitHashes) -> Option<u64> {
        let all = std::iter::once(unit.current).chain(unit.previous);
        let mut numbers = all.map(|hash| self.attempt(|store| store.unit(experiment, &hash)).flatten());
        numbers.find_map(|number| number)
    }

    /// The unit that asked for an impression, if conversions count there.
    pub fn unit_that_asked(&mut self, experiment: u32, impression: u64) -> Option<u64> {
        let open = self.known(experiment).and_then(|known| known.open_unit(impression));
        open.or_else(|| self.attempt(|store| store.unit_that_asked(experiment, impression)).flatten())
    }

    /// Brings the fold's state of a unit into memory; `false` if the store failed.
    pub fn fetch(&mut self, experiment: u32, number: u64) -> bool {
        if self.failure.is_some() {
            return false;
        }
        let Self { store, experiments: loaded, failure, .. } = self;
        let Some(loaded) = loaded.get_mut(&experiment) else { return false };
        let fetched = fetch(store, experiment, &mut loaded.experiment, number, loaded.maintenance.states_at());
        fetched.map_err(|error| *failure = Some(error)).is_ok()
    }

    /// The number of a name of a unit; the next one, and `true`, if it is new.
    pub fn name(&mut self, experiment: u32, unit: u64, hash: &NameHash) -> Option<(u32, bool)> {
        match self.attempt(|store| store.name(experiment, unit, hash))? {
            Some(number) => Some((number, false)),
            None => Some((self.attempt(|store| store.last_name(experiment, unit))? + 1, true)),
        }
    }

    /// Keeps the number of a name of a unit.
    pub fn keep_name(&mut self, experiment: u32, unit: u64, hash: &NameHash, number: u32) {
        self.attempt(|store| store.insert_name(experiment, unit, hash, number));
    }

    fn number_of(&mut self, experiment: u32, unit: &UnitHashes) -> Option<u64> {
        if let Some(number) = self.attempt(|store| store.unit(experiment, &unit.current))? {
            return Some(number);
        }
        // A unit known by the previous secret is from now on known by the current one.
        if let Some(before) = &unit.previous
            && let Some(number) = self.attempt(|store| store.unit(experiment, before))?
        {
            self.attempt(|store| store.forget_unit(experiment, before))?;
            self.attempt(|store| store.insert_unit(experiment, number, &unit.current))?;
            return Some(number);
        }
        let number = self.unit_of_its_own(experiment)?;
        self.attempt(|store| store.insert_unit(experiment, number, &unit.current))?;
        Some(number)
    }

    /// Takes the number of a unit back if it has not asked for an impression: a number belongs to one that has.
    pub fn unnumber(&mut self, experiment: u32, unit: u64, hashes: &UnitHashes) {
        let has_asked = self.experiments.get(&experiment).is_none_or(|loaded| unit <= loaded.experiment.last_unit());
        if !has_asked {
            self.attempt(|store| store.forget_unit(experiment, &hashes.current));
        }
    }

    /// Records an action in the audit.
    pub fn audit(&mut self, who: &str, what: &str, detail: &str) {
        let [who, what, detail] = [who, what, detail].map(str::to_owned);
        let audit = Audit { time: self.now, who, what, detail };
        self.attempt(|store| store.audit(&audit));
    }

    /// Keeps who signed in, in a store that does.
    pub fn keep_sign_in(&mut self, sign_in: SignIn) {
        let now = self.now;
        self.attempt(|store| store.insert_sign_in(&sign_in, now));
    }

    /// Forgets who signed in.
    pub fn forget_sign_in(&mut self, hash: [u8; 32]) {
        self.attempt(|store| store.forget_sign_in(&hash));
    }

    /// The number of a unit that will never be seen again.
    pub fn unit_of_its_own(&mut self, experiment: u32) -> Option<u64> {
        let loaded = self.experiments.get_mut(&experiment)?;
        // Until the transaction ends well, the number is used in memory alone.
        loaded.last_unit += 1;
        self.touched.insert(experiment);
        Some(loaded.last_unit)
    }

    /// Keeps the documents that an impression mixed, and the hash of the request that brought its lists, if they came later.
    pub fn keep_shown(&mut self, experiment: u32, impression: u64, ids: &[String], request: Option<u64>) {
        self.attempt(|store| store.insert_shown(experiment, impression, ids, request));
    }

    /// Keeps the displayed page of an impression.
    pub fn keep_displayed(&mut self, experiment: u32, impression: u64, page: &DisplayedPage) {
        self.attempt(|store| store.set_displayed(experiment, impression, page));
    }

    /// Keeps the marks by which an impression is found, as long as its experiment remembers it.
    pub fn keep_marks(&mut self, experiment: u32, impression: u64, marks: Marks) {
        let time = self.now;
        if !marks.are_none() {
            self.attempt(|store| store.insert_marks(experiment, time, impression, marks));
        }
    }

    /// The documents of an impression; `None` if it has none, or they were deleted.
    pub fn shown(&mut self, experiment: u32, impression: u64) -> Option<StoredPage> {
        // A damaged experiment is not read again.
        self.experiments.get(&experiment)?;
        match self.attempt(|store| store.shown(experiment, impression))? {
            ShownDocuments::Shown(shown) => Some(shown),
            ShownDocuments::Deleted => None,
            ShownDocuments::Never => {
                let loaded = self.experiments.get(&experiment)?;
                if loaded.experiment.shows_documents(impression) {
                    let place = format!("the documents of impression {impression}");
                    let what = "they are not there".to_owned();
                    self.failure.get_or_insert(StoreError::Row { experiment, place, what });
                }
                None
            }
        }
    }

    /// Forgets the unit behind a number, the mixed documents of these impressions, and the marks by which they are found.
    pub fn forget(&mut self, experiment: u32, hash: &UnitHash, impressions: &[u64]) {
        self.has_deleted = true;
        let forgotten = self.attempt(|store| {
            let forgotten = forget(store, experiment, hash, impressions);
            // In a damaged experiment, as much as possible; not all impressions of the unit may be known.
            if self.damaged.contains_key(&experiment) {
                let forgotten = forgotten.and_then(|()| store.forget_marks_until(experiment, None));
                return forgotten.or_else(|error| if error.experiment().is_some() { Ok(()) } else { Err(error) });
            }
            forgotten
        });
        if let (Some(()), Some(loaded)) = (forgotten, self.experiments.get_mut(&experiment)) {
            loaded.experiment.forget_marks(impressions);
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

    /// Does something with the store; after the first failure it does nothing more, because nothing will be kept.
    pub(super) fn attempt<T>(&mut self, what: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        if self.failure.is_some() {
            return None;
        }
        what(self.store).map_err(|error| self.failure = Some(error)).ok()
    }
}

fn forget(store: &Store, experiment: u32, hash: &UnitHash, impressions: &[u64]) -> Result<(), StoreError> {
    if let Some(unit) = store.unit(experiment, hash)? {
        store.forget_names(experiment, unit)?;
    }
    store.forget_unit(experiment, hash)?;
    for &impression in impressions {
        store.forget_shown(experiment, impression)?;
        store.forget_marks(experiment, impression)?;
    }
    Ok(())
}
