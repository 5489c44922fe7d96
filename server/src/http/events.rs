//! Events of browsers, in the form of UBI 1.3: one object, an array, or a line for each.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value as Told, json};
use traffic::{CLICKS, ClickFate};

use super::auth::{KeyExperiment, Sender};
use super::body::{BodyKind, Events, parse_json};
use super::off_thread::off_thread;
use super::paths::seconds;
use super::{App, Problem};
use crate::ids::{IdError, ImpressionId};
use crate::jobs::{self, ClickAction, CreditTarget, OutcomeFate, SentEvent, UserOutcome};
use crate::json::{self, Node, ShapeError, Value};
use crate::writer::{ExperimentHandle, NoAnswer, Transaction};

/// The part of an event that an outcome requires.
const CONVERSION_DOCUMENT: &str = "the document, in event_attributes.object.object_id";
/// Values beyond this many minor units are not plausible.
const MAX_VALUE: f64 = 1e12;

/// The part of an event that a click requires. A place is not enough: the place beside it is often the other ranker's.
const CLICK_DOCUMENT: &str = "the document that was clicked, in event_attributes.object.object_id; a place alone is not enough, because \
                        some pages count places from 0 and others from 1";

/// The most events of a request with a key, and without.
const MAX_EVENTS: usize = 10_000;
const MOST_PUBLIC: usize = 100;

/// Bodies of at most this many bytes are parsed on the spot: that takes no longer than to hand them over.
const MAX_INLINE_BYTES: usize = 4 << 10;

/// The status of an event.
enum EventStatus {
    /// A click that the writer judges.
    Click(SentEvent),
    /// A later action of a user, for the writer to judge; with the impression, if its page signed it.
    UserOutcome(UserOutcome, Option<ImpressionId>),
    /// Decided without the writer. If it names its impression, the writer counts it.
    Known(&'static str, String, Option<SentEvent>),
}

impl EventStatus {
    /// Drops the event if its impression had too many in this second.
    fn limit(&mut self, app: &App) {
        let of = match self {
            Self::UserOutcome(_, of) => *of,
            _ => self.sent().map(|sent| sent.impression),
        };
        let Some(of) = of else { return };
        if !app.impression_rates.admits((of.experiment, of.impression), app.settings.impression_rate) {
            *self = Self::Known("limited", String::new(), None);
        }
    }

    fn sent(&self) -> Option<&SentEvent> {
        match self {
            Self::Click(sent) => Some(sent),
            Self::UserOutcome(..) => None,
            Self::Known(_, _, sent) => sent.as_ref(),
        }
    }
}

/// `POST /v1/events`
pub(super) async fn events(
    State(app): State<App>,
    sender: Sender,
    KeyExperiment(bound): KeyExperiment,
    body: Events,
) -> Result<Answer<Told>, Problem> {
    // The experiments of events cannot be looked up then.
    if !app.knows_all.load(Ordering::SeqCst) {
        return Err(NoAnswer::NoLeader.into());
    }
    let fates = read(&app, sender, bound, body).await?;
    if fates.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the body has no event; send at least one"));
    }
    let sent_events: Vec<SentEvent> = fates.iter().filter_map(EventStatus::sent).cloned().collect();
    let outcomes = fates.iter().filter_map(|fate| match fate {
        EventStatus::UserOutcome(outcome, _) => Some(outcome.clone()),
        _ => None,
    });
    let outcomes: Vec<UserOutcome> = outcomes.collect();
    let are_judged = fates.iter().any(|fate| matches!(fate, EventStatus::Click(_) | EventStatus::UserOutcome(..)));
    let judged = if sent_events.is_empty() && outcomes.is_empty() {
        Ok(Default::default())
    } else {
        let judge = move |transaction: &mut Transaction<'_>| {
            (jobs::events(transaction, &sent_events), jobs::outcomes(transaction, &outcomes))
        };
        app.writer.call(Some(app.settings.request_timeout), judge).await
    };
    // If the writer has nothing to judge, all answers are known already.
    let (statuses, converted) = if are_judged { judged? } else { Default::default() };
    let (mut statuses, mut converted) = (statuses.into_iter(), converted.into_iter());
    let results: Vec<Told> = fates
        .into_iter()
        .map(|fate| {
            let (status, why) = match fate {
                EventStatus::Known(status, why, _) => (status, why),
                EventStatus::Click(_) => click_status(statuses.next().unwrap_or(ClickFate::Unknown)),
                EventStatus::UserOutcome(..) => outcome_status(converted.next().unwrap_or(OutcomeFate::UnknownUnit)),
            };
            app.metrics.events.count(status);
            // A sender without a key gets no more back than it sent.
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

/// Reads the events of a body off the threads that serve connections; without a key, one body at a time.
async fn read(
    app: &App,
    sender: Sender,
    bound: Option<String>,
    Events { bytes, kind, room }: Events,
) -> Result<Vec<EventStatus>, Problem> {
    let reader = Reader { app: app.clone(), sender, bound, now: seconds(app) };
    let _turn = match sender {
        Sender::Known if bytes.len() <= MAX_INLINE_BYTES => return reader.fates(&bytes, kind, MAX_EVENTS),
        Sender::Known => None,
        Sender::Public => {
            let turn = tokio::time::timeout(app.settings.request_timeout, Arc::clone(&app.public).acquire_owned());
            Some(turn.await.map_err(|_| Problem::unavailable("too many events are being read"))?)
        }
    };
    off_thread(move || {
        let _room = room;
        let most = if sender == Sender::Public { MOST_PUBLIC } else { MAX_EVENTS };
        let mut fates = reader.fates(&bytes, kind, most)?;
        if sender == Sender::Public {
            fates.iter_mut().for_each(|fate| fate.limit(&reader.app));
        }
        Ok(fates)
    })
    .await?
}

/// Each event has an answer, which may be larger than the event.
fn check_count(events: usize, most: usize) -> Result<(), Problem> {
    if events <= most {
        return Ok(());
    }
    let detail = format!("the body has more than {most} events; send fewer at a time");
    Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).part("expected", format!("at most {most} events")))
}

