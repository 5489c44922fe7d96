//! Calls about experiments as a whole.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use output::numbers::with_unit;
use serde_json::{Map, Value, json};
use traffic::{Config, DecisionReport, State as To};

use super::auth::{Admin, Caller, Reading, With};
use super::body::Json;
use super::named::{Named, NamedAny};
use super::off_thread::off_thread;
use super::request::ranker_named;
use super::{App, Problem, damaged};
use crate::ids::{UnitHash, UnitHashes};
use crate::jobs::{self, Snapshot};
use crate::json::{self, Node};
use crate::store::{Access, Store};
use crate::writer::{ExperimentHandle, Session};

/// How long calls wait that nobody's page depends on.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// `POST /v1/experiments`
pub(super) async fn create(
    State(app): State<App>,
    With(caller): Admin,
    body: Json,
) -> Result<(StatusCode, Answer<Value>), Problem> {
    let config = settings(body.parsed()?.value())?;
    caller.check_experiment(&config.name)?;
    let told = app.writer.call(Some(PATIENCE), |session| jobs::create(session, config)).await??;
    tracing::info!(experiment = told["experiment"].as_str(), who = caller.name(), "created");
    Ok((StatusCode::CREATED, Answer(told)))
}

/// The settings of a body, of the right types. Whether they are possible, the experiment says.
fn settings(body: json::Value<'_>) -> Result<Config, Problem> {
    let top = Node::top(body);
    let rankers = top.need("rankers", "the names of two rankers or more")?;
    top.need("name", "the name of the experiment")?;
    for ranker in rankers.items()? {
        if ranker.is_object() {
            ranker.only(&["name", "version"])?;
            ranker.need("name", "the name of the ranker")?.text("a name", 256)?;
            if let Some(version) = ranker.get("version")? {
                version.text("a version", 256)?;
            }
        } else if ranker.value().as_str().is_some() {
            ranker.text("a name", 256)?;
        } else {
            return Err(ranker.wrong("a name, or {\"name\": ..., \"version\": ...}").into());
        }
    }
    let body = body.to_owned();
    serde_json::from_value(body.clone()).map_err(|error| {
        // Which field it is: the one that is wrong by itself.
        let alone = |key: &String, value: &Value| {
            let mut object =
                Map::from_iter([("name".to_owned(), json!("a")), ("rankers".to_owned(), json!(["a", "b"]))]);
            object.insert(key.clone(), value.clone());
            serde_json::from_value::<Config>(Value::Object(object)).err()
        };
        let wrong = body.as_object().into_iter().flatten().find_map(|(key, value)| Some((key, alone(key, value)?)));
        let (path, detail) =
            wrong.map_or((None, error.to_string()), |(key, error)| (Some(key), format!("{key}: {error}")));
        let problem = Problem::new(StatusCode::BAD_REQUEST, detail);
        path.map_or(problem.clone(), |path| problem.part("path", path.chars().take(60).collect::<String>()))
    })
}

/// `GET /v1/experiments`
pub(super) async fn list(State(app): State<App>, With(caller): Reading) -> Result<Answer<Value>, Problem> {
    let (only, known) = (caller.bound().map(str::to_owned), app.verdicts.known());
    let job = move |session: &mut Session<'_>| jobs::snapshots(session, only.as_deref(), &known);
    let all = app.writer.call(Some(PATIENCE), job).await?;
    let shared = Arc::clone(&app);
    let told = off_thread(move || -> Vec<Value> {
        all.into_iter().map(|snapshot| shared.verdicts.complete(snapshot, Snapshot::with_headline)).collect()
    });
    let mut told = told.await?;
    let seen = app.directory.all();
    let seen = seen.values().filter(|entry| caller.bound().is_none_or(|bound| bound == entry.config.name));
    told.extend(seen.filter_map(|entry| damaged::told(entry)));
    told.sort_by(|a, b| a["experiment"].as_str().cmp(&b["experiment"].as_str()));
    Ok(Answer(json!({"experiments": told})))
}

