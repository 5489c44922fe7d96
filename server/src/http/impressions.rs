//! Calls about impressions and duels.

use std::time::Duration;

use axum::Json as JsonAnswer;
use axum::extract::State;
use interleave::Preference;
use serde::Serialize;
use serde_json::{Value as Told, json};
use traffic::{Ask, Marks};

use super::auth::{ServeCaller, WithRole};
use super::body::Json;
use super::paths::{AnyExperimentPath, ImpressionPath};
use super::request::{Requester, SubmittedLists};
use super::{App, Problem};
use crate::jobs;
use crate::json::{Node, Value};
use crate::store::DisplayedPage;
use crate::writer::{ExperimentHandle, NoAnswer};

/// The wait of calls that have no other answer.
const WRITER_PATIENCE: Duration = Duration::from_secs(5);
/// The description of a unit in errors.
const EXPECTED_UNIT: &str = "a unit: who sees the page";
/// The most documents of a page.
const MAX_DOCUMENTS: usize = 10_000;

/// `POST /v1/experiments/{experiment}/impressions`
pub(super) async fn impression(
    State(app): State<App>,
    _: ServeCaller,
    AnyExperimentPath(entry): AnyExperimentPath,
    body: Json,
) -> Result<JsonAnswer<Page>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["unit", "agent", "query", "key", "segment", "lists", "documents"])?;
    top.need("unit", EXPECTED_UNIT)?;
    let requester = Requester::read(&top)?;
    entry_asks_for(&entry, Ask::Lists)?;
    let SubmittedLists { lists, fallback } = SubmittedLists::of(&top, &entry.config, true, of_fallback(&entry))?;
    let answer = ask_writer(&app, &entry, &requester, "impression", body.value(), Some(lists)).await?;
    Ok(match answer {
        jobs::Answer::Open { id, shown, is_mixed, .. } => list_page(&app, id, shown.unwrap_or_default(), is_mixed),
        jobs::Answer::Fallback(why) => fallback_list(&app, fallback, why),
    })
}

/// `POST /v1/experiments/{experiment}/choose`
pub(super) async fn choose(
    State(app): State<App>,
    _: ServeCaller,
    AnyExperimentPath(entry): AnyExperimentPath,
    body: Json,
) -> Result<JsonAnswer<Chosen>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["unit", "agent", "query", "key", "segment"])?;
    top.need("unit", EXPECTED_UNIT)?;
    let requester = Requester::read(&top)?;
    entry_asks_for(&entry, Ask::Lists)?;
    let (answer, names) = choose_without_lists(&app, &entry, &requester, "choose", body.value()).await?;
    Ok(JsonAnswer(Chosen { answer, rankers: Rankers::Any { rankers: names } }))
}

/// `POST /v1/experiments/{experiment}/duels`
pub(super) async fn duel(
    State(app): State<App>,
    _: ServeCaller,
    AnyExperimentPath(entry): AnyExperimentPath,
    body: Json,
) -> Result<JsonAnswer<Chosen>, Problem> {
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["unit", "key", "segment"])?;
    let requester = Requester::read(&top)?;
    entry_asks_for(&entry, Ask::Duels)?;
    let (answer, names) = choose_without_lists(&app, &entry, &requester, "duel", body.value()).await?;
    // A single ranker stands on both sides: there is nothing to compare.
    let [first, second] = [names.first(), names.last()].map(|name| name.cloned().unwrap_or_default());
    Ok(JsonAnswer(Chosen { answer, rankers: Rankers::Two { first, second } }))
}

/// Asks the writer for an impression. Where that is not possible in time, or not wanted, the fallback's list is the
/// answer.
async fn ask_writer(
    app: &App,
    entry: &ExperimentHandle,
    requester: &Requester,
    kind: &str,
    body: Value<'_>,
    lists: Option<jobs::Lists>,
) -> Result<jobs::Answer, Problem> {
    if let Some(why) = entry.halt_reason() {
        return Ok(jobs::Answer::Fallback(why));
    }
    let ask = writer_request(app, entry, requester, kind, body);
    let within = Some(app.settings.decision_timeout);
    let answer = app.writer.call(within, move |transaction| jobs::ask(transaction, &ask, lists.as_ref())).await;
    Ok(answer_or_fallback(answer)?.unwrap_or_else(jobs::Answer::Fallback))
}

/// Asks for an impression without lists; the answer, and the names of the rankers.
async fn choose_without_lists(
    app: &App,
    entry: &ExperimentHandle,
    requester: &Requester,
    kind: &str,
    body: Value<'_>,
) -> Result<(ImpressionAnswer, Vec<String>), Problem> {
    Ok(match ask_writer(app, entry, requester, kind, body, None).await? {
        jobs::Answer::Open { id, arms, is_mixed, .. } => {
            let answer = ImpressionAnswer { credited: is_mixed, id: Some(id), why: why_alone(app, is_mixed) };
            (answer, ranker_names(entry, &arms))
        }
        jobs::Answer::Fallback(why) => {
            app.metrics.champions.count(why);
            let answer = ImpressionAnswer { credited: false, id: None, why: Some(why) };
            (answer, vec![entry.fallback().to_owned()])
        }
    })
}

