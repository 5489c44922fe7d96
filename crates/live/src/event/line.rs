//! Events as lines of JSON, with names where events have numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Event, Purpose};
use crate::config::Config;
use crate::verdicts::{verdict_from_word, verdict_word};

/// A line, every field that any event has. Fields are written in this order.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The number of the event, from 1.
    n: u64,
    event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    config: Option<Config>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chooser: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ticket: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<String>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mirrors: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeats: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judge: Option<String>,
    /// The checksum of this event and all before it.
    sum: String,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineError {
    /// It is not a line of a log.
    NotAnEvent(String),
    /// It has another number.
    Number { expected: u64, found: u64 },
    /// Its checksum is not that of this event after those before it, or its text is not the one that is written.
    Edited,
}

/// The line of an event, with its line feed. `ticket` is that of a pair asked.
pub(crate) fn to_line(event: &Event, config: &Config, number: u64, ticket: u64, sum: u64) -> String {
    let name = |place: u32| config.names.get(place as usize).cloned();
    let mut line = Line { n: number, sum: format!("{sum:016x}"), ..Line::default() };
    line.event = match event {
        Event::Created { config, chooser } => {
            line.config = Some(config.clone());
            line.chooser = Some(chooser.clone());
            "created"
        }
        Event::Continued { chooser } => {
            line.chooser = Some(chooser.clone());
            "continued"
        }
        Event::Asked { first, second, item, judge, purpose } => {
            line.ticket = Some(ticket);
            (line.first, line.second) = (name(*first), name(*second));
            line.item = item.map(|item| item + 1);
            line.judge.clone_from(judge);
            match purpose {
                Purpose::New => {}
                Purpose::Mirror(of) => line.mirrors = Some(*of),
                Purpose::Repeat(of) => line.repeats = Some(*of),
            }
            "asked"
        }
        Event::Answered { ticket, verdict, judge } => {
            line.ticket = Some(*ticket);
            line.verdict = verdict_word(*verdict).map(str::to_owned);
            line.judge.clone_from(judge);
            "answered"
        }
        Event::Forgotten { ticket } => {
            line.ticket = Some(*ticket);
            "forgotten"
        }
    }
    .to_owned();
    // Text and numbers: it cannot fail.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

/// The event of a line without its line feed, which must be event `number`, after one with the checksum `before`. `names`
/// finds competitors; `ticket` is the number of the next pair.
pub(crate) fn from_line(
    text: &str,
    (config, names): (&Config, &BTreeMap<String, u32>),
    number: u64,
    ticket: u64,
    before: u64,
) -> Result<Event, LineError> {
    let line: Line = serde_json::from_str(text).map_err(|error| LineError::NotAnEvent(error.to_string()))?;
    if line.n != number {
        return Err(LineError::Number { expected: number, found: line.n });
    }
    let event = event(&line, names).map_err(|what| LineError::NotAnEvent(what.to_owned()))?;
    let settings = if let Event::Created { config, .. } = &event { config } else { config };
    let written = to_line(&event, settings, number, ticket, event.sum(before));
    if written.trim_end_matches('\n') == text { Ok(event) } else { Err(LineError::Edited) }
}

fn event(line: &Line, names: &BTreeMap<String, u32>) -> Result<Event, &'static str> {
    let competitor = |name: &Option<String>| name.as_ref().and_then(|name| names.get(name).copied());
    let ticket = || line.ticket.ok_or("it has no ticket");
    let chooser = || line.chooser.clone().ok_or("it does not name who chooses");
    Ok(match line.event.as_str() {
        "created" => Event::Created { config: line.config.clone().ok_or("it has no settings")?, chooser: chooser()? },
        "continued" => Event::Continued { chooser: chooser()? },
        "asked" => Event::Asked {
            first: competitor(&line.first).ok_or("`first` is not a competitor")?,
            second: competitor(&line.second).ok_or("`second` is not a competitor")?,
            item: line.item.map(|item| item.checked_sub(1).ok_or("items count from 1")).transpose()?,
            judge: line.judge.clone(),
            purpose: match (line.mirrors, line.repeats) {
                (None, None) => Purpose::New,
                (Some(of), None) => Purpose::Mirror(of),
                (None, Some(of)) => Purpose::Repeat(of),
                (Some(_), Some(_)) => return Err("it both mirrors and repeats"),
            },
        },
        "answered" => Event::Answered {
            ticket: ticket()?,
            verdict: line.verdict.as_deref().and_then(verdict_from_word).ok_or("it has no verdict")?,
            judge: line.judge.clone(),
        },
        "forgotten" => Event::Forgotten { ticket: ticket()? },
        _ => return Err("expected the event created, continued, asked, answered or forgotten"),
    })
}