/// `GET /v1/experiments/{experiment}`
pub(super) async fn status(
    State(app): State<App>,
    _: Reading,
    NamedAny(entry): NamedAny,
) -> Result<Answer<Value>, Problem> {
    if let Some(told) = damaged::told(&entry) {
        return Ok(Answer(told));
    }
    let (id, known) = (entry.id, app.verdicts.known().get(&entry.id).copied());
    let snapshot = app.writer.call(Some(PATIENCE), move |session| jobs::snapshot(session, id, known)).await??;
    let shared = Arc::clone(&app);
    let mut told = off_thread(move || shared.verdicts.complete(snapshot, Snapshot::with_verdict)).await?;
    told["kill_pending"] = entry.pending_kill().is_some().into();
    Ok(Answer(told))
}

/// The last verdict of each experiment, and the number of rows that it follows from. Rows change once a day, and people look
/// more often.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    last: Mutex<BTreeMap<u32, (usize, Arc<DecisionReport>)>>,
}

impl Verdicts {
    fn held(&self) -> MutexGuard<'_, BTreeMap<u32, (usize, Arc<DecisionReport>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn known(&self) -> BTreeMap<u32, usize> {
        self.held().iter().map(|(&id, &(rows, _))| (id, rows)).collect()
    }

    /// Completes a snapshot with its verdict.
    pub(super) fn complete<T, R>(
        &self,
        mut snapshot: Snapshot<T>,
        with: impl FnOnce(Snapshot<T>, &DecisionReport) -> R,
    ) -> R {
        let (id, rows, level) = (snapshot.id, snapshot.rows, snapshot.level);
        let verdict = match snapshot.outcomes.take() {
            Some(outcomes) => {
                let before = self.held().get(&id).map(|(_, verdict)| Arc::clone(verdict));
                let verdict = Arc::new(DecisionReport::after(before.as_deref(), &outcomes, level));
                let mut held = self.held();
                let newer = held.get(&id).is_some_and(|(known, _)| *known > rows);
                if !newer {
                    held.insert(id, (rows, Arc::clone(&verdict)));
                }
                Some(verdict)
            }
            // At least as new as the snapshot: rows are only added.
            None => self.held().get(&id).map(|(_, verdict)| Arc::clone(verdict)),
        };
        let verdict = verdict.unwrap_or_else(|| unreachable!("what is known is never removed"));
        with(snapshot, &verdict)
    }
}

/// `POST /v1/experiments/{experiment}/pause`
pub(super) async fn pause(app: State<App>, admin: Admin, named: Named, body: Json) -> Result<Answer<Value>, Problem> {
    change(app, admin, named, body, To::Paused).await
}

/// `POST /v1/experiments/{experiment}/resume`
pub(super) async fn resume(app: State<App>, admin: Admin, named: Named, body: Json) -> Result<Answer<Value>, Problem> {
    change(app, admin, named, body, To::Running).await
}

/// `POST /v1/experiments/{experiment}/kill`
pub(super) async fn kill(app: State<App>, admin: Admin, named: Named, body: Json) -> Result<Answer<Value>, Problem> {
    change(app, admin, named, body, To::Killed).await
}

/// `POST /v1/experiments/{experiment}/end`
pub(super) async fn end(app: State<App>, admin: Admin, named: Named, body: Json) -> Result<Answer<Value>, Problem> {
    change(app, admin, named, body, To::Ended).await
}

/// `POST /v1/experiments/{experiment}/ship`
pub(super) async fn ship(
    State(app): State<App>,
    With(caller): Admin,
    Named(entry): Named,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["ranker", "why"])?;
    let ranker = top.need("ranker", "the ranker that everybody gets from now on")?;
    let to = To::Shipped(ranker_named(ranker.text("a name", 256)?, &entry.config)?);
    change_state(&app, &entry, &caller, to, reason(&top)?).await?;
    Ok(Answer(json!({"experiment": entry.config.name, "state": to.name(), "ranker": entry.fallback()})))
}

