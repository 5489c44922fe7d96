//! Events of browsers, in the form of UBI 1.3: one object, an array, or a line for each.

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use live::traffic::ClickFate;
use serde_json::{Value as Told, json};

use super::auth::Anybody;
use super::body::{Events, Kind, parsed};
use super::named::seconds;
use super::{App, Problem};
use crate::ids::IdError;
use crate::jobs::{self, Click, Place};
use crate::json::{self, Node, ShapeError, Value};

/// The actions that are clicks.
const CLICKS: [&str; 2] = ["click", "click_through"];

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
    let now = seconds(&app);
    let fates: Vec<Fate> = match lines(&bytes, kind) {
        Some(lines) => {
            check_count(lines.clone().take(MOST + 1).count())?;
            lines.map(|line| of_line(&app, line, now)).collect()
        }
        None => {
            let body = parsed(&bytes)?;
            match body.value().kind() {
                json::Kind::List(events) => {
                    check_count(events)?;
                    body.value().items().map(|event| of_event(&app, event, now)).collect()
                }
                _ => vec![of_event(&app, body.value(), now)],
            }
        }
    };
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

/// The lines of a body that has one event in each; `None` if it is JSON as a whole. `sendBeacon` says of both that they are
/// text: then a body that is JSON as a whole is taken as such.
fn lines(bytes: &[u8], kind: Kind) -> Option<impl Iterator<Item = &[u8]> + Clone> {
    let is_lines = match kind {
        Kind::Json => false,
        Kind::Lines => true,
        Kind::Text => json::parse(bytes).is_err(),
    };
    let is_blank = |line: &&[u8]| !line.iter().all(u8::is_ascii_whitespace);
    is_lines.then(|| bytes.split(|byte| *byte == b'\n').filter(is_blank))
}

fn of_line(app: &App, line: &[u8], now: u64) -> Fate {
    match json::parse(line) {
        Ok(event) => of_event(app, event.value(), now),
        Err(error) => Fate::Known("malformed", format!("not JSON that can be used: {error}")),
    }
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
    let expected = "a document in object.object_id, or a place in position.ordinal";
    let attributes = event.need("event_attributes", expected)?;
    let place = {
        let object = attributes.get("object")?;
        let document = match &object {
            Some(object) => object.get("object_id")?,
            None => None,
        };
        let position = attributes.get("position")?;
        let ordinal = match &position {
            Some(position) => position.get("ordinal")?,
            None => None,
        };
        match (document, ordinal) {
            (Some(document), _) => Place::Document(document.name("a document", 256)?.to_owned()),
            (None, Some(ordinal)) => Place::Ordinal(ordinal.whole(1, u32::MAX.into())? as usize - 1),
            (None, None) => return Err(attributes.wrong(expected)),
        }
    };
    Ok(match app.signer.read(id, now) {
        Ok(of) => Fate::Click(Click { of, place }),
        Err(error @ IdError::Unknown) => Fate::Known("unknown", error.to_string()),
        Err(error @ IdError::Expired) => Fate::Known("late", error.to_string()),
    })
}
