//! Calls about experiments as a whole.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use output::numbers::with_unit;
use serde_json::{Map, Value, json};
use traffic::{Config, DecisionReport, State as ExperimentState};

use super::auth::{Admin, Caller, ReadCaller, WithRole};
use super::body::Json;
use super::off_thread::off_thread;
use super::pages::damaged;
use super::paths::{AnyExperimentPath, ExperimentPath};
use super::request::ranker_named;
use super::{App, Problem};
use crate::ids::{UnitHash, UnitHashes};
use crate::jobs::{self, Snapshot};
use crate::json::{self, Node};
use crate::store::{Access, Store};
use crate::writer::{ExperimentHandle, Transaction};

/// The wait of calls that no user's page depends on.
pub(super) const WRITER_PATIENCE: Duration = Duration::from_secs(10);

/// `POST /v1/experiments`
pub(super) async fn create(
    State(app): State<App>,
    WithRole(caller): Admin,
    body: Json,
) -> Result<(StatusCode, Answer<Value>), Problem> {
    let config = settings(body.parsed()?.value())?;
    caller.check_experiment(&config.name)?;
    let told = app.writer.call(Some(WRITER_PATIENCE), |transaction| jobs::create(transaction, config)).await??;
    tracing::info!(experiment = told["experiment"].as_str(), who = caller.name(), "created");
    Ok((StatusCode::CREATED, Answer(told)))
}

/// The settings of a body, of the right types. The experiment checks whether they are possible.
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
pub(super) async fn list(
    State(app): State<App>,
    WithRole(caller): ReadCaller,
    RawQuery(query): RawQuery,
) -> Result<Answer<Value>, Problem> {
    let (lines, next) = list_page(&app, caller.only_experiment(), query.as_deref()).await?;
    let shared = Arc::clone(&app);
    let told = off_thread(move || -> Vec<Value> {
        let told = |line| match line {
            Line::Whole(snapshot) => shared.verdicts.complete(*snapshot, Snapshot::with_headline),
            Line::Damaged(entry) => damaged::damage_json(&entry),
        };
        lines.into_iter().map(told).collect()
    });
    Ok(Answer(json!({"experiments": told.await?, "next": next})))
}

/// An experiment in a list.
pub(super) enum Line {
    Whole(Box<Snapshot<Value>>),
    Damaged(Arc<ExperimentHandle>),
}

/// The most experiments of a list.
const MAX_LISTED: usize = 100;

/// The experiments after the one named by the query `after=NAME`, by name, up to the length of a list, and the last of them if more follow.
/// For a caller that may see one experiment only, that one.
pub(super) async fn list_page(
    app: &App,
    only: Option<&str>,
    query: Option<&str>,
) -> Result<(Vec<Line>, Option<String>), Problem> {
    let after = match query {
        None | Some("") => String::new(),
        Some(query) => query.strip_prefix("after=").map(str::to_owned).ok_or_else(|| {
            Problem::new(StatusCode::BAD_REQUEST, "the query is not of the form ?after=NAME").part("path", "after")
        })?,
    };
    let entries = app.directory.all();
    let is_listed = |name: &str| *name > *after && only.is_none_or(|only| only == name);
    let mut listed: Vec<&Arc<ExperimentHandle>> =
        entries.iter().filter(|(name, _)| is_listed(name)).map(|(_, entry)| entry).take(MAX_LISTED + 1).collect();
    let has_more = listed.len() > MAX_LISTED;
    listed.truncate(MAX_LISTED);
    let next = listed.last().filter(|_| has_more).map(|entry| entry.config.name.clone());
    let known = app.verdicts.known();
    let ids: Vec<u32> = listed.iter().filter(|entry| entry.damage().is_none()).map(|entry| entry.id).collect();
    let job = move |transaction: &mut Transaction<'_>| jobs::snapshots(transaction, &ids, &known);
    let mut whole: BTreeMap<u32, Snapshot<Value>> = app.writer.call(Some(WRITER_PATIENCE), job).await?;
    let lines = listed.into_iter().filter_map(|entry| match entry.damage() {
        Some(_) => Some(Line::Damaged(Arc::clone(entry))),
        // One that was deleted meanwhile is not there.
        None => whole.remove(&entry.id).map(|snapshot| Line::Whole(Box::new(snapshot))),
    });
    Ok((lines.collect(), next))
}

