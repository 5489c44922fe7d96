//! The experiments by name, for callers that cannot wait for the writer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use traffic::{Config, Experiment, State};

use super::load::Damage;

/// An experiment, as far as it can be known without the writer.
#[derive(Debug)]
pub struct ExperimentHandle {
    /// Its number in the store.
    pub id: u32,
    /// Its settings.
    pub config: Config,
    /// Whether it is killed, by its log.
    is_killed: AtomicBool,
    /// Whether the experiment was killed: all users get the champion. Set before the event is written, and read before anything else.
    is_pulled: AtomicBool,
    /// The author of the kill, and the reason.
    pulled_by: Mutex<(String, String)>,
    /// The damage, if any.
    damage: Option<String>,
    /// The ranker that was shipped, by its place; [`NO_RANKER`] before.
    shipped: AtomicU32,
}

/// No ranker.
const NO_RANKER: u32 = u32::MAX;

impl ExperimentHandle {
    pub(super) fn of(id: u32, experiment: &Experiment) -> Self {
        Self::new(id, experiment.config().clone(), experiment.state())
    }

    fn new(id: u32, config: Config, state: State) -> Self {
        let handle = Self {
            id,
            config,
            is_killed: AtomicBool::default(),
            is_pulled: AtomicBool::default(),
            pulled_by: Mutex::default(),
            damage: None,
            shipped: AtomicU32::new(NO_RANKER),
        };
        handle.set_state(state);
        handle
    }

    pub(super) fn damaged(id: u32, damage: &Damage) -> Self {
        // Without its settings, it has no rankers.
        let unknown = || Config::of(&damage.name, Vec::<String>::new());
        let config = damage.config.clone().unwrap_or_else(unknown);
        Self { damage: Some(damage.why.clone()), ..Self::new(id, config, damage.state) }
    }

    /// The damage, in one sentence. All users get the fallback's list then.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The reason why nothing is mixed at present, independent of the writer.
    #[must_use]
    pub fn halt_reason(&self) -> Option<&'static str> {
        match self {
            one if one.damage.is_some() => Some("damaged"),
            one if one.is_killed() => Some("killed"),
            _ => None,
        }
    }

    /// The name of the ranker that is shown where nothing is mixed: the one that was shipped, or the champion.
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

    /// Whether all users get the champion immediately.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.is_pulled() || self.is_killed.load(Ordering::SeqCst)
    }

    /// Whether the experiment was killed in this process, written or not.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        self.is_pulled.load(Ordering::SeqCst)
    }

    /// Kills the experiment in this process, immediately.
    pub fn pull(&self, who: &str, why: &str) {
        *self.lock_pulled_by() = (who.to_owned(), why.to_owned());
        self.is_pulled.store(true, Ordering::SeqCst);
    }

    /// Takes that back.
    pub fn release(&self) {
        self.is_pulled.store(false, Ordering::SeqCst);
    }

    /// The author of the kill, and the reason, if they are not in the log yet.
    #[must_use]
    pub fn pending_kill(&self) -> Option<(String, String)> {
        (self.is_pulled() && !self.is_killed.load(Ordering::SeqCst)).then(|| self.lock_pulled_by().clone())
    }

    fn lock_pulled_by(&self) -> MutexGuard<'_, (String, String)> {
        self.pulled_by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_state(&self, state: State) {
        // An experiment that has ended at its date meanwhile needs no kill.
        if state.is_over() {
            self.release();
        }
        self.is_killed.store(state == State::Killed, Ordering::SeqCst);
        self.shipped.store(state.shipped().unwrap_or(NO_RANKER), Ordering::SeqCst);
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

    /// Replaces all entries. Killed experiments stay killed.
    pub(super) fn replace(&self, entries: impl IntoIterator<Item = ExperimentHandle>) {
        let mut loaded = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let fresh = entries.into_iter().map(|entry| {
            let name = entry.config.name.clone();
            if let Some(before) = loaded.get(&name).filter(|before| before.is_pulled()) {
                let (who, why) = before.lock_pulled_by().clone();
                entry.pull(&who, &why);
            }
            (name, Arc::new(entry))
        });
        *loaded = Arc::new(fresh.collect());
    }

    /// Adds an entry.
    pub(super) fn add(&self, entry: ExperimentHandle) {
        let mut loaded = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut loaded).insert(entry.config.name.clone(), Arc::new(entry));
    }
}