/// `PUT /v1/impressions/{id}/lists`
pub(super) async fn lists(
    State(app): State<App>,
    WithRole(caller): ServeCaller,
    path: ImpressionPath,
    body: Json,
) -> Result<JsonAnswer<Page>, Problem> {
    caller.check_experiment(&path.entry.config.name)?;
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["lists", "documents"])?;
    let SubmittedLists { lists, fallback } =
        SubmittedLists::of(&top, &path.entry.config, false, of_fallback(&path.entry))?;
    let (id, within) = (path.id, app.settings.decision_timeout);
    let request = app.hashes.request(id.experiment, "lists", body.value().to_string().as_bytes());
    // Show some list even if the fallback matched no document.
    let fallback = match fallback.is_empty() {
        true => lists.ids.iter().take(path.entry.config.shown as usize).map(str::to_owned).collect(),
        false => fallback,
    };
    // The user does not see what the impression would show, so it must not count as one without lists.
    let give_up_with_fallback = |why| {
        app.writer.give_up(id);
        Ok(fallback_list(&app, fallback, why))
    };
    if let Some(why) = path.entry.halt_reason() {
        return give_up_with_fallback(why);
    }
    let mixed = app.writer.call(Some(within), move |transaction| jobs::lists(transaction, id, &lists, request)).await;
    match answer_or_fallback(mixed)? {
        Ok((shown, is_mixed)) => Ok(list_page(&app, path.text, shown, is_mixed)),
        Err(why) => give_up_with_fallback(why),
    }
}

/// `POST /v1/impressions/{id}/next`
pub(super) async fn next(
    State(app): State<App>,
    WithRole(caller): ServeCaller,
    path: ImpressionPath,
    body: Json,
) -> Result<JsonAnswer<Told>, Problem> {
    caller.check_experiment(&path.entry.config.name)?;
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["seen"])?;
    let seen = top.get("seen")?.map(|seen| seen.whole(1, u32::MAX.into())).transpose()?.map(|seen| seen as u32);
    let shown =
        app.writer.call(Some(WRITER_PATIENCE), move |transaction| jobs::next(transaction, path.id, seen)).await??;
    Ok(JsonAnswer(json!({"shown": shown})))
}

/// `PUT /v1/impressions/{id}/shown`
pub(super) async fn displayed(
    State(app): State<App>,
    WithRole(caller): ServeCaller,
    path: ImpressionPath,
    body: Json,
) -> Result<JsonAnswer<Told>, Problem> {
    caller.check_experiment(&path.entry.config.name)?;
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["documents", "pinned"])?;
    let names = |node: &Node<'_, '_>| -> Result<Vec<String>, Problem> {
        let items = node.items()?;
        if items.len() > MAX_DOCUMENTS {
            return Err(node.wrong(format!("at most {MAX_DOCUMENTS} documents")).into());
        }
        Ok(items
            .map(|item| Ok(item.id("a document", 256)?.into_owned()))
            .collect::<Result<_, crate::json::ShapeError>>()?)
    };
    let documents = names(&top.need("documents", "the documents that the page displayed")?)?;
    let pinned = top.get("pinned")?.map(|pinned| names(&pinned)).transpose()?.unwrap_or_default();
    let page = DisplayedPage { documents, pinned };
    let places = app
        .writer
        .call(Some(WRITER_PATIENCE), move |transaction| jobs::displayed(transaction, path.id, &page))
        .await??;
    Ok(JsonAnswer(json!({"places": places})))
}

/// `POST /v1/impressions/{id}/close`
pub(super) async fn close(
    State(app): State<App>,
    WithRole(caller): ServeCaller,
    path: ImpressionPath,
    body: Json,
) -> Result<JsonAnswer<Told>, Problem> {
    caller.check_experiment(&path.entry.config.name)?;
    Node::top(body.parsed()?.value()).only(&[])?;
    let closed = app.writer.call(Some(WRITER_PATIENCE), move |transaction| jobs::close(transaction, path.id)).await??;
    Ok(JsonAnswer(json!({"closed": closed})))
}

/// `POST /v1/duels/{id}`
pub(super) async fn judge(
    State(app): State<App>,
    WithRole(caller): ServeCaller,
    path: ImpressionPath,
    body: Json,
) -> Result<JsonAnswer<Told>, Problem> {
    caller.check_experiment(&path.entry.config.name)?;
    let body = body.parsed()?;
    let top = Node::top(body.value());
    top.only(&["winner"])?;
    let expected = "\"first\", \"second\" or \"tie\"";
    let winner = top.need("winner", expected)?;
    let winner = match winner.value().as_str() {
        Some("first") => Preference::First,
        Some("second") => Preference::Second,
        Some("tie") => Preference::Tie,
        _ => return Err(winner.wrong(expected).into()),
    };
    let taken =
        app.writer.call(Some(WRITER_PATIENCE), move |transaction| jobs::judge(transaction, path.id, winner)).await??;
    Ok(JsonAnswer(json!({"taken": taken})))
}

