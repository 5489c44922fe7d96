//! Messages that wait, and those that were delivered.

use std::collections::BTreeMap;

use serde_json::json;

use super::messages::{ExperimentLook, Message, ReportedState, new_messages};
use crate::store::StoreError;

/// The number of delivered messages kept for each experiment.
pub(super) const MAX_KEPT_DELIVERIES: i64 = 100;
/// After the first failure, a message is sent again this number of milliseconds later, then after twice as long each time, up to the most.
const FIRST_RETRY_PAUSE: i64 = 1_000;
const MAX_RETRY_PAUSE: i64 = 300_000;

/// Why messages cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The file cannot be used.
    #[error(
        "the file of messages {0} cannot be used: {1}; if it is damaged, delete it: what was not delivered is lost then"
    )]
    File(String, rusqlite::Error),
    /// The file is of another version.
    #[error(
        "the file of messages {file} has format {found}; expected {known}: use the version of the server that wrote it"
    )]
    Format {
        /// The file.
        file: String,
        /// Its format.
        found: u32,
        /// The format of this build.
        known: u32,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] StoreError),
    /// There is no thread to be had.
    #[error("no thread for messages: {0}")]
    Thread(std::io::Error),
}

/// A message that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueMessage {
    /// Its number, by which a receiver recognizes repeated messages.
    pub id: i64,
    /// The experiment.
    pub experiment: String,
    /// Its kind, in a word.
    pub kind: String,
    /// The body of the request.
    pub body: String,
    pub(super) attempts: i64,
    /// The earliest time to send it, in milliseconds since 1970.
    pub(super) next: i64,
}

impl DueMessage {
    /// The number of the next attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> i64 {
        self.attempts + 1
    }

    /// The delay after a failure, in milliseconds.
    pub(super) fn pause(&self) -> i64 {
        FIRST_RETRY_PAUSE.saturating_mul(1 << self.attempts.clamp(0, 20)).min(MAX_RETRY_PAUSE)
    }
}

/// A message, and whether it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its number.
    pub id: i64,
    /// When it was found, in milliseconds since 1970.
    pub time: i64,
    /// Its kind, in a word.
    pub kind: String,
    /// When it was taken, in milliseconds since 1970.
    pub delivered: Option<i64>,
    /// The number of failed attempts.
    pub failures: i64,
    /// The reason of the last failure.
    pub why: String,
}

/// The reported state of experiments, by name: when each was made, and its state.
pub(super) type ReportedStates = BTreeMap<String, (i64, ReportedState)>;

/// The news of an experiment, to be kept as a whole.
#[derive(Debug)]
pub(super) struct News {
    pub(super) experiment: String,
    pub(super) created: i64,
    pub(super) messages: Vec<Body>,
    /// The reported state once they are kept.
    pub(super) known: ReportedState,
}

/// A message as it is kept.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) time: i64,
    pub(super) kind: String,
    pub(super) text: String,
}

/// The news of experiments. Events before `since` make no message; `now` is the time of the look (milliseconds since 1970).
pub(super) fn all_news(
    reported_states: &ReportedStates,
    since: i64,
    looks: Vec<ExperimentLook>,
    now: i64,
) -> Vec<News> {
    let mut news = Vec::new();
    for looks in looks {
        let is_same = |created: i64| looks.created.is_none_or(|news| news == created);
        let reported = reported_states.get(&looks.name).filter(|(created, _)| is_same(*created));
        let previous = match reported {
            Some((_, reported_states)) => reported_states.clone(),
            // Nothing from before `since` is news. If the name is known with another creation time, that experiment was deleted.
            None if looks.created.is_some_and(|created| created < since)
                && !reported_states.contains_key(&looks.name) =>
            {
                new_messages(&ReportedState::default(), &looks).1
            }
            None => ReportedState::default(),
        };
        let created = looks.created.or(reported.map(|(created, _)| *created)).unwrap_or(0);
        let (messages, after) = new_messages(&previous, &looks);
        if reported.is_none() || after != previous {
            let messages = messages.into_iter().map(|message| body(&looks.name, message, now)).collect();
            news.push(News { experiment: looks.name, created, messages, known: after });
        }
    }
    news
}

fn body(experiment: &str, message: Message, now: i64) -> Body {
    let Message { time, kind, sentence, advice, ranker } = message;
    let time = time.unwrap_or(now);
    let body = json!({
        "experiment": experiment,
        "time": times::text(time),
        "kind": kind,
        "sentence": sentence,
        "advice": advice,
        "ranker": ranker,
        "page": format!("/e/{experiment}"),
    });
    Body { time, kind, text: body.to_string() }
}