async fn change(
    State(app): State<App>,
    With(caller): Admin,
    Named(entry): Named,
    body: Json,
    to: To,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["why"])?;
    let state = change_state(&app, &entry, &caller, to, reason(&top)?).await?;
    Ok(Answer(json!({"experiment": entry.config.name, "state": state.name()})))
}

/// Why somebody changes an experiment.
fn reason(top: &Node<'_, '_>) -> Result<String, Problem> {
    Ok(top.get("why")?.map(|why| why.text("a reason", 1000)).transpose()?.unwrap_or("").to_owned())
}

/// Changes the state of an experiment.
pub(super) async fn change_state(
    app: &App,
    entry: &ExperimentHandle,
    caller: &Caller,
    to: To,
    why: String,
) -> Result<To, Problem> {
    let (id, who, name) = (entry.id, caller.name(), entry.config.name.clone());
    let was_pulled = entry.is_pulled();
    if to == To::Killed {
        // Immediately, and whatever the store does.
        entry.pull(&who, &why);
    }
    let changed =
        app.writer.call(Some(PATIENCE), move |session| jobs::change(session, id, to, was_pulled, [&who, &why])).await;
    let state = match changed {
        Ok(Ok(state)) => state,
        Ok(Err(refusal)) => {
            if !was_pulled {
                entry.release();
            }
            return Err(refusal.into());
        }
        Err(_) if to == To::Killed => {
            return Err(Problem::unavailable(
                "everybody gets the champion's list from now on, but the store cannot be written at present; the kill is written as soon as \
                 that is possible, and a restart before would forget it",
            ));
        }
        Err(why) => return Err(why.into()),
    };
    if state != To::Killed {
        entry.release();
    }
    tracing::info!(experiment = name, state = state.name(), who = caller.name(), "changed");
    Ok(state)
}

/// `POST /v1/units/delete`
pub(super) async fn delete_unit(
    State(app): State<App>,
    With(caller): Admin,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["unit"])?;
    let unit = top.need("unit", "a unit")?.id("a unit", 256)?;
    let entries = app.directory.all();
    let seen = entries.values().filter(|entry| caller.bound().is_none_or(|bound| bound == entry.config.name));
    let now = app.clock.now();
    let hashes: Vec<(u32, UnitHash)> = seen
        .flat_map(|entry| {
            let UnitHashes { now, before } = app.hashes.unit(entry.id, &unit, now);
            std::iter::once(now).chain(before).map(|hash| (entry.id, hash))
        })
        .collect();
    let path = app.settings.store.clone();
    // Beside the writer: logs may be long.
    let found = tokio::task::spawn_blocking(move || {
        let store = Store::open(&path, Access::Read)?;
        hashes
            .into_iter()
            .filter_map(|(id, hash)| jobs::impressions_of(&store, id, hash).transpose())
            .collect::<Result<Vec<_>, _>>()
    });
    let unreadable = || Problem::unavailable("the store could not be read; nothing was deleted");
    let found = found.await.map_err(|_| unreadable())?.map_err(|error| {
        tracing::error!(%error, "a unit could not be found");
        unreadable()
    })?;
    let is_known = !found.is_empty();
    let incomplete: Vec<String> = found
        .iter()
        .filter(|deletion| deletion.is_incomplete)
        .filter_map(|deletion| Some(app.directory.of_id(deletion.experiment)?.config.name.clone()))
        .collect();
    let who = caller.name();
    let deleted = move |session: &mut Session<'_>| {
        let count = jobs::delete(session, found);
        session.audit(&who, "deletion", &format!("a unit with {}", with_unit(count as u64, "impression")));
        count
    };
    let impressions = app.writer.call(None, deleted).await?;
    let is_erased = !is_known || app.truncation.is_done(PATIENCE).await;
    let mut told = json!({"deleted": is_known, "impressions": impressions, "erased": is_erased});
    if !is_erased {
        told["why"] = "the data are deleted, and copies of them stay in the write-ahead log until who reads the store (a backup, an \
                       export, a shell) has ended; they go by themselves then"
            .into();
    }
    if !incomplete.is_empty() {
        told["damaged"] = incomplete.into();
    }
    Ok(Answer(told))
}