fn click_status(fate: ClickFate) -> (&'static str, String) {
    let (status, why) = match fate {
        ClickFate::Taken => ("taken", ""),
        ClickFate::Duplicate => ("duplicate", "the document was clicked before"),
        ClickFate::Late => ("late", "the impression is closed"),
        ClickFate::Unknown => ("unknown", "the impression shows nothing"),
        ClickFate::NotShown => ("not-shown", "the list that was mixed has nothing there"),
    };
    (status, why.to_owned())
}

fn outcome_status(fate: OutcomeFate) -> (&'static str, String) {
    let (status, why) = match fate {
        OutcomeFate::Taken => ("taken", ""),
        OutcomeFate::Duplicate => {
            ("duplicate", "the same came before; lines of one order on one document differ in action or value")
        }
        OutcomeFate::NoValue => (
            "malformed",
            "value: expected whole minor units where values count, and nothing, or -1 to take one back, where only the number does",
        ),
        OutcomeFate::OtherCurrency => ("other-currency", "values in another currency count"),
        OutcomeFate::Bot => ("bot", "the unit is a bot"),
        OutcomeFate::TooMany => ("limited", "the unit has more outcomes or lists than a user has"),
        OutcomeFate::Late => ("late", "the unit has closed, or the experiment is over"),
        OutcomeFate::NotShown => ("not-shown", "no list that counts for the unit showed the document before"),
        OutcomeFate::UnknownUnit => ("unknown-unit", "no such unit was in the experiment"),
    };
    (status, why.to_owned())
}

/// The lines that are not blank, one more than may be there at most.
fn lines(bytes: &[u8], most: usize) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(most + 1).collect()
}

/// Reads the events of a body.
struct Reader {
    app: App,
    sender: Sender,
    /// The only experiment that the sender may use.
    bound: Option<String>,
    /// In seconds since 1970.
    now: u64,
}

impl Reader {
    /// The status of each event of a body, in order. As long as the ends of events are clear, a wrong one stops no other.
    fn fates(&self, bytes: &[u8], kind: BodyKind, max_events: usize) -> Result<Vec<EventStatus>, Problem> {
        // `sendBeacon` marks lines as text, too. An object over several lines has some that begin otherwise.
        let are_objects =
            |lines: &[&[u8]]| lines.len() > 1 && lines.iter().all(|line| line.trim_ascii().starts_with(b"{"));
        if kind != BodyKind::Json {
            let lines = lines(bytes, max_events);
            if kind == BodyKind::Lines || are_objects(&lines) {
                return self.statuses_of_texts(&lines, max_events);
            }
        }
        match (parse_json(bytes), kind) {
            (Ok(body), _) => match body.value().kind() {
                json::ValueKind::List(events) => {
                    check_count(events, max_events)?;
                    Ok(body.value().items().map(|event| self.status_of_event(event)).collect())
                }
                _ => Ok(vec![self.status_of_event(body.value())]),
            },
            (Err(problem), kind) => match (json::items(bytes), kind) {
                (Some(events), _) => self.statuses_of_texts(&events, max_events),
                (None, BodyKind::Text) => self.statuses_of_texts(&lines(bytes, max_events), max_events),
                (None, _) => Err(problem),
            },
        }
    }

