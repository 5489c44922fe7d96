//! From the store to experiments in memory.

use std::collections::BTreeMap;

use traffic::{Config, Event, Experiment, Recorded, State};

use super::Held;
use crate::store::{Store, StoreError};

/// Milliseconds of a day.
pub const DAY: i64 = 24 * 60 * 60 * 1000;

/// Why the experiments of a store cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The store cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An event cannot be read or does not follow from those before it.
    #[error("event {n} of experiment {experiment:?} cannot be used: {message}; restore the store from a backup")]
    Event {
        /// The experiment's name.
        experiment: String,
        /// The event's number.
        n: u64,
        /// What is wrong.
        message: String,
    },
    /// Something of an experiment is damaged, and no damage is accepted.
    #[error("{0}; without --strict, the other experiments are served")]
    Strict(String),
    /// The experiment has no event.
    #[error("experiment {0:?} has no events; restore the store from a backup")]
    Empty(String),
    /// The policy of this build refuses the settings, which another one accepted.
    #[error("experiment {experiment:?}: {message}; use the rankduel-server that wrote the store")]
    Refused {
        /// The experiment's name.
        experiment: String,
        /// Why.
        message: String,
    },
    /// The clock differs much from the last event.
    #[error("{0}")]
    Time(String),
}

/// An experiment, folded from its log.
#[derive(Debug)]
pub struct FoldedLog {
    /// Its state.
    pub experiment: Experiment,
    /// How many events were folded.
    pub events: u64,
    /// How many of them ask for an impression.
    pub asked: u64,
}

/// Numbers the impressions that events ask for: the log does not repeat what follows from it.
pub(super) fn impression_of(event: &Event, asked: &mut u64) -> Option<u64> {
    if let Event::Asked { .. } = event {
        *asked += 1;
        return Some(*asked);
    }
    event.impression()
}

/// An event of a log, before it is folded.
#[derive(Debug, Clone, Copy)]
pub struct Next<'a> {
    /// Its number.
    pub n: u64,
    /// The event.
    pub event: &'a Event,
    /// The experiment until then; `None` at the first event.
    pub experiment: Option<&'a Experiment>,
}

