//! Lines of a log: the number of the event, its version and kind, the fields of its struct in `stored`, and a checksum of
//! the text before it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::stored::{
    AnsweredV1, AnsweredV2, AskedV1, AskedV2, ContinuedV1, CreatedV1, CreatedV2, CreatedV3, ForgottenV1, TakenBackV1,
    Version, WeighedV1,
};
use super::{Event, Purpose};
use crate::config::Config;

/// Where in a log a line is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log<'a> {
    pub(crate) config: &'a Config,
    /// The place of each competitor.
    pub(crate) names: &'a BTreeMap<String, u32>,
    /// The number of the event, from 1.
    pub(crate) number: u64,
    /// The ticket of the next pair.
    pub(crate) ticket: u64,
    /// The checksum of the lines before.
    pub(crate) sum: u64,
}

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
    of: &'a V,
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
pub(crate) fn to_line(event: &Event, log: Log<'_>) -> (String, u64) {
    match event {
        Event::Created { config, chooser } => match &config.model {
            Some(model) => write(&CreatedV3::of(config, model, chooser), log),
            None if config.tolerance > 0.0 => write(&CreatedV2::of(config, chooser), log),
            None => write(&CreatedV1::of(config, chooser), log),
        },
        Event::Continued { chooser } => write(&ContinuedV1::of(chooser), log),
        Event::Asked { first, second, item, judge, purpose: Purpose::Audit(of) } => {
            write(&AskedV2::of(log, [*first, *second], *item, judge.as_deref(), *of), log)
        }
        Event::Asked { first, second, item, judge, purpose } => {
            write(&AskedV1::of(log, [*first, *second], *item, judge.as_deref(), *purpose), log)
        }
        Event::Answered { ticket, verdict, judge, note: None } => {
            write(&AnsweredV1::of(*ticket, *verdict, judge.as_deref()), log)
        }
        Event::Answered { ticket, verdict, judge, note: Some(note) } => {
            write(&AnsweredV2::of(*ticket, *verdict, judge.as_deref(), note), log)
        }
        Event::Weighed { ticket, weighed } => write(&WeighedV1::of(*ticket, *weighed), log),
        Event::Forgotten { ticket } => write(&ForgottenV1::of(*ticket), log),
        Event::TakenBack { ticket } => write(&TakenBackV1::of(*ticket), log),
    }
}

/// The event of a line without its line feed, in any version, and the checksum up to it.
pub(crate) fn from_line(text: &str, log: Log<'_>) -> Result<(Event, u64), LineError> {
    let head: Head = parse(text)?;
    if head.n != log.number {
        return Err(LineError::Number { expected: log.number, found: head.n });
    }
    let version = head.v.ok_or(LineError::NoVersion)?;
    match (head.event.as_str(), version) {
        (CreatedV1::EVENT, CreatedV1::VERSION) => read::<CreatedV1>(text, log),
        (CreatedV2::EVENT, CreatedV2::VERSION) => read::<CreatedV2>(text, log),
        (CreatedV3::EVENT, CreatedV3::VERSION) => read::<CreatedV3>(text, log),
        (ContinuedV1::EVENT, ContinuedV1::VERSION) => read::<ContinuedV1>(text, log),
        (AskedV1::EVENT, AskedV1::VERSION) => read::<AskedV1>(text, log),
        (AskedV2::EVENT, AskedV2::VERSION) => read::<AskedV2>(text, log),
        (AnsweredV1::EVENT, AnsweredV1::VERSION) => read::<AnsweredV1>(text, log),
        (AnsweredV2::EVENT, AnsweredV2::VERSION) => read::<AnsweredV2>(text, log),
        (WeighedV1::EVENT, WeighedV1::VERSION) => read::<WeighedV1>(text, log),
        (ForgottenV1::EVENT, ForgottenV1::VERSION) => read::<ForgottenV1>(text, log),
        (TakenBackV1::EVENT, TakenBackV1::VERSION) => read::<TakenBackV1>(text, log),
        _ => Err(LineError::Unknown { event: head.event, version }),
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, LineError> {
    serde_json::from_str(text).map_err(|error| LineError::NotAnEvent(error.to_string()))
}

fn write<V: Version>(version: &V, log: Log<'_>) -> (String, u64) {
    // Text and numbers: it cannot fail.
    let body = Body { n: log.number, v: V::VERSION, event: V::EVENT, of: version };
    let mut text = serde_json::to_string(&body).unwrap_or_default();
    // The sum goes before the brace that ends the object.
    text.pop();
    let sum = xxh3_64_with_seed(text.as_bytes(), log.sum);
    text.push_str(&format!(",\"sum\":\"{sum:016x}\"}}\n"));
    (text, sum)
}

/// Reads a line as this version, and writes it again: only what this version writes is accepted.
fn read<V: Version>(text: &str, log: Log<'_>) -> Result<(Event, u64), LineError> {
    let version: V = parse(text)?;
    let (again, sum) = write(&version, log);
    if again.trim_end_matches('\n') != text {
        return Err(LineError::Edited);
    }
    let event = version.upgrade(log).map_err(|what| LineError::NotAnEvent(what.to_owned()))?;
    Ok((event, sum))
}
