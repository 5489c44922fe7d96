//! Experiments: made, listed, changed.

use serde_json::{Value, json};
use traffic::{Config, Experiment, State};

use super::Refusal;
use crate::writer::Transaction;

/// Makes an experiment, and returns the answer for the caller.
///
/// # Errors
/// If there is one of this name, or a setting is wrong.
pub fn create(transaction: &mut Transaction<'_>, config: Config) -> Result<Value, Refusal> {
    let name = config.name.clone();
    let is_damaged = transaction.damaged().values().any(|damage| damage.name == name);
    if is_damaged || transaction.experiments().any(|(_, known)| known.config().name == name) {
        return Err(Refusal::Conflict(format!(
            "there is an experiment {name:?} already; choose another name: settings do not change during a test"
        )));
    }
    let experiment = Experiment::create(config, transaction.now)
        .map_err(|error| Refusal::Invalid { path: Some(error.field.to_owned()), detail: error.message })?;
    let settings = experiment.config();
    if let Some(other) = settings.begin_after.as_ref().filter(|other| !transaction.has(other)) {
        let detail = format!("there is no experiment {other:?}; make it before the one that begins after it");
        return Err(Refusal::Invalid { path: Some("begin_after".to_owned()), detail });
    }
    if let Some((other, theirs)) = transaction.overlapping(settings) {
        return Err(Refusal::Conflict(format!(
            "the lane overlaps that of experiment {other:?}, which is from {} to {} of {:?}; choose another part, or end that experiment",
            theirs.from, theirs.to, theirs.of
        )));
    }
    let status = json!({
        "experiment": name,
        "version": experiment.version().to_string(),
        "state": experiment.state().name(),
        "settings": experiment.config(),
    });
    transaction.create(experiment)?;
    Ok(status)
}

/// Raises the share of an experiment, and returns the new one.
///
/// # Errors
/// If that is a lower one, or the experiment is over.
pub fn raise(transaction: &mut Transaction<'_>, id: u32, to: f64, [who, why]: [&str; 2]) -> Result<f64, Refusal> {
    let now = transaction.now;
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    experiment.raise(now, to, who, why)?;
    Ok(experiment.share())
}

/// Changes the state of an experiment, and returns the new one. With `was_pulled`, it may be killed in memory alone: that is taken back
/// without an event.
///
/// # Errors
/// If its state does not allow it.
pub fn change(
    transaction: &mut Transaction<'_>,
    id: u32,
    to: State,
    was_pulled: bool,
    [who, why]: [&str; 2],
) -> Result<State, Refusal> {
    let now = transaction.now;
    let has_to_begin = to == State::Running && transaction.known(id).is_some_and(|known| !known.has_begun());
    if let Some(known) = transaction.known(id).filter(|_| has_to_begin)
        && let Some((other, _)) = transaction.blocking_experiment(id, known.config())
    {
        return Err(Refusal::Conflict(format!(
            "the experiment has not begun, and its lane overlaps that of experiment {other:?}; end that one first"
        )));
    }
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    match (experiment.state(), to) {
        (State::Killed, State::Paused) => {
            return Err(Refusal::Conflict("the experiment is killed; it cannot become paused".to_owned()));
        }
        (State::Shipped(ranker), State::Killed) => {
            let name = &experiment.config().rankers[ranker as usize].name;
            return Err(Refusal::Conflict(format!(
                "everybody gets the list of {name}, which was shipped, and nothing is compared that could be killed; ship another ranker"
            )));
        }
        (State::Shipped(now), State::Shipped(ranker)) if now == ranker => {
            let name = &experiment.config().rankers[ranker as usize].name;
            return Err(Refusal::Conflict(format!("everybody gets the list of {name} already, which was shipped")));
        }
        _ => {}
    }
    if was_pulled && to == State::Running && experiment.state() == to {
        return Ok(to);
    }
    experiment.change_state(now, to, who, why)?;
    Ok(experiment.state())
}

/// Deletes an experiment that is over, or damaged.
///
/// # Errors
/// If it still takes clicks.
pub fn delete(transaction: &mut Transaction<'_>, id: u32) -> Result<(), Refusal> {
    if let Some(experiment) = transaction.experiment(id) {
        let (name, state, open) = (&experiment.config().name, experiment.state(), experiment.fates().open);
        if !state.is_over() {
            let state = state.name();
            return Err(Refusal::Conflict(format!("experiment {name:?} is {state}; end it before you delete it")));
        }
        if open > 0 {
            return Err(Refusal::Conflict(format!(
                "experiment {name:?} has open pages, {open} of them, whose clicks still count; delete it once they are closed"
            )));
        }
    } else if !transaction.damaged().contains_key(&id) {
        return Err(Refusal::no_experiment());
    }
    transaction.delete(id);
    Ok(())
}
