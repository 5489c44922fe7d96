//! From the store to experiments in memory.

use std::collections::BTreeMap;

use traffic::{Event, Experiment, Recorded};

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
    #[error("event {n} of experiment {experiment:?}: {message}; restore the store from a backup")]
    Event {
        /// The experiment's name.
        experiment: String,
        /// The event's number.
        n: u64,
        /// What is wrong.
        message: String,
    },
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

/// Folds the log of an experiment. `each` sees every event before it is folded.
///
/// # Errors
/// If an event is missing, cannot be read, or does not follow from those before it.
pub fn fold(store: &Store, id: u32, name: &str, mut each: impl FnMut(Next<'_>)) -> Result<FoldedLog, LoadError> {
    let mut folded: Option<Experiment> = None;
    let (mut events, mut asked) = (0, 0);
    store.events(id, 0, |stored| -> Result<(), LoadError> {
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

/// Folds all experiments.
pub(super) fn load(store: &Store) -> Result<BTreeMap<u32, Held>, LoadError> {
    let mut held = BTreeMap::new();
    for (id, name) in store.experiments()? {
        let FoldedLog { experiment, events, asked } = fold(store, id, &name, |_| {})?;
        tracing::info!(experiment = name, events, "folded");
        held.insert(id, Held { experiment, last_unit: store.last_unit(id)?, asked });
    }
    Ok(held)
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
