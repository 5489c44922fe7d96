//! Events of browsers, in the form of UBI 1.3: one object, an array, or a line for each.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value as Told, json};
use traffic::ClickFate;

use super::auth::Sender;
use super::body::{Events, Kind, parsed};
use super::named::seconds;
use super::off_thread::off_thread;
use super::{App, Problem};
use crate::ids::{IdError, ImpressionId};
use crate::jobs::{self, Said, Sent};
use crate::json::{self, Node, ShapeError, Value};

/// The actions that are clicks.
const CLICKS: [&str; 2] = ["click", "click_through"];

/// What an event must say of a click. A place is not taken for it: the place beside it is often the other ranker's.
const DOCUMENT: &str = "the document that was clicked, in event_attributes.object.object_id; a place alone is not enough, because \
                        some pages count places from 0 and others from 1";

/// The most events of a request with a key, and without.
const MOST: usize = 10_000;
const MOST_PUBLIC: usize = 100;

/// Bodies of at most this many bytes are read where they arrive: that takes no longer than to hand them over.
const SMALL: usize = 4 << 10;

/// What becomes of an event.
enum Fate {
    /// A click that the writer judges.
    Click(Sent),
    /// Known without it. Where it says of which impression it is, the writer counts it.
    Known(&'static str, String, Option<Sent>),
}

impl Fate {
    /// Drops the event if its impression had too many in this second.
    fn limit(&mut self, app: &App) {
        let Some(of) = self.sent().map(|sent| sent.of) else { return };
        if !app.impression_rates.admits((of.experiment, of.impression), app.settings.impression_rate) {
            *self = Self::Known("limited", String::new(), None);
        }
    }

    fn sent(&self) -> Option<&Sent> {
        match self {
            Self::Click(sent) => Some(sent),
            Self::Known(_, _, sent) => sent.as_ref(),
        }
    }
}

/// `POST /v1/events`
pub(super) async fn events(State(app): State<App>, sender: Sender, body: Events) -> Result<Answer<Told>, Problem> {
    let fates = read(&app, sender, body).await?;
    if fates.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the body has no event; send at least one"));
    }
    let sent: Vec<Sent> = fates.iter().filter_map(Fate::sent).cloned().collect();
    let has_clicks = fates.iter().any(|fate| matches!(fate, Fate::Click(_)));
    let taken = if sent.is_empty() {
        Ok(vec![])
    } else {
        app.writer.call(Some(app.settings.request_timeout), move |session| jobs::events(session, &sent)).await
    };
    // Without a click, all answers are known whatever the writer does.
    let mut taken = if has_clicks { taken? } else { vec![] }.into_iter();
    let results: Vec<Told> = fates
        .into_iter()
        .map(|fate| {
            let (status, why) = match fate {
                Fate::Known(status, why, _) => (status, why),
                Fate::Click(_) => of_click(taken.next().unwrap_or(ClickFate::Unknown)),
            };
            app.metrics.events.count(status);
            // Who has no key gets no more back than was sent.
            if why.is_empty() || sender == Sender::Public {
                json!({"status": status})
            } else {
                json!({"status": status, "why": why})
            }
        })
        .collect();
    let count = results.iter().filter(|result| result["status"] == "taken").count();
    Ok(Answer(json!({"results": results, "taken": count})))
}

/// Reads the events of a body away from the threads that serve connections; those without a key, one body at a time.
async fn read(app: &App, sender: Sender, Events { bytes, kind, room }: Events) -> Result<Vec<Fate>, Problem> {
    let _turn = match sender {
        Sender::Known if bytes.len() <= SMALL => return fates(app, &bytes, kind, MOST),
        Sender::Known => None,
        Sender::Public => {
            let turn = tokio::time::timeout(app.settings.request_timeout, Arc::clone(&app.public).acquire_owned());
            Some(turn.await.map_err(|_| Problem::unavailable("too many events are being read"))?)
        }
    };
    let shared = app.clone();
    off_thread(move || {
        let _room = room;
        let most = if sender == Sender::Public { MOST_PUBLIC } else { MOST };
        let mut fates = fates(&shared, &bytes, kind, most)?;
        if sender == Sender::Public {
            fates.iter_mut().for_each(|fate| fate.limit(&shared));
        }
        Ok(fates)
    })
    .await?
}