/// Folds the log of an experiment from its first event. `each` sees every event before it is folded.
///
/// # Errors
/// If an event is missing, cannot be read, or does not follow from those before it.
pub fn fold(store: &Store, id: u32, name: &str, each: impl FnMut(Next<'_>)) -> Result<FoldedLog, LoadError> {
    fold_after(store, id, name, None, each)
}

/// The same after the state of a snapshot.
fn fold_after(
    store: &Store,
    id: u32,
    name: &str,
    begun: Option<Experiment>,
    mut each: impl FnMut(Next<'_>),
) -> Result<FoldedLog, LoadError> {
    let mut folded = begun;
    let (mut events, mut asked) =
        folded.as_ref().map_or((0, 0), |experiment| (experiment.position().0, experiment.fates().asked));
    store.events(id, events, |stored| -> Result<(), LoadError> {
        let wrong = |message: String| LoadError::Event { experiment: name.to_owned(), n: stored.n, message };
        let recorded = Recorded::read(stored.body).map_err(|error| wrong(error.to_string()))?;
        let event = recorded.event();
        let impression = impression_of(event, &mut asked);
        if stored.kind != event.kind() || stored.impression != impression {
            return Err(wrong("its columns `kind` and `impression` are not those of its body".to_owned()));
        }
        each(Next { n: stored.n, event, experiment: folded.as_ref() });
        match &mut folded {
            None => folded = Some(Experiment::begin(&recorded).map_err(|error| wrong(error.to_string()))?),
            Some(experiment) => experiment.fold(&recorded).map_err(|error| wrong(error.to_string()))?,
        }
        events = stored.n;
        Ok(())
    })?;
    let mut experiment = folded.ok_or_else(|| LoadError::Empty(name.to_owned()))?;
    if experiment.config().name != name {
        let message = format!("it was written for experiment {:?}", experiment.config().name);
        return Err(LoadError::Event { experiment: name.to_owned(), n: 1, message });
    }
    // What was folded is in the store already.
    let _ = experiment.take_events();
    Ok(FoldedLog { experiment, events, asked })
}

/// Folds the log of an experiment from its first event, and compares its snapshot, if it has one, with the state there.
///
/// # Errors
/// If the log cannot be folded, or its state there is another.
pub fn check_log(store: &Store, id: u32, name: &str) -> Result<FoldedLog, LoadError> {
    let kept = store.snapshot(id)?;
    let at = kept.as_ref().map(|(at, _)| *at);
    let mut found = None;
    let folded = fold(store, id, name, |next| {
        if at.is_some_and(|at| next.n == at + 1) {
            found = next.experiment.map(Experiment::snapshot);
        }
    })?;
    let Some((at, bytes)) = kept else { return Ok(folded) };
    if folded.events == at {
        found = Some(folded.experiment.snapshot());
    }
    if found.is_some_and(|found| found.bytes == bytes) {
        return Ok(folded);
    }
    let message = "the snapshot after it has another state than its log".to_owned();
    Err(LoadError::Event { experiment: name.to_owned(), n: at, message })
}

/// An experiment that cannot be served: something of it is damaged.
#[derive(Debug, Clone)]
pub struct Damage {
    /// Its name.
    pub name: String,
    /// Its settings, if its first event can be read.
    pub config: Option<Config>,
    /// What it did according to the last change that can be read.
    pub state: State,
    /// How many events it has, as far as that can be known.
    pub events: u64,
    /// What is damaged, in one sentence.
    pub why: String,
}

/// What is there of a store.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) held: BTreeMap<u32, Held>,
    pub(super) damaged: BTreeMap<u32, Damage>,
}

impl Loaded {
    /// Forgets an experiment.
    pub(super) fn remove(&mut self, id: u32) {
        self.held.remove(&id);
        self.damaged.remove(&id);
    }

    /// How many events there are, of all experiments.
    pub(super) fn events(&self) -> u64 {
        let held: u64 = self.held.values().map(|held| held.experiment.position().0).sum();
        held + self.damaged.values().map(|damage| damage.events).sum::<u64>()
    }
}

/// Folds all experiments. One of which something is damaged, or was found to be (`found`), stops no other.
pub(super) fn load(store: &Store, found: &BTreeMap<u32, String>) -> Result<Loaded, LoadError> {
    let mut loaded = Loaded::default();
    for (id, name) in store.experiments()? {
        let why = match found.get(&id) {
            Some(why) => why.clone(),
            None => match load_one(store, id, &name) {
                Ok(held) => {
                    tracing::info!(experiment = name, events = held.experiment.position().0, "folded");
                    loaded.held.insert(id, held);
                    continue;
                }
                // The rest of the store may be in order.
                Err(LoadError::Store(error)) if !matches!(error, StoreError::Row { .. }) => return Err(error.into()),
                Err(error) => error.to_string(),
            },
        };
        tracing::error!(experiment = name, why, "the experiment is damaged: everybody gets the champion's list");
        let (config, state) = remains(store, id);
        let events = store.last_event(id).unwrap_or(0);
        loaded.damaged.insert(id, Damage { name, config, state, events, why });
    }
    Ok(loaded)
}

/// No snapshot is used: the log has everything.
fn unusable(name: &str, error: &dyn std::fmt::Display) -> Option<Experiment> {
    tracing::warn!(experiment = name, %error, "the snapshot cannot be used: all events are folded");
    None
}

fn load_one(store: &Store, id: u32, name: &str) -> Result<Held, LoadError> {
    let begun = match store.snapshot(id) {
        Ok(None) => None,
        Ok(Some((_, bytes))) => Experiment::restored(&bytes).map(Some).unwrap_or_else(|error| unusable(name, &error)),
        Err(error @ StoreError::Row { .. }) => unusable(name, &error),
        Err(error) => return Err(error.into()),
    };
    let FoldedLog { mut experiment, asked, .. } = fold_after(store, id, name, begun, |_| {})?;
    let last_unit = store.check_units(id)?.max(experiment.last_unit());
    for (time, impression, marks) in store.marks(id)? {
        experiment.remember(time, impression, marks);
    }
    let forgotten = experiment.forgotten_marks();
    Ok(Held { experiment, last_unit, asked, forgotten })
}

/// The settings of a damaged log, and the state that it was in last, as far as its events can be read.
fn remains(store: &Store, id: u32) -> (Option<Config>, State) {
    let (mut config, mut state, mut after) = (None, State::Running, 0);
    loop {
        let mut last = after;
        let read = store.events(id, after, |stored| -> Result<(), StoreError> {
            last = stored.n;
            match Recorded::read(stored.body).map(Recorded::into_event) {
                Ok(Event::Created { config: created, .. }) => config = Some(*created),
                Ok(Event::Changed { state: changed, .. }) => state = changed,
                _ => {}
            }
            Ok(())
        });
        match read {
            // Behind the row that cannot be read.
            Err(StoreError::Row { .. }) if store.last_event(id).is_ok_and(|end| last + 1 < end) => after = last + 1,
            _ => return (config, state),
        }
    }
}

/// Refuses a clock that is more than a day away from the last moment of the store: closing all that is open by a wrong clock
/// cannot be undone.
pub(super) fn check_time(store: &Store, held: &BTreeMap<u32, Held>, now: i64) -> Result<(), LoadError> {
    let running = held.values().filter(|held| !held.experiment.state().is_over());
    let Some(last) = running.map(|held| held.experiment.time()).max() else { return Ok(()) };
    let last = last.max(store.alive()?.unwrap_or(last));
    let apart = now - last;
    if apart.abs() <= DAY {
        return Ok(());
    }
    let hours = apart.abs() / 3_600_000;
    let side = if apart > 0 { "after" } else { "before" };
    Err(LoadError::Time(format!(
        "the clock is {hours} hours {side} the last moment of the store; set the clock, or pass --accept-time if it is right"
    )))
}