/// The request for the writer.
fn writer_request(
    app: &App,
    entry: &ExperimentHandle,
    requester: &Requester,
    kind: &str,
    body: Value<'_>,
) -> jobs::ImpressionRequest {
    let (id, hashes) = (entry.id, &app.hashes);
    let Requester { unit, agent, query, key, segment } = requester;
    let marks = Marks {
        query: query.as_ref().map(|query| hashes.unit_query(id, unit, query)),
        key: key.as_ref().map(|key| hashes.key(id, key)),
        // Keys of objects are in one order, so that the same request has the same text.
        request: key.as_ref().map(|_| hashes.request(id, kind, body.to_string().as_bytes())),
    };
    let (share, lane) = (entry.config.share, entry.config.lane.as_ref());
    let needs_place = !unit.is_empty() && (share < 1.0 || lane.is_some());
    jobs::ImpressionRequest {
        experiment: id,
        place: needs_place.then(|| app.places.of(id, lane.map_or("", |lane| lane.of.as_str()), unit)),
        unit: (!unit.is_empty()).then(|| hashes.unit(id, unit, app.clock.now())),
        is_bot: entry.config.bots.is_known(unit, agent.as_deref()),
        marks,
        segment: segment.as_ref().and_then(|label| entry.config.segment(label)),
    }
}

/// The ranker of all users where nothing is mixed, and whether it was shipped.
fn of_fallback(entry: &ExperimentHandle) -> (&str, bool) {
    (entry.fallback(), entry.shipped().is_some())
}

/// An answer, or the reason for the fallback's list in its place. A failed write is an error: the impression may or may not be stored.
fn answer_or_fallback<T>(
    asked: Result<Result<T, jobs::Refusal>, NoAnswer>,
) -> Result<Result<T, &'static str>, Problem> {
    match asked {
        Ok(Ok(answer)) => Ok(Ok(answer)),
        Ok(Err(refusal)) => Err(refusal.into()),
        Err(NoAnswer::Late) => Ok(Err("late")),
        Err(NoAnswer::Overloaded) => Ok(Err("overloaded")),
        Err(NoAnswer::NoLeader) => Ok(Err("unavailable")),
        Err(why @ (NoAnswer::Failed | NoAnswer::Stopping)) => Err(why.into()),
    }
}

fn entry_asks_for(entry: &ExperimentHandle, asked: Ask) -> Result<(), Problem> {
    // Without its settings, the fallback is unknown.
    if let Some(why) = entry.damage().filter(|_| entry.config.rankers.is_empty()) {
        return Err(jobs::Refusal::damaged(&entry.config.name, why).into());
    }
    match (entry.config.ask, asked) {
        (Ask::Duels, Ask::Lists) => {
            Err(Problem::invalid("this experiment asks judges; it mixes no lists")
                .advice("POST .../duels asks for a pair"))
        }
        (Ask::Lists, Ask::Duels) => Err(Problem::invalid("this experiment mixes lists; no judge is asked")
            .advice("make an experiment with \"ask\": \"duels\"")),
        _ => Ok(()),
    }
}

fn ranker_names(entry: &ExperimentHandle, arms: &[u32]) -> Vec<String> {
    arms.iter().filter_map(|&arm| entry.config.rankers.get(arm as usize)).map(|ranker| ranker.name.clone()).collect()
}

/// Whether rankers are compared, the id for events, and the reason if rankers are not compared.
#[derive(Debug, Serialize)]
struct ImpressionAnswer {
    credited: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

/// A choice without lists.
#[derive(Debug, Serialize)]
pub(super) struct Chosen {
    #[serde(flatten)]
    answer: ImpressionAnswer,
    #[serde(flatten)]
    rankers: Rankers,
}

/// The rankers of the mixed lists, or the two that a judge compares.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Rankers {
    Any { rankers: Vec<String> },
    Two { first: String, second: String },
}

/// The page for the user.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    #[serde(flatten)]
    answer: ImpressionAnswer,
    shown: Vec<String>,
}

fn list_page(app: &App, id: String, shown: Vec<String>, is_mixed: bool) -> JsonAnswer<Page> {
    let answer = ImpressionAnswer { credited: is_mixed, id: Some(id), why: why_alone(app, is_mixed) };
    JsonAnswer(Page { answer, shown })
}

/// The reason if one ranker was chosen alone: its clicks are recorded, and compare nothing.
fn why_alone(app: &App, is_mixed: bool) -> Option<&'static str> {
    if is_mixed {
        return None;
    }
    app.metrics.champions.count("alone");
    Some("alone")
}

fn fallback_list(app: &App, shown: Vec<String>, why: &'static str) -> JsonAnswer<Page> {
    app.metrics.champions.count(why);
    JsonAnswer(Page { answer: ImpressionAnswer { credited: false, id: None, why: Some(why) }, shown })
}