/// What becomes of the events of a body, in their order. Wherever it is clear where events end, one that is wrong stops no other.
fn fates(app: &App, bytes: &[u8], kind: Kind, most: usize) -> Result<Vec<Fate>, Problem> {
    let now = seconds(app);
    // `sendBeacon` says of lines, too, that they are text. An object over several lines has some that begin otherwise.
    let are_objects = |lines: &[&[u8]]| lines.len() > 1 && lines.iter().all(|line| line.trim_ascii().starts_with(b"{"));
    if kind != Kind::Json {
        let lines = lines(bytes, most);
        if kind == Kind::Lines || are_objects(&lines) {
            return of_texts(app, &lines, now, most);
        }
    }
    match (parsed(bytes), kind) {
        (Ok(body), _) => match body.value().kind() {
            json::Kind::List(events) => {
                check_count(events, most)?;
                Ok(body.value().items().map(|event| of_event(app, event, now)).collect())
            }
            _ => Ok(vec![of_event(app, body.value(), now)]),
        },
        (Err(problem), kind) => match (json::items(bytes), kind) {
            (Some(events), _) => of_texts(app, &events, now, most),
            (None, Kind::Text) => of_texts(app, &lines(bytes, most), now, most),
            (None, _) => Err(problem),
        },
    }
}

/// Each event has an answer, which may be larger than the event.
fn check_count(events: usize, most: usize) -> Result<(), Problem> {
    if events <= most {
        return Ok(());
    }
    let detail = format!("the body has more than {most} events; send fewer at a time");
    Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).part("expected", format!("at most {most} events")))
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
fn lines(bytes: &[u8], most: usize) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(most + 1).collect()
}

/// Events that are each a text.
fn of_texts(app: &App, texts: &[&[u8]], now: u64, most: usize) -> Result<Vec<Fate>, Problem> {
    check_count(texts.len(), most)?;
    let of_text = |text: &&[u8]| match json::parse(text) {
        Ok(event) => of_event(app, event.value(), now),
        Err(error) => Fate::Known("malformed", format!("the event is not JSON that can be used: {error}"), None),
    };
    Ok(texts.iter().map(of_text).collect())
}

fn of_event(app: &App, event: Value<'_>, now: u64) -> Fate {
    let event = Node::top(event);
    // What is wrong with it counts for the impression that it is of.
    let of = impression(app, &event, now);
    match click(&event, of) {
        Ok(fate) => fate,
        Err(ShapeError { path, found, expected }) => {
            let place = if path.is_empty() { "the event".to_owned() } else { path };
            let sent = of.and_then(Result::ok).map(|of| Sent { of, what: Said::Malformed });
            Fate::Known("malformed", format!("{place}: found {found}; expected {expected}"), sent)
        }
    }
}

/// The impression that an event is of, if it says so in a way that can be read.
fn impression(app: &App, event: &Node<'_, '_>, now: u64) -> Option<Result<ImpressionId, IdError>> {
    let id = event.get("query_id").ok()??;
    Some(app.signer.read(id.value().as_str()?, now))
}

fn click(event: &Node<'_, '_>, of: Option<Result<ImpressionId, IdError>>) -> Result<Fate, ShapeError> {
    let action = event.need("action_name", "an action, such as \"click\"")?.name("an action", 256)?;
    if !CLICKS.contains(&action) {
        let sent = of.and_then(Result::ok).map(|of| Sent { of, what: Said::Ignored });
        return Ok(Fate::Known("ignored", "another action than a click".to_owned(), sent));
    }
    event.need("query_id", "the id of an impression")?.name("the id of an impression", 256)?;
    let attributes = event.need("event_attributes", DOCUMENT)?;
    let document =
        attributes.need("object", DOCUMENT)?.need("object_id", DOCUMENT)?.id("a document", 256)?.into_owned();
    Ok(match of.unwrap_or(Err(IdError::Unknown)) {
        Ok(of) => Fate::Click(Sent { of, what: Said::Click(document) }),
        Err(error @ IdError::Unknown) => Fate::Known("unknown", error.to_string(), None),
        Err(error @ IdError::Expired) => Fate::Known("late", error.to_string(), None),
    })
}