/// `DELETE /v1/experiments/{experiment}`
pub(super) async fn delete(
    State(app): State<App>,
    WithRole(caller): Admin,
    AnyExperimentPath(entry): AnyExperimentPath,
) -> Result<Answer<Value>, Problem> {
    let (id, name, who) = (entry.id, entry.config.name.clone(), caller.name());
    let told = name.clone();
    app.writer
        .call(Some(WRITER_PATIENCE), move |transaction| {
            jobs::delete_experiment(transaction, id)?;
            transaction.audit(&who, "experiment deleted", &name);
            Ok::<_, jobs::Refusal>(())
        })
        .await??;
    let is_erased = app.truncation.wait_until_done(WRITER_PATIENCE).await;
    tracing::info!(experiment = told, who = caller.name(), "deleted");
    Ok(Answer(json!({"experiment": told, "deleted": true, "erased": is_erased})))
}

/// `GET /v1/experiments/{experiment}`
pub(super) async fn status(
    State(app): State<App>,
    _: ReadCaller,
    AnyExperimentPath(entry): AnyExperimentPath,
) -> Result<Answer<Value>, Problem> {
    if entry.damage().is_some() {
        return Ok(Answer(damaged::damage_json(&entry)));
    }
    let (id, known) = (entry.id, app.verdicts.known().get(&entry.id).copied());
    let snapshot =
        app.writer.call(Some(WRITER_PATIENCE), move |transaction| jobs::snapshot(transaction, id, known)).await??;
    let shared = Arc::clone(&app);
    let mut told = off_thread(move || shared.verdicts.complete(snapshot, Snapshot::with_verdict)).await?;
    told["kill_pending"] = entry.pending_kill().is_some().into();
    Ok(Answer(told))
}

/// The last verdict of each experiment, and the number of rows that it follows from. Rows change once a day, and people look
/// more often.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    last: Mutex<BTreeMap<u32, VerdictSlot>>,
}

/// Held by the task that computes the verdict of an experiment; others wait, and use its result.
type VerdictSlot = Arc<Mutex<Option<(usize, Arc<DecisionReport>)>>>;

impl Verdicts {
    fn turn(&self, id: u32) -> VerdictSlot {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(last.entry(id).or_default())
    }

    /// For each known verdict, the number of rows it follows from. One that is being computed is not known yet.
    pub(super) fn known(&self) -> BTreeMap<u32, usize> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = |turn: &VerdictSlot| turn.try_lock().ok().and_then(|held| held.as_ref().map(|(rows, _)| *rows));
        last.iter().filter_map(|(&id, turn)| Some((id, rows(turn)?))).collect()
    }

    /// Completes a snapshot with its verdict.
    pub(super) fn complete<T, R>(
        &self,
        mut snapshot: Snapshot<T>,
        with: impl FnOnce(Snapshot<T>, &DecisionReport) -> R,
    ) -> R {
        let rows = snapshot.rows;
        let turn = self.turn(snapshot.id);
        let mut held = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = match (held.as_ref(), snapshot.evidence.take()) {
            // At least as new as the snapshot: rows are only added.
            (Some((known, verdict)), evidence) if *known >= rows || evidence.is_none() => Arc::clone(verdict),
            (previous, evidence) => {
                let previous = previous.map(|(_, verdict)| Arc::clone(verdict));
                let evidence = evidence.unwrap_or_else(|| unreachable!("what is known is never forgotten"));
                let verdict = Arc::new(DecisionReport::from_previous(previous.as_deref(), &evidence));
                *held = Some((rows, Arc::clone(&verdict)));
                verdict
            }
        };
        drop(held);
        with(snapshot, &verdict)
    }
}

/// `POST /v1/experiments/{experiment}/pause`
pub(super) async fn pause(
    app: State<App>,
    admin: Admin,
    path: ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    respond_to_state_change(app, admin, path, body, ExperimentState::Paused).await
}

/// `POST /v1/experiments/{experiment}/resume`
pub(super) async fn resume(
    app: State<App>,
    admin: Admin,
    path: ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    respond_to_state_change(app, admin, path, body, ExperimentState::Running).await
}

/// `POST /v1/experiments/{experiment}/kill`
pub(super) async fn kill(
    app: State<App>,
    admin: Admin,
    path: ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    respond_to_state_change(app, admin, path, body, ExperimentState::Killed).await
}

/// `POST /v1/experiments/{experiment}/end`
pub(super) async fn end(
    app: State<App>,
    admin: Admin,
    path: ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    respond_to_state_change(app, admin, path, body, ExperimentState::Ended).await
}

/// `POST /v1/experiments/{experiment}/ship`
pub(super) async fn ship(
    State(app): State<App>,
    WithRole(caller): Admin,
    ExperimentPath(entry): ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["ranker", "why"])?;
    let ranker = top.need("ranker", "the ranker that everybody gets from now on")?;
    let to = ExperimentState::Shipped(ranker_named(ranker.text("a name", 256)?, &entry.config)?);
    change_state(&app, &entry, &caller, to, read_reason(&top)?).await?;
    Ok(Answer(json!({"experiment": entry.config.name, "state": to.name(), "ranker": entry.fallback()})))
}

