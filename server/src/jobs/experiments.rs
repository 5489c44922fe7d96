//! Experiments: made, listed, changed.

use live::traffic::{Config, Experiment, State};
use serde::Serialize;
use serde_json::{Value, json};

use super::Refusal;
use crate::writer::Session;

/// Makes an experiment, and returns what the caller is told.
///
/// # Errors
/// If there is one of this name, or a setting is wrong.
pub fn create(session: &mut Session<'_>, config: Config) -> Result<Value, Refusal> {
    let name = config.name.clone();
    if session.experiments().any(|(_, known)| known.config().name == name) {
        return Err(Refusal::Conflict(format!(
            "there is an experiment {name:?} already; choose another name: settings do not change during a test"
        )));
    }
    let experiment = Experiment::create(config, session.now)
        .map_err(|error| Refusal::Invalid { path: Some(error.field.to_owned()), detail: error.message })?;
    let told = json!({
        "experiment": name,
        "version": experiment.version().to_string(),
        "state": experiment.state().name(),
        "settings": experiment.config(),
    });
    session.create(experiment);
    Ok(told)
}

/// An experiment in a list.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Its name.
    pub experiment: String,
    version: String,
    state: &'static str,
    since: i64,
    impressions: u64,
    headline: String,
}

/// All experiments, by name; of a caller that may see one only, that one.
#[must_use]
pub fn summaries(session: &Session<'_>, only: Option<&str>) -> Vec<Summary> {
    let seen = session.experiments().map(|(_, one)| one);
    let seen = seen.filter(|one| only.is_none_or(|only| one.config().name == only));
    let mut all: Vec<Summary> = seen
        .map(|one| Summary {
            experiment: one.config().name.clone(),
            version: one.version().to_string(),
            state: one.state().name(),
            since: one.created(),
            impressions: one.fates().asked,
            headline: one.verdict().report.lines().next().unwrap_or_default().to_owned(),
        })
        .collect();
    all.sort_by(|a, b| a.experiment.cmp(&b.experiment));
    all
}

/// Changes the state of an experiment, and returns what it is then. With `was_pulled`, it may be killed in memory alone: that is
/// taken back without an event.
///
/// # Errors
/// If its state does not allow it.
pub fn change(
    session: &mut Session<'_>,
    id: u32,
    to: State,
    was_pulled: bool,
    [who, why]: [&str; 2],
) -> Result<State, Refusal> {
    let now = session.now;
    let experiment = session.experiment(id).ok_or_else(Refusal::no_experiment)?;
    if experiment.state() == State::Killed && to == State::Paused {
        return Err(Refusal::Conflict("the experiment is killed; it cannot become paused".to_owned()));
    }
    if was_pulled && to == State::Running && experiment.state() == to {
        return Ok(to);
    }
    experiment.change(now, to, who, why)?;
    Ok(experiment.state())
}
