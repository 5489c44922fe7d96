//! From the store to experiments in memory.

use std::collections::BTreeMap;

use output::numbers::with_unit;
use times::DAY;
use traffic::{Config, Event, Experiment, RecordedEvent, State};

use super::LoadedExperiment;
use super::maintenance::{FetchError, Maintenance, fetch};
use crate::store::{SnapshotHead, Store, StoreError};

/// Why the experiments of a store cannot be loaded.
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
        /// The fault.
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
    /// The number of folded events.
    pub events: u64,
    /// The number of those that ask for an impression.
    pub requests: u64,
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
pub struct NextEvent<'a> {
    /// Its number.
    pub n: u64,
    /// The event.
    pub event: &'a Event,
    /// The experiment until then; `None` at the first event.
    pub experiment: Option<&'a Experiment>,
}

/// Folds the log of an experiment from its first event that is kept, and the snapshot before it. `each` sees every event before it
/// is folded.
///
/// # Errors
/// If an event is missing, cannot be read, or does not follow from those before it.
pub fn fold(store: &Store, id: u32, name: &str, each: impl FnMut(NextEvent<'_>)) -> Result<FoldedLog, LoadError> {
    let first = store.first_event(id)?;
    if first == 1 {
        return fold_after(store, id, name, None, each);
    }
    let missing = || {
        let message = format!("the log begins with event {first}, and no snapshot has what came before");
        LoadError::Event { experiment: name.to_owned(), n: first, message }
    };
    let head = store.snapshots(id)?.into_iter().find(|head| head.n + 1 >= first).ok_or_else(missing)?;
    let begun = restore(store, id, name, head)?;
    fold_after(store, id, name, Some(begun), each)
}

/// An experiment as it was at a snapshot.
struct RestoredExperiment {
    experiment: Experiment,
    at: u64,
}

fn restore(store: &Store, id: u32, name: &str, head: SnapshotHead) -> Result<RestoredExperiment, LoadError> {
    let bytes = store.snapshot(id, &head)?;
    let stored = |unit| Ok(store.unit_state(id, unit, head.n)?.map(|state| state.bytes));
    match Experiment::from_snapshot(&bytes, stored) {
        Ok(experiment) => Ok(RestoredExperiment { experiment, at: head.n }),
        Err(FetchError::Store(error)) => Err(error.into()),
        Err(FetchError::State(error)) => {
            Err(LoadError::Event { experiment: name.to_owned(), n: head.n, message: error.to_string() })
        }
    }
}

/// As [`fold`], after the state of a snapshot if there is a `restored_experiment`.
fn fold_after(
    store: &Store,
    id: u32,
    name: &str,
    restored_experiment: Option<RestoredExperiment>,
    mut each: impl FnMut(NextEvent<'_>),
) -> Result<FoldedLog, LoadError> {
    let snapshot_number = restored_experiment.as_ref().map_or(0, |restored_experiment| restored_experiment.at);
    let first = store.first_event(id)?;
    let mut folded = restored_experiment.map(|restored_experiment| restored_experiment.experiment);
    let (mut last_event, mut request_count) =
        folded.as_ref().map_or((0, 0), |experiment| (experiment.position().0, experiment.fates().asked));
    store.events(id, last_event, |stored| -> Result<(), LoadError> {
        let event_error = |message: String| LoadError::Event { experiment: name.to_owned(), n: stored.n, message };
        if stored.n != last_event + 1 {
            return Err(event_error(format!("the events from {} on are not there", last_event + 1)));
        }
        let recorded = RecordedEvent::read(stored.body).map_err(|error| event_error(error.to_string()))?;
        let event = recorded.event();
        let impression = impression_of(event, &mut request_count);
        if stored.kind != event.kind() || stored.impression != impression {
            return Err(event_error("its columns `kind` and `impression` are not those of its body".to_owned()));
        }
        each(NextEvent { n: stored.n, event, experiment: folded.as_ref() });
        if let (Some(unit), Some(experiment)) = (event.unit(), &mut folded) {
            fetch(store, id, experiment, unit, snapshot_number)?;
        }
        match &mut folded {
            None => folded = Some(Experiment::begin(&recorded).map_err(|error| event_error(error.to_string()))?),
            Some(experiment) => experiment.fold(&recorded).map_err(|error| event_error(error.to_string()))?,
        }
        last_event = stored.n;
        Ok(())
    })?;
    let mut experiment = folded.ok_or_else(|| LoadError::Empty(name.to_owned()))?;
    if experiment.config().name != name {
        let message = format!("it was written for experiment {:?}", experiment.config().name);
        return Err(LoadError::Event { experiment: name.to_owned(), n: 1, message });
    }
    if first > experiment.forgotten().events + 1 {
        let message = format!("the {} before it are not there, and were not forgotten", with_unit(first - 1, "event"));
        return Err(LoadError::Event { experiment: name.to_owned(), n: first, message });
    }
    // The folded events are in the store already.
    let _ = experiment.take_events();
    Ok(FoldedLog { experiment, events: last_event, requests: request_count })
}

/// Folds the log of an experiment from its first event that is kept, and compares the state there with each snapshot, and with the
/// states of units of the last one.
///
/// # Errors
/// If the log cannot be folded, or a state is another.
pub fn check_log(store: &Store, id: u32, name: &str) -> Result<FoldedLog, LoadError> {
    let heads = store.snapshots(id)?;
    let mut other_error: Option<LoadError> = None;
    let mut compare = |experiment: &Experiment| {
        let n = experiment.position().0;
        if let Some(head) = heads.iter().find(|head| head.n == n).filter(|_| other_error.is_none()) {
            let compared = compare_with(store, id, head, experiment, heads.last() == Some(head));
            other_error = match compared {
                Ok(None) => None,
                Ok(Some(what)) => Some(other_state(name, n, &what)),
                Err(error) => Some(error.into()),
            };
        }
    };
    let fold_result = fold(store, id, name, |next| {
        if let Some(experiment) = next.experiment {
            compare(experiment);
        }
    })?;
    compare(&fold_result.experiment);
    if let Some(head) = heads.last().filter(|head| head.n > fold_result.events) {
        return Err(other_state(name, head.n, "the snapshot"));
    }
    other_error.map_or(Ok(fold_result), Err)
}

fn other_state(name: &str, n: u64, what: &str) -> LoadError {
    let message = format!("{what} after it has another state than its log");
    LoadError::Event { experiment: name.to_owned(), n, message }
}

/// The first part of a snapshot that differs from the fold, if any.
fn compare_with(
    store: &Store,
    id: u32,
    head: &SnapshotHead,
    experiment: &Experiment,
    with_units: bool,
) -> Result<Option<String>, StoreError> {
    if experiment.snapshot().bytes != store.snapshot(id, head)? {
        return Ok(Some("the snapshot".to_owned()));
    }
    for state in experiment.states().filter(|_| with_units) {
        if store.unit_state(id, state.unit, head.n)?.is_none_or(|kept| kept != state) {
            return Ok(Some(format!("unit {} in the snapshot", state.unit)));
        }
    }
    Ok(None)
}

/// An experiment that cannot be served: something of it is damaged.
#[derive(Debug, Clone)]
pub struct Damage {
    /// Its name.
    pub name: String,
    /// Its settings, if its first event can be read.
    pub config: Option<Config>,
    /// Its state after the last readable change.
    pub state: State,
    /// The number of its events, as far as it can be known.
    pub events: u64,
    /// The damage, in one sentence.
    pub why: String,
}

/// The content of a store.
#[derive(Debug, Default)]
pub(super) struct LoadedStore {
    pub(super) experiments: BTreeMap<u32, LoadedExperiment>,
    pub(super) damaged: BTreeMap<u32, Damage>,
}

impl LoadedStore {
    /// Forgets an experiment.
    pub(super) fn remove(&mut self, id: u32) {
        self.experiments.remove(&id);
        self.damaged.remove(&id);
    }

    /// Serves no experiment that lacks events seen before: clients have answers that follow from them.
    pub(super) fn keep_apart(&mut self, store: &Store, seen: &BTreeMap<u32, u64>) {
        for (&id, &seen) in seen {
            let Some(loaded) = self.experiments.get(&id) else { continue };
            let event_number = loaded.experiment.position().0;
            if event_number >= seen {
                continue;
            }
            let name = loaded.experiment.config().name.clone();
            let why = format!(
                "the database has {} of it, and this server has seen {seen}: it went back in time, as after a failover to a replica \
                 without the last commits; once that is known, start the servers again, which go on with what is there",
                with_unit(event_number, "event")
            );
            tracing::error!(experiment = name, why, "the experiment is kept apart: everybody gets the champion's list");
            self.experiments.remove(&id);
            self.damaged.insert(id, damage(store, id, &name, why));
        }
    }

    /// The number of events of all experiments.
    pub(super) fn events(&self) -> u64 {
        let loaded: u64 = self.experiments.values().map(|loaded| loaded.experiment.position().0).sum();
        loaded + self.damaged.values().map(|damage| damage.events).sum::<u64>()
    }
}

/// Folds all experiments. A damaged one, or one that was found to be (`damage_found`), stops no other. For an experiment with a snapshot and more
/// than `checked_units`, the units are checked later.
pub(super) fn load(
    store: &Store,
    damage_found: &BTreeMap<u32, StoreError>,
    checked_units: u64,
) -> Result<LoadedStore, LoadError> {
    let mut loaded = LoadedStore::default();
    for (id, name) in store.experiments()? {
        // A bad snapshot can be replaced from a complete log.
        let is_whole = store.first_event(id).is_ok_and(|first| first == 1);
        let (why, is_distrusted) = match damage_found.get(&id) {
            None => (None, false),
            Some(StoreError::Snapshot { .. }) if is_whole => (None, true),
            Some(error) => (Some(error.to_string()), false),
        };
        let why = match why {
            Some(why) => why,
            None => match load_one(store, id, &name, is_distrusted, checked_units) {
                Ok(experiment) => {
                    tracing::info!(experiment = name, events = experiment.experiment.position().0, "folded");
                    loaded.experiments.insert(id, experiment);
                    continue;
                }
                // The rest of the store may be in order.
                Err(LoadError::Store(error)) if error.experiment().is_none() => return Err(error.into()),
                Err(error) => error.to_string(),
            },
        };
        tracing::error!(experiment = name, why, "the experiment is damaged: everybody gets the champion's list");
        loaded.damaged.insert(id, damage(store, id, &name, why));
    }
    Ok(loaded)
}

/// The remains of a damaged experiment.
pub(super) fn damage(store: &Store, id: u32, name: &str, why: String) -> Damage {
    let (config, state) = remains(store, id);
    let events = store.last_event(id).unwrap_or(0);
    Damage { name: name.to_owned(), config, state, events, why }
}

/// Folds the events after a snapshot. A bad snapshot is replaced by folding a complete log; if the log is not complete, by an earlier
/// snapshot, from which on the states of units are kept.
pub(super) fn fold_rest(
    store: &Store,
    id: u32,
    name: &str,
    is_distrusted: bool,
) -> Result<(FoldedLog, Vec<SnapshotHead>), LoadError> {
    let is_whole = store.first_event(id)? == 1;
    let mut heads = if is_whole && is_distrusted { Ok(Vec::new()) } else { store.snapshots(id) };
    if let Err(StoreError::Snapshot { .. }) = heads {
        heads = Ok(Vec::new());
    }
    let mut heads = heads?;
    while let Some(&head) = heads.last() {
        let restored_experiment = restore(store, id, name, head);
        match restored_experiment.and_then(|begun| fold_after(store, id, name, Some(begun), |_| {})) {
            Ok(folded) => return Ok((folded, heads)),
            Err(LoadError::Store(error)) if error.experiment().is_none() => return Err(error.into()),
            Err(error) => {
                tracing::warn!(experiment = name, %error, "a snapshot cannot be used: more events are folded");
                // Later parts are useless too: those units are folded again.
                heads.pop();
            }
        }
        if is_whole {
            heads.clear();
        }
    }
    Ok((fold(store, id, name, |_| {})?, heads))
}

fn load_one(
    store: &Store,
    id: u32,
    name: &str,
    is_distrusted: bool,
    checked_units: u64,
) -> Result<LoadedExperiment, LoadError> {
    let (FoldedLog { mut experiment, requests: asked, .. }, heads) = fold_rest(store, id, name, is_distrusted)?;
    // Reading millions of them takes seconds, during which pages would have no list.
    let is_checked_later = !heads.is_empty() && experiment.last_unit() > checked_units;
    let mut last_unit = experiment.last_unit();
    if !is_checked_later {
        let mut unasked = Vec::new();
        let last_kept = store.check_units(id, |unit| {
            // An earlier program gave numbers to units that it refused then. Without a snapshot, all that have asked are here.
            if heads.is_empty() && !experiment.state().is_over() && !experiment.is_here(unit.number) {
                unasked.push(unit.hash);
            }
        })?;
        unasked.iter().try_for_each(|hash| store.forget_unit(id, hash))?;
        last_unit = last_unit.max(last_kept);
    }
    if heads.is_empty() {
        // Snapshots that are unusable or incomplete.
        store.drop_snapshots(id)?;
    }
    for (time, impression, marks) in store.marks(id)? {
        experiment.remember(time, impression, marks);
    }
    let forgotten = experiment.forgotten_marks();
    let mut loaded = LoadedExperiment {
        experiment,
        last_unit,
        requests: asked,
        forgotten,
        maintenance: Maintenance::of(heads, is_checked_later),
    };
    loaded.catch_up();
    Ok(loaded)
}

/// The settings of a damaged log, and the state that it was in last, as far as its events can be read.
fn remains(store: &Store, id: u32) -> (Option<Config>, State) {
    let (mut config, mut state, mut last_number) = (None, State::Running, 0);
    loop {
        let mut last = last_number;
        let read_result = store.events(id, last_number, |stored| -> Result<(), StoreError> {
            last = stored.n;
            match RecordedEvent::read(stored.body).map(RecordedEvent::into_event) {
                Ok(Event::Created { config: created, .. }) => config = Some(*created),
                Ok(Event::Changed { state: changed, .. }) => state = changed,
                _ => {}
            }
            Ok(())
        });
        match read_result {
            // Behind the row that cannot be read.
            Err(StoreError::Row { .. }) if store.last_event(id).is_ok_and(|end| last + 1 < end) => {
                last_number = last + 1
            }
            _ => return (config, state),
        }
    }
}

/// Refuses a clock that is more than a day away from the last moment of the store: closing all open impressions by a wrong clock cannot be
/// undone.
pub(super) fn check_time(store: &Store, loaded: &BTreeMap<u32, LoadedExperiment>, now: i64) -> Result<(), LoadError> {
    let running = loaded.values().filter(|loaded| !loaded.experiment.state().is_over());
    let Some(last) = running.map(|loaded| loaded.experiment.time()).max() else { return Ok(()) };
    let last = last.max(store.alive()?.unwrap_or(last));
    let gap = now - last;
    if gap.abs() <= DAY {
        return Ok(());
    }
    let hours = gap.abs() / 3_600_000;
    let side = if gap > 0 { "after" } else { "before" };
    Err(LoadError::Time(format!(
        "the clock is {hours} hours {side} the last moment of the store; set the clock, or pass --accept-time if it is right"
    )))
}