/// `POST /v1/experiments/{experiment}/share`
pub(super) async fn share(
    State(app): State<App>,
    WithRole(caller): Admin,
    ExperimentPath(entry): ExperimentPath,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["share", "why"])?;
    let expected = "a share above 0 and at most 1";
    let given = top.need("share", expected)?;
    let to = given.value().as_f64().filter(|share| *share > 0.0 && *share <= 1.0);
    let to = to.ok_or_else(|| given.wrong(expected))?;
    let (id, who, why, name) = (entry.id, caller.name(), read_reason(&top)?, entry.config.name.clone());
    let raised = move |transaction: &mut Transaction<'_>| jobs::raise(transaction, id, to, [&who, &why]);
    let share = app.writer.call(Some(WRITER_PATIENCE), raised).await??;
    tracing::info!(experiment = name, share, who = caller.name(), "raised");
    Ok(Answer(json!({"experiment": name, "share": share})))
}

async fn respond_to_state_change(
    State(app): State<App>,
    WithRole(caller): Admin,
    ExperimentPath(entry): ExperimentPath,
    body: Json,
    to: ExperimentState,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["why"])?;
    let state = change_state(&app, &entry, &caller, to, read_reason(&top)?).await?;
    Ok(Answer(json!({"experiment": entry.config.name, "state": state.name()})))
}

/// The reason given for a change.
fn read_reason(top: &Node<'_, '_>) -> Result<String, Problem> {
    Ok(top.get("why")?.map(|why| why.text("a reason", 1000)).transpose()?.unwrap_or("").to_owned())
}

/// Changes the state of an experiment.
pub(super) async fn change_state(
    app: &App,
    entry: &ExperimentHandle,
    caller: &Caller,
    to: ExperimentState,
    why: String,
) -> Result<ExperimentState, Problem> {
    let (id, who, name) = (entry.id, caller.name(), entry.config.name.clone());
    let was_pulled = entry.is_pulled();
    if to == ExperimentState::Killed {
        // Immediately, and whatever the store does.
        entry.pull(&who, &why);
    }
    let changed = app
        .writer
        .call(Some(WRITER_PATIENCE), move |transaction| jobs::change(transaction, id, to, was_pulled, [&who, &why]))
        .await;
    let state = match changed {
        Ok(Ok(state)) => state,
        Ok(Err(refusal)) => {
            if !was_pulled {
                entry.release();
            }
            return Err(refusal.into());
        }
        Err(_) if to == ExperimentState::Killed => {
            return Err(Problem::unavailable(
                "everybody gets the champion's list from now on, but the store cannot be written at present; the kill is written as soon as \
                 that is possible, and a restart before would forget it",
            ));
        }
        Err(why) => return Err(why.into()),
    };
    if state != ExperimentState::Killed {
        entry.release();
    }
    tracing::info!(experiment = name, state = state.name(), who = caller.name(), "changed");
    Ok(state)
}

/// `POST /v1/units/delete`
pub(super) async fn delete_unit(
    State(app): State<App>,
    WithRole(caller): Admin,
    body: Json,
) -> Result<Answer<Value>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["unit"])?;
    let unit = top.need("unit", "a unit")?.id("a unit", 256)?;
    let entries = app.directory.all();
    let seen = entries.values().filter(|entry| caller.only_experiment().is_none_or(|bound| bound == entry.config.name));
    let now = app.clock.now();
    let hashes: Vec<(u32, UnitHash)> = seen
        .flat_map(|entry| {
            let UnitHashes { current: now, previous: before } = app.hashes.unit(entry.id, &unit, now);
            std::iter::once(now).chain(before).map(|hash| (entry.id, hash))
        })
        .collect();
    let location = app.settings.store.clone();
    // Beside the writer: logs may be long.
    let found = tokio::task::spawn_blocking(move || {
        let store = Store::open(&location, Access::Read)?;
        hashes
            .into_iter()
            .filter_map(|(id, hash)| jobs::deletion_of_unit(&store, id, hash).transpose())
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
    let deleted = move |transaction: &mut Transaction<'_>| {
        let count = jobs::delete(transaction, found);
        transaction.audit(&who, "deletion", &format!("a unit with {}", with_unit(count as u64, "impression")));
        count
    };
    let impressions = app.writer.call(None, deleted).await?;
    let is_erased = !is_known || app.truncation.wait_until_done(WRITER_PATIENCE).await;
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
