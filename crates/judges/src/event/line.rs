//! Lines of a log: the number of the event, its version and kind, the fields of its struct in `versions`, and a checksum of
//! the text before it.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::log_position::LogPosition;
use super::versions::{
    AnsweredV1, AnsweredV2, AskedV1, AskedV2, ContinuedV1, CreatedV1, CreatedV2, CreatedV3, ForgottenV1, TakenBackV1,
    Version, WeighedV1,
};
use super::{Event, Purpose};

/// How every line begins.
#[derive(Deserialize)]
struct Head {
    /// The number of the event, from 1.
    n: u64,
    /// Its version.
    v: Option<u32>,
    event: String,
}

/// All but the checksum. Fields are written in this order.
#[derive(Serialize)]
struct Body<'a, V> {
    n: u64,
    v: u32,
    event: &'a str,
    #[serde(flatten)]
    fields: &'a V,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineError {
    /// It is not a line of a log.
    NotAnEvent(String),
    /// It has no version.
    NoVersion,
    /// It has another number.
    Number { expected: u64, found: u64 },
    /// Its checksum is not that of its text after those before it, or the text is not as programs write it.
    Edited,
    /// It is of a later program.
    Unknown { event: String, version: u32 },
}

/// The line of an event in the newest version of its kind that it needs, with its line feed, and the checksum up to it.
pub(crate) fn to_line(event: &Event, position: LogPosition<'_>) -> (String, u64) {
    match event {
        Event::Created { config, chooser } => match &config.model {
            Some(model) => write_line(&CreatedV3::of(config, model, chooser), position),
            None if config.tolerance > 0.0 => write_line(&CreatedV2::of(config, chooser), position),
            None => write_line(&CreatedV1::of(config, chooser), position),
        },
        Event::Continued { chooser } => write_line(&ContinuedV1::of(chooser), position),
        Event::Asked { first, second, item, judge, purpose: Purpose::Audit(ticket) } => {
            write_line(&AskedV2::of(position, [*first, *second], *item, judge.as_deref(), *ticket), position)
        }
        Event::Asked { first, second, item, judge, purpose } => {
            write_line(&AskedV1::of(position, [*first, *second], *item, judge.as_deref(), *purpose), position)
        }
        Event::Answered { ticket, verdict, judge, note: None } => {
            write_line(&AnsweredV1::of(*ticket, *verdict, judge.as_deref()), position)
        }
        Event::Answered { ticket, verdict, judge, note: Some(note) } => {
            write_line(&AnsweredV2::of(*ticket, *verdict, judge.as_deref(), note), position)
        }
        Event::Weighed { ticket, weighed } => write_line(&WeighedV1::of(*ticket, *weighed), position),
        Event::Forgotten { ticket } => write_line(&ForgottenV1::of(*ticket), position),
        Event::TakenBack { ticket } => write_line(&TakenBackV1::of(*ticket), position),
    }
}

/// The event of a line without its line feed, in any version, and the checksum up to it.
pub(crate) fn from_line(text: &str, position: LogPosition<'_>) -> Result<(Event, u64), LineError> {
    let head: Head = parse_json(text)?;
    if head.n != position.number {
        return Err(LineError::Number { expected: position.number, found: head.n });
    }
    let version = head.v.ok_or(LineError::NoVersion)?;
    match (head.event.as_str(), version) {
        (CreatedV1::EVENT, CreatedV1::VERSION) => read_line::<CreatedV1>(text, position),
        (CreatedV2::EVENT, CreatedV2::VERSION) => read_line::<CreatedV2>(text, position),
        (CreatedV3::EVENT, CreatedV3::VERSION) => read_line::<CreatedV3>(text, position),
        (ContinuedV1::EVENT, ContinuedV1::VERSION) => read_line::<ContinuedV1>(text, position),
        (AskedV1::EVENT, AskedV1::VERSION) => read_line::<AskedV1>(text, position),
        (AskedV2::EVENT, AskedV2::VERSION) => read_line::<AskedV2>(text, position),
        (AnsweredV1::EVENT, AnsweredV1::VERSION) => read_line::<AnsweredV1>(text, position),
        (AnsweredV2::EVENT, AnsweredV2::VERSION) => read_line::<AnsweredV2>(text, position),
        (WeighedV1::EVENT, WeighedV1::VERSION) => read_line::<WeighedV1>(text, position),
        (ForgottenV1::EVENT, ForgottenV1::VERSION) => read_line::<ForgottenV1>(text, position),
        (TakenBackV1::EVENT, TakenBackV1::VERSION) => read_line::<TakenBackV1>(text, position),
        _ => Err(LineError::Unknown { event: head.event, version }),
    }
}

fn parse_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, LineError> {
    serde_json::from_str(text).map_err(|error| LineError::NotAnEvent(error.to_string()))
}

fn write_line<V: Version>(version: &V, position: LogPosition<'_>) -> (String, u64) {
    // Text and numbers: it cannot fail.
    let body = Body { n: position.number, v: V::VERSION, event: V::EVENT, fields: version };
    let mut text = serde_json::to_string(&body).unwrap_or_default();
    // The sum goes before the brace that ends the object.
    text.pop();
    let sum = xxh3_64_with_seed(text.as_bytes(), position.sum);
    text.push_str(&format!(",\"sum\":\"{sum:016x}\"}}\n"));
    (text, sum)
}

/// Reads a line as this version, and writes it again: only what this version writes is accepted.
fn read_line<V: Version>(text: &str, position: LogPosition<'_>) -> Result<(Event, u64), LineError> {
    let version: V = parse_json(text)?;
    let (rewritten, sum) = write_line(&version, position);
    if rewritten.trim_end_matches('\n') != text {
        return Err(LineError::Edited);
    }
    let event = version.upgrade(position).map_err(|what| LineError::NotAnEvent(what.to_owned()))?;
    Ok((event, sum))
}
