//! Events of browsers, in the form of UBI 1.3: one object, an array, or a line for each.

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value as Told, json};
use traffic::ClickFate;

use super::auth::Anybody;
use super::body::{Events, Kind, parsed};
use super::named::seconds;
use super::{App, Problem};
use crate::ids::IdError;
use crate::jobs::{self, Click};
use crate::json::{self, Node, ShapeError, Value};

/// The actions that are clicks.
const CLICKS: [&str; 2] = ["click", "click_through"];

/// What an event must say of a click. A place is not taken for it: the place beside it is often the other ranker's.
const DOCUMENT: &str = "the document that was clicked, in event_attributes.object.object_id; a place alone is not enough, because \
                        some pages count places from 0 and others from 1";

/// The most events of a request.
const MOST: usize = 10_000;

/// What becomes of an event.
enum Fate {
    /// A click that the writer judges.
    Click(Click),
    /// Known without it.
    Known(&'static str, String),
}

/// `POST /v1/events`
pub(super) async fn events(
    State(app): State<App>,
    _: Anybody,
    Events { bytes, kind, room: _room }: Events,
) -> Result<Answer<Told>, Problem> {
    let fates = fates(&app, &bytes, kind)?;
    if fates.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the body has no event; send at least one"));
    }
    let clicks: Vec<Click> = fates
        .iter()
        .filter_map(|fate| match fate {
            Fate::Click(click) => Some(click.clone()),
            Fate::Known(..) => None,
        })
        .collect();
    let taken = if clicks.is_empty() {
        vec![]
    } else {
        app.writer.call(Some(app.settings.arrive_within), move |session| jobs::clicks(session, &clicks)).await?
    };
    let mut taken = taken.into_iter();
    let results: Vec<Told> = fates
        .into_iter()
        .map(|fate| {
            let (status, why) = match fate {
                Fate::Known(status, why) => (status, why),
                Fate::Click(_) => of_click(taken.next().unwrap_or(ClickFate::Unknown)),
            };
            app.metrics.events.count(status);
            if why.is_empty() { json!({"status": status}) } else { json!({"status": status, "why": why}) }
        })
        .collect();
    let count = results.iter().filter(|result| result["status"] == "taken").count();
    Ok(Answer(json!({"results": results, "taken": count})))
}

/// What becomes of the events of a body, in their order. Wherever it is clear where events end, one that is wrong stops no other.
fn fates(app: &App, bytes: &[u8], kind: Kind) -> Result<Vec<Fate>, Problem> {
    let now = seconds(app);
    // `sendBeacon` says of lines, too, that they are text. An object over several lines has some that begin otherwise.
    let are_objects = |lines: &[&[u8]]| lines.len() > 1 && lines.iter().all(|line| line.trim_ascii().starts_with(b"{"));
    if kind != Kind::Json {
        let lines = lines(bytes);
        if kind == Kind::Lines || are_objects(&lines) {
            return of_texts(app, &lines, now);
        }
    }
    match (parsed(bytes), kind) {
        (Ok(body), _) => match body.value().kind() {
            json::Kind::List(events) => {
                check_count(events)?;
                Ok(body.value().items().map(|event| of_event(app, event, now)).collect())
            }
            _ => Ok(vec![of_event(app, body.value(), now)]),
        },
        (Err(problem), kind) => match (json::items(bytes), kind) {
            (Some(events), _) => of_texts(app, &events, now),
            (None, Kind::Text) => of_texts(app, &lines(bytes), now),
            (None, _) => Err(problem),
        },
    }
}

/// Each event has an answer, which may be larger than the event.
fn check_count(events: usize) -> Result<(), Problem> {
    if events <= MOST {
        return Ok(());
    }
    let detail = format!("the body has more than {MOST} events; send fewer at a time");
    Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).part("expected", format!("at most {MOST} events")))
}

fn of_click(fate: ClickFate) -> (&'static str, String) {
    let (status, why) = match fate {
        ClickFate::Taken => ("taken", ""),
        ClickFate::Duplicate => ("duplicate", "the document was clicked before"),
        ClickFate::Late => ("late", "the impression is closed"),
        ClickFate::Unknown => ("unknown", "the impression shows nothing"),
        ClickFate::NotShown => ("not-shown", "the list that was mixed has nothing there"),
    };
    (status, why.to_owned())
}

/// The lines that are not blank, one more than may be there at most.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(MOST + 1).collect()
}

/// Events that are each a text.
fn of_texts(app: &App, texts: &[&[u8]], now: u64) -> Result<Vec<Fate>, Problem> {
    check_count(texts.len())?;
    let of_text = |text: &&[u8]| match json::parse(text) {
        Ok(event) => of_event(app, event.value(), now),
        Err(error) => Fate::Known("malformed", format!("the event is not JSON that can be used: {error}")),
    };
    Ok(texts.iter().map(of_text).collect())
}

fn of_event(app: &App, event: Value<'_>, now: u64) -> Fate {
    match click(app, &Node::top(event), now) {
        Ok(fate) => fate,
        Err(ShapeError { path, found, expected }) => {
            let place = if path.is_empty() { "the event".to_owned() } else { path };
            Fate::Known("malformed", format!("{place}: found {found}; expected {expected}"))
        }
    }
}

fn click(app: &App, event: &Node<'_, '_>, now: u64) -> Result<Fate, ShapeError> {
    let action = event.need("action_name", "an action, such as \"click\"")?.name("an action", 256)?;
    if !CLICKS.contains(&action) {
        return Ok(Fate::Known("ignored", "another action than a click".to_owned()));
    }
    let id = event.need("query_id", "the id of an impression")?.name("the id of an impression", 256)?;
    let attributes = event.need("event_attributes", DOCUMENT)?;
    let document =
        attributes.need("object", DOCUMENT)?.need("object_id", DOCUMENT)?.id("a document", 256)?.into_owned();
    Ok(match app.signer.read(id, now) {
        Ok(of) => Fate::Click(Click { of, document }),
        Err(error @ IdError::Unknown) => Fate::Known("unknown", error.to_string()),
        Err(error @ IdError::Expired) => Fate::Known("late", error.to_string()),
    })
}