    /// Events that are each a text.
    fn statuses_of_texts(&self, texts: &[&[u8]], most: usize) -> Result<Vec<EventStatus>, Problem> {
        check_count(texts.len(), most)?;
        let of_text = |text: &&[u8]| match json::parse(text) {
            Ok(event) => self.status_of_event(event.value()),
            Err(error) => {
                EventStatus::Known("malformed", format!("the event is not JSON that can be used: {error}"), None)
            }
        };
        Ok(texts.iter().map(of_text).collect())
    }

    fn status_of_event(&self, event: Value<'_>) -> EventStatus {
        let event = Node::top(event);
        // A fault in it counts for its impression.
        let of = self.impression(&event);
        match self.click_or_outcome(&event, of) {
            Ok(fate) => fate,
            Err(ShapeError { path, found, expected }) => {
                let place = if path.is_empty() { "the event".to_owned() } else { path };
                let sent =
                    of.and_then(Result::ok).map(|of| SentEvent { impression: of, action: ClickAction::Malformed });
                EventStatus::Known("malformed", format!("{place}: found {found}; expected {expected}"), sent)
            }
        }
    }

    /// The impression of an event, if it is given in a readable form.
    fn impression(&self, event: &Node<'_, '_>) -> Option<Result<ImpressionId, IdError>> {
        let id = event.get("query_id").ok()??;
        Some(self.app.signer.read(id.value().as_str()?, self.now))
    }

    fn click_or_outcome(
        &self,
        event: &Node<'_, '_>,
        of: Option<Result<ImpressionId, IdError>>,
    ) -> Result<EventStatus, ShapeError> {
        let action = event.need("action_name", "an action, such as \"click\"")?.name("an action", 256)?;
        if CLICKS.contains(&action) {
            return click(event, of);
        }
        let entries = self.app.directory.all();
        let counts = |entry: &&Arc<ExperimentHandle>| {
            entry.config.outcomes.as_ref().is_some_and(|outcomes| outcomes.contains_key(action))
        };
        let counting: Vec<&Arc<ExperimentHandle>> = entries.values().filter(counts).collect();
        if counting.is_empty() {
            let sent = of.and_then(Result::ok).map(|of| SentEvent { impression: of, action: ClickAction::Ignored });
            let why = "another action than a click, and no outcome of an experiment";
            return Ok(EventStatus::Known("ignored", why.to_owned(), sent));
        }
        self.outcome(event, action, of, &counting)
    }

