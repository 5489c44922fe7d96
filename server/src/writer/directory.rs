//! The experiments by name, for callers that cannot wait for the writer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use traffic::{Config, State};

/// An experiment, as far as it can be known without the writer.
#[derive(Debug)]
pub struct ExperimentHandle {
    /// Its number in the store.
    pub id: u32,
    /// Its settings.
    pub config: Config,
    /// Whether it is killed, as its log says.
    is_killed: AtomicBool,
    /// Whether somebody pulled the cord: everybody gets the champion. Set before the event is written, and read before anything
    /// else.
    is_pulled: AtomicBool,
    /// The ranker that was shipped, by its place; [`NONE`] before.
    shipped: AtomicU32,
}

/// No ranker.
const NONE: u32 = u32::MAX;

impl ExperimentHandle {
    pub(super) fn new(id: u32, config: Config, state: State) -> Self {
        let handle = Self {
            id,
            config,
            is_killed: AtomicBool::default(),
            is_pulled: AtomicBool::default(),
            shipped: AtomicU32::new(NONE),
        };
        handle.set_state(state);
        handle
    }

    /// The name of the ranker whose list everybody gets where nothing is mixed: the one that was shipped, or the champion.
    #[must_use]
    pub fn fallback(&self) -> &str {
        self.shipped().or(self.config.champion.as_deref()).unwrap_or("")
    }

    /// The name of the ranker that was shipped.
    #[must_use]
    pub fn shipped(&self) -> Option<&str> {
        let place = self.shipped.load(Ordering::SeqCst);
        self.config.rankers.get(place as usize).map(|ranker| ranker.name.as_str())
    }

    /// Whether everybody gets the champion immediately.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.is_pulled() || self.is_killed.load(Ordering::SeqCst)
    }

    /// Whether somebody killed the experiment in this process, written or not.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        self.is_pulled.load(Ordering::SeqCst)
    }

    /// Kills the experiment in this process, immediately, or takes that back.
    pub fn pull(&self, is_pulled: bool) {
        self.is_pulled.store(is_pulled, Ordering::SeqCst);
    }

    pub(super) fn set_state(&self, state: State) {
        self.is_killed.store(state == State::Killed, Ordering::SeqCst);
        self.shipped.store(state.shipped().unwrap_or(NONE), Ordering::SeqCst);
    }
}

/// All experiments.
#[derive(Debug, Default)]
pub struct Directory {
    entries: RwLock<Arc<BTreeMap<String, Arc<ExperimentHandle>>>>,
}

impl Directory {
    /// All experiments, by name.
    #[must_use]
    pub fn all(&self) -> Arc<BTreeMap<String, Arc<ExperimentHandle>>> {
        Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// An experiment.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<ExperimentHandle>> {
        self.all().get(name).cloned()
    }

    /// An experiment by its number.
    #[must_use]
    pub fn of_id(&self, id: u32) -> Option<Arc<ExperimentHandle>> {
        self.all().values().find(|entry| entry.id == id).cloned()
    }

    /// Replaces all entries. What was pulled stays pulled.
    pub(super) fn replace(&self, entries: impl IntoIterator<Item = ExperimentHandle>) {
        let mut held = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let fresh = entries.into_iter().map(|entry| {
            let name = entry.config.name.clone();
            entry.pull(held.get(&name).is_some_and(|before| before.is_pulled()));
            (name, Arc::new(entry))
        });
        *held = Arc::new(fresh.collect());
    }

    /// Adds an entry.
    pub(super) fn add(&self, entry: ExperimentHandle) {
        let mut held = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut held).insert(entry.config.name.clone(), Arc::new(entry));
    }
}