    /// A later action of a user. Its unit is that of the page it names; a sender with a key may name the unit instead.
    fn outcome(
        &self,
        event: &Node<'_, '_>,
        action: &str,
        of: Option<Result<ImpressionId, IdError>>,
        counting_actions: &[&Arc<ExperimentHandle>],
    ) -> Result<EventStatus, ShapeError> {
        let attributes = event.need("event_attributes", CONVERSION_DOCUMENT)?;
        let document = attributes
            .need("object", CONVERSION_DOCUMENT)?
            .need("object_id", CONVERSION_DOCUMENT)?
            .id("a document", 256)?
            .into_owned();
        // Beside the action or beside the document.
        let said = |name: &str| match event.get(name) {
            Ok(None) => Ok(attributes.get(name)?.map(|event_fields| (event_fields.path(), event_fields.value()))),
            event_fields => {
                Ok::<_, ShapeError>(event_fields?.map(|event_fields| (event_fields.path(), event_fields.value())))
            }
        };
        let text = |name: &str, what: &str| match said(name)? {
            None => Ok(None),
            Some((path, value)) => match Node::top(value).id(what, 256) {
                Ok(text) => Ok(Some(text.into_owned())),
                Err(error) => Err(ShapeError { path, ..error }),
            },
        };
        let value = match said("value")? {
            None => None,
            Some((path, value)) => {
                let whole = value.as_f64().filter(|value| value.fract() == 0.0 && value.abs() <= MAX_VALUE);
                let expected = "a whole number of minor units, such as 1250 for 12.50";
                let wrong = || ShapeError { path, ..Node::top(value).wrong(expected) };
                Some(whole.ok_or_else(wrong)? as i64)
            }
        };
        let order = match text("order", "the id of an order")? {
            None => text("order_id", "the id of an order")?,
            event_fields => event_fields,
        };
        let currency = text("currency", "a currency")?;
        let mut whose: Vec<(u32, CreditTarget)> = Vec::new();
        // The page may belong to an experiment that does not count this.
        let signed_value =
            of.and_then(Result::ok).filter(|of| counting_actions.iter().any(|entry| entry.id == of.experiment));
        whose.extend(signed_value.map(|of| match self.sender {
            Sender::Public => (of.experiment, CreditTarget::Page(of)),
            Sender::Known => (of.experiment, CreditTarget::Impression(of)),
        }));
        match (self.sender, of) {
            (Sender::Public, None) => {
                let why = "without a key, an outcome names a page of its unit by its id, in query_id";
                return Ok(EventStatus::Known("unsigned", why.to_owned(), None));
            }
            (Sender::Public, Some(_)) => {}
            (Sender::Known, _) => {
                let unit = match text("unit", "a unit")? {
                    None => match text("user_id", "a unit")? {
                        None => text("client_id", "a unit")?,
                        event_fields => event_fields,
                    },
                    event_fields => event_fields,
                };
                if unit.is_none() && of.is_none() {
                    let expected = "the unit, as impressions name it, in unit, user_id or client_id; or the id of one of its pages in query_id";
                    return Err(ShapeError {
                        path: "unit".to_owned(),
                        found: "nothing".to_owned(),
                        expected: expected.to_owned(),
                    });
                }
                let others =
                    counting_actions.iter().filter(|entry| signed_value.is_none_or(|of| of.experiment != entry.id));
                for (entry, unit) in others.filter_map(|entry| Some((entry, unit.as_deref()?))) {
                    let hashes = self.app.hashes.unit(entry.id, unit, self.app.clock.now());
                    whose.push((entry.id, CreditTarget::Unit(hashes)));
                }
                let is_allowed = |id: u32| {
                    let name = counting_actions.iter().find(|entry| entry.id == id).map(|entry| &entry.config.name);
                    self.bound.as_ref().is_none_or(|bound| name == Some(bound))
                };
                whose.retain(|(id, _)| is_allowed(*id));
            }
        }
        match of {
            // The status by its page, where it counts for nothing.
            Some(Ok(of)) if !counting_actions.iter().any(|entry| entry.id == of.experiment) && whose.is_empty() => {
                let sent = SentEvent { impression: of, action: ClickAction::Ignored };
                return Ok(EventStatus::Known(
                    "ignored",
                    "the experiment does not count this action".to_owned(),
                    Some(sent),
                ));
            }
            Some(Err(error)) if whose.is_empty() => return Ok(status_of_id_error(error)),
            _ => {}
        }
        let action = action.to_owned();
        Ok(EventStatus::UserOutcome(
            UserOutcome { action, document, value, currency, order, whose },
            of.and_then(Result::ok),
        ))
    }
}

/// A click, which names the page that it was on.
fn click(event: &Node<'_, '_>, of: Option<Result<ImpressionId, IdError>>) -> Result<EventStatus, ShapeError> {
    event.need("query_id", "the id of an impression")?.name("the id of an impression", 256)?;
    let attributes = event.need("event_attributes", CLICK_DOCUMENT)?;
    let document = attributes
        .need("object", CLICK_DOCUMENT)?
        .need("object_id", CLICK_DOCUMENT)?
        .id("a document", 256)?
        .into_owned();
    Ok(match of.unwrap_or(Err(IdError::Unknown)) {
        Ok(of) => EventStatus::Click(SentEvent { impression: of, action: ClickAction::Click(document) }),
        Err(error) => status_of_id_error(error),
    })
}

/// The status of an event with an id that cannot be read.
fn status_of_id_error(error: IdError) -> EventStatus {
    let status = if error == IdError::Expired { "late" } else { "unknown" };
    EventStatus::Known(status, error.to_string(), None)
}
